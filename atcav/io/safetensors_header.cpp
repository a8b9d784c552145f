#include "atcav/io/safetensors_header.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "atcav/io/fail.h"

namespace atcav::io {
namespace {

using nlohmann::json;

constexpr std::uint64_t kLargest = std::numeric_limits<Index>::max();

class Parser {
 public:
  explicit Parser(std::string_view file) : file_(file) {}

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
  // The library takes the last of equal keys and any depth; a header has unique keys and depth 2.
  json parse_json(std::string_view text) {
    std::vector<std::set<std::string>> keys;
    std::string repeated;
    const auto watch = [&](int depth, json::parse_event_t event, json& value) {
      if (event == json::parse_event_t::object_start) keys.emplace_back();
      if (event == json::parse_event_t::object_end) keys.pop_back();
      if (event == json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second) {
        repeated = value.get<std::string>();
      }
      return depth <= 3;
    };
    json root = json::parse(text.begin(), text.end(), watch, /*allow_exceptions=*/false);
    if (root.is_discarded()) fail("header is not valid JSON");
    if (!repeated.empty()) fail(fmt::format("header has the name {} twice", quote(repeated)));
    return root;
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

  [[noreturn]] void fail(std::string_view message) { fail_file("read_safetensors", file_, message); }
  [[noreturn]] void fail(const std::string& tensor, std::string_view message) {
    fail(fmt::format("tensor {}: {}", quote(tensor), message));
  }

  std::string_view file_;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view text, std::string_view file) {
  return Parser(file).parse(text);
}

}  // namespace atcav::io
