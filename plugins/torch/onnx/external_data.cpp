#include "plugins/torch/onnx/external_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>

#include "data/file/reader.h"

namespace atcav::onnx {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw std::runtime_error(fmt::format("[onnx] external data '{}': {}", file, why));
}

fs::path confined(const fs::path& folder, const std::string& file) {
  const fs::path relative(file);
  if (file.empty()) refuse(file, "the file name is empty");
  if (relative.is_absolute()) refuse(file, "absolute paths are not allowed");
  if (std::ranges::find(relative, "..") != relative.end()) {
    refuse(file, "the path leaves the model's folder");
  }
  std::error_code error;
  const fs::path root = fs::canonical(folder.empty() ? fs::path(".") : folder, error);
  fs::path whole = error ? fs::path() : fs::canonical(root / relative, error);
  if (error) refuse(file, fmt::format("cannot be opened beside the model ({})", error.message()));
  const auto [in_root, rest] = std::mismatch(root.begin(), root.end(), whole.begin(), whole.end());
  if (in_root != root.end()) refuse(file, "the link leads out of the model's folder");
  if (!fs::is_regular_file(whole)) refuse(file, "is not a file");
  return whole;
}

}  // namespace

ExternalData external_data_in(const fs::path& folder) {
  auto files = std::make_shared<std::map<fs::path, Bytes>>();
  return [folder, files](const ExternalLocation& location) {
    const fs::path path = confined(folder, location.file);
    auto [entry, is_new] = files->try_emplace(path);
    if (is_new) entry->second = Bytes::own(data::read_file(path.string()));
    const Bytes& all = entry->second;
    const auto size = static_cast<std::int64_t>(all.size());
    const std::int64_t length = location.length < 0 ? size - location.offset : location.length;
    if (location.offset < 0 || location.offset > size || length > size - location.offset) {
      refuse(location.file, fmt::format("{} bytes from {} on were asked for, the file has {}", length,
                                        location.offset, size));
    }
    return all.part(
        all.view().substr(static_cast<std::size_t>(location.offset), static_cast<std::size_t>(length)));
  };
}

ExternalData no_external_data() {
  return [](const ExternalLocation& location) -> Bytes {
    refuse(location.file, "the model is not in a folder, so there are no files beside it");
  };
}

}  // namespace atcav::onnx
