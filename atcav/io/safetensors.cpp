#include "atcav/io/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "atcav/base/check.h"
#include "atcav/io/atomic_file.h"
#include "atcav/io/fail.h"

namespace atcav::io {
namespace {

using nlohmann::json;

constexpr const char* kReadSafetensors = "read_safetensors";

struct SafetensorsEntry {
  std::string name;
  Dtype dtype = Dtype::kF32;
  Shape shape;
  std::size_t begin = 0, end = 0;  // in bytes from the end of the header
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // sorted by name
  std::map<std::string, std::string> metadata;
};

// Looks at the names before the header is built: the library would take the last of equal ones and any depth.
struct HeaderNames : nlohmann::json_sax<json> {
  std::vector<std::set<std::string>> seen;  // in each object that is open
  std::string repeated;
  int depth = 0;

  bool open() { return ++depth < 8; }
  bool close() { return --depth >= 0; }
  bool start_object(std::size_t) override { return seen.emplace_back(), open(); }
  bool end_object() override { return seen.pop_back(), close(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    if (!seen.back().insert(name).second) repeated = name;
    return true;
  }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(json::number_integer_t) override { return true; }
  bool number_unsigned(json::number_unsigned_t) override { return true; }
  bool number_float(json::number_float_t, const std::string&) override { return true; }
  bool string(std::string&) override { return true; }
  bool binary(json::binary_t&) override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }
};

constexpr std::uint64_t kLargest = std::numeric_limits<Index>::max();

class HeaderParser {
 public:
  explicit HeaderParser(std::string_view file) : file_(file) {}

  SafetensorsHeader parse(std::string_view text) {
    const json root = parse_json(text);
    if (!root.is_object()) fail("header is not a JSON object");
    SafetensorsHeader header;
    for (const auto& [name, value] : root.items()) {
      if (name == "__metadata__") {
        header.metadata = metadata(value);
      } else {
        header.entries.push_back(entry(name, value));
      }
    }
    return header;
  }

 private:
  json parse_json(std::string_view text) {
    HeaderNames names;
    if (!json::sax_parse(text, &names)) fail("header is not valid JSON");
    if (!names.repeated.empty()) fail(fmt::format("header has the name {} twice", quote(names.repeated)));
    return json::parse(text);
  }

  std::map<std::string, std::string> metadata(const json& value) {
    if (!value.is_object()) fail("__metadata__ is not a JSON object");
    std::map<std::string, std::string> result;
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) fail(fmt::format("__metadata__ {} is not a string", quote(key)));
      result[key] = text.get<std::string>();
    }
    return result;
  }

  SafetensorsEntry entry(const std::string& name, const json& value) {
    const auto field = [&](const char* key) -> const json& {
      if (!value.is_object() || !value.contains(key)) fail(name, fmt::format("has no {}", key));
      return value[key];
    };
    SafetensorsEntry result;
    result.name = name;
    result.dtype = dtype(name, field("dtype"));
    for (const std::uint64_t size : sizes(name, "shape", field("shape"))) {
      result.shape.push_back(static_cast<Index>(size));
    }
    const std::vector<std::uint64_t> offsets = sizes(name, "data_offsets", field("data_offsets"));
    if (offsets.size() != 2 || offsets[0] > offsets[1]) fail(name, "data_offsets must be [begin, end]");
    result.begin = offsets[0];
    result.end = offsets[1];

    const std::optional<std::size_t> needed = byte_size(result.shape, result.dtype);
    if (!needed) fail(name, fmt::format("shape {} is too large", to_string(result.shape)));
    if (*needed != result.end - result.begin) {
      fail(name,
           fmt::format("data_offsets span {} bytes but shape {} of {} needs {}", result.end - result.begin,
                       to_string(result.shape), dtype_name(result.dtype), *needed));
    }
    return result;
  }

  Dtype dtype(const std::string& name, const json& value) {
    if (!value.is_string()) fail(name, "dtype is not a string");
    const std::optional<Dtype> found = find_dtype(value.get_ref<const std::string&>());
    if (!found) {
      fail(name, fmt::format(
                     "dtype {} is not supported, must be F16, BF16, F32, F64, I64, I32, I16, I8, U8 or BOOL",
                     quote(value.get_ref<const std::string&>())));
    }
    return *found;
  }

  std::vector<std::uint64_t> sizes(const std::string& name, const char* key, const json& value) {
    if (!value.is_array()) fail(name, fmt::format("{} is not a list", key));
    std::vector<std::uint64_t> result;
    for (const json& element : value) {
      if (!element.is_number_unsigned() || element.get<std::uint64_t>() > kLargest) {
        fail(name, fmt::format("{} must hold whole numbers from 0 to 2^63-1", key));
      }
      result.push_back(element.get<std::uint64_t>());
    }
    return result;
  }

