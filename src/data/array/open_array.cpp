#include "data/array/open_array.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/array/npy.h"
#include "data/array/safetensors.h"
#include "data/file/fail.h"
#include "data/file/paths.h"

namespace atcav::data {
namespace {

struct Spec {
  std::string path;  // or a pattern
  std::optional<std::string_view> tensor;
};

Spec split(std::string_view spec) {
  if (names_files(spec)) return {std::string(spec), std::nullopt};
  for (std::size_t colon = spec.rfind(':'); colon != std::string_view::npos && colon > 0;
       colon = spec.rfind(':', colon - 1)) {
    if (names_files(spec.substr(0, colon)))
      return {std::string(spec.substr(0, colon)), spec.substr(colon + 1)};
  }
  // Not there: name the part the user meant as a file.
  constexpr std::string_view kExtension = ".safetensors";
  const std::size_t found = spec.find(".safetensors:");
  if (found == std::string_view::npos) return {std::string(spec), std::nullopt};
  return {std::string(spec.substr(0, found + kExtension.size())), std::nullopt};
}

enum class Format { kNpy, kSafetensors };

Format format_of(const Reader& reader) {
  const std::string_view name = reader.name();
  const std::string text = reader.read(0, 9);
  if (name.ends_with(".npy")) return Format::kNpy;
  if (name.ends_with(".safetensors")) return Format::kSafetensors;
  if (text.starts_with("\x93NUMPY")) return Format::kNpy;
  // A header's length of 8 bytes, the upper four 0, and then JSON.
  if (text.size() > 8 && text.substr(4, 4) == std::string_view("\0\0\0\0", 4) && text[8] == '{') {
    return Format::kSafetensors;
  }
  if (text.starts_with("PK")) {
    fail_file("open_array", name, "is a zip archive (.npz or .pt?), must be .npy or .safetensors");
  }
  fail_file("open_array", name, "is neither .npy nor .safetensors, begins with {}", quote(text.substr(0, 8)));
}

Array open_one(const std::string& path, std::optional<std::string_view> tensor) {
  const ReaderPtr reader = open_file(path);
  if (format_of(*reader) == Format::kNpy) {
    if (tensor) {
      fail_file("open_array", path, "is a .npy file, has no tensor called {}", quote(*tensor));
    }
    return read_npy(reader);
  }
  const Safetensors file = read_safetensors(reader);
  if (tensor) return file.tensor(*tensor);
  if (file.tensors.size() != 1) {
    fail_file("open_array", path, "has {} tensors, choose one with {}:NAME; it has {}", file.tensors.size(),
              path, closest_names("", file.names()));
  }
  return file.tensors.begin()->second;
}

}  // namespace

Array open_array(std::string_view spec) {
  std::vector<Array> shards;
  for (const std::string& part : split_list(spec)) {
    const auto [path, tensor] = split(part);
    for (const std::string& file : expand_pattern(path)) shards.push_back(open_one(file, tensor));
  }
  if (shards.size() == 1) return shards.front();
  return {std::string(spec), std::move(shards)};
}

}  // namespace atcav::data
