#include "atcav/io/write_safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "atcav/base/check.h"
#include "atcav/io/atomic_file.h"

namespace atcav::io {
namespace {

using Named = std::pair<const std::string, TensorView>;

std::vector<const Named*> data_order(const std::map<std::string, TensorView>& tensors) {
  std::vector<const Named*> order;
  order.reserve(tensors.size());
  for (const Named& named : tensors) order.push_back(&named);
  std::stable_sort(order.begin(), order.end(), [](const Named* a, const Named* b) {
    return item_size(a->second.dtype) > item_size(b->second.dtype);
  });
  return order;
}

std::string header_text(const std::vector<const Named*>& order,
                        const std::map<std::string, std::string>& metadata) {
  nlohmann::json header = nlohmann::json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::size_t begin = 0;
  for (const Named* named : order) {
    const auto& [name, tensor] = *named;
    if (name == "__metadata__") fail_argument("write_safetensors", "no tensor may be called '__metadata__'");
    const std::size_t end = begin + tensor.bytes.size();
    header[name] = {{"dtype", dtype_name(tensor.dtype)},
                    {"shape", tensor.shape},
                    {"data_offsets", std::vector<std::size_t>{begin, end}}};
    begin = end;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::exception&) {
    fail_argument("write_safetensors", "a tensor name or metadata is not UTF-8");
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

}  // namespace

void write_safetensors(const std::string& path, const std::map<std::string, TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  const std::vector<const Named*> order = data_order(tensors);
  const std::string header = header_text(order, metadata);
  const std::uint64_t length = header.size();

  AtomicFile file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(header);
  for (const Named* named : order) file.write(named->second.bytes);
  file.commit();
}

}  // namespace atcav::io