  [[noreturn]] void fail(std::string_view message) { fail_file(kReadSafetensors, file_, message); }
  [[noreturn]] void fail(const std::string& tensor, std::string_view message) {
    fail(fmt::format("tensor {}: {}", quote(tensor), message));
  }

  std::string_view file_;
};

// Nothing overlapping, nothing left over.
void check_cover(std::vector<SafetensorsEntry> entries, std::size_t data_size, const std::string& file) {
  std::sort(entries.begin(), entries.end(), [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::size_t covered = 0;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.begin != covered) {
      fail_file(kReadSafetensors, file,
                fmt::format("tensor {} begins at {}, {} {}", quote(entry.name), entry.begin,
                            entry.begin < covered ? "overlapping another that ends at"
                                                  : "leaving a gap after the one that ends at",
                            covered));
    }
    covered = entry.end;
  }
  if (covered != data_size) {
    fail_file(kReadSafetensors, file,
              fmt::format("tensors end at {} but the file has {} bytes of data", covered, data_size));
  }
}

using NamedTensor = std::pair<const std::string, TensorView>;

std::vector<const NamedTensor*> data_order(const std::map<std::string, TensorView>& tensors) {
  std::vector<const NamedTensor*> order;
  order.reserve(tensors.size());
  for (const NamedTensor& named : tensors) order.push_back(&named);
  std::stable_sort(order.begin(), order.end(), [](const NamedTensor* a, const NamedTensor* b) {
    return item_size(a->second.dtype) > item_size(b->second.dtype);
  });
  return order;
}

std::string header_text(const std::vector<const NamedTensor*>& order,
                        const std::map<std::string, std::string>& metadata) {
  json header = json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::size_t begin = 0;
  for (const NamedTensor* named : order) {
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
  } catch (const json::exception&) {
    fail_argument("write_safetensors", "a tensor name or metadata is not UTF-8");
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

}  // namespace

std::vector<std::string> Safetensors::names() const {
  std::vector<std::string> result;
  for (const auto& [name, array] : tensors) result.push_back(name);
  return result;
}

const Array& Safetensors::tensor(std::string_view name) const {
  const auto found = tensors.find(name);
  if (found == tensors.end()) {
    fail_file(kReadSafetensors, file,
              fmt::format("has no tensor {}; it has {}", quote(name), closest_names(name, names())));
  }
  return found->second;
}

Safetensors read_safetensors(const ReaderPtr& reader) {
  constexpr std::size_t kPrefix = 8, kLongestHeader = 100'000'000;
  const std::string& file = reader->name();
  const std::string_view text = reader->text();
  if (text.size() < kPrefix)
    fail_file(kReadSafetensors, file, fmt::format("is cut short after {} bytes", text.size()));
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < kPrefix; ++i) {
    length |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << (8 * i);
  }
  if (length > kLongestHeader) {
    fail_file(kReadSafetensors, file, fmt::format("header should have {} bytes, more than 100 MB", length));
  }
  if (length > text.size() - kPrefix) {
    fail_file(
        kReadSafetensors, file,
        fmt::format("header should have {} bytes but the file ends after {}", length, text.size() - kPrefix));
  }

  SafetensorsHeader header = HeaderParser(file).parse(text.substr(kPrefix, length));
  const std::size_t data_start = kPrefix + length;
  check_cover(header.entries, text.size() - data_start, file);

  Safetensors result{.file = file, .tensors = {}, .metadata = std::move(header.metadata)};
  for (SafetensorsEntry& entry : header.entries) {
    Array array(reader, file + ":" + entry.name, data_start + entry.begin, entry.dtype,
                std::move(entry.shape));
    result.tensors.emplace(std::move(entry.name), std::move(array));
  }
  return result;
}

std::string safetensors_text(const std::map<std::string, TensorView>& tensors,
                             const std::map<std::string, std::string>& metadata) {
  const std::vector<const NamedTensor*> order = data_order(tensors);
  const std::string header = header_text(order, metadata);
  const std::uint64_t length = header.size();
  std::string text(reinterpret_cast<const char*>(&length), sizeof length);
  text += header;
  for (const NamedTensor* named : order) {
    const std::span<const std::byte> bytes = named->second.bytes;
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return text;
}

void write_safetensors(const std::string& path, const std::map<std::string, TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  write_file_atomically(path, safetensors_text(tensors, metadata));
}

}  // namespace atcav::io
