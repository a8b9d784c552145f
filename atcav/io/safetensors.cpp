#include "atcav/io/safetensors.h"

#include <fmt/format.h>

#include <algorithm>

#include "atcav/io/closest_names.h"
#include "atcav/io/fail.h"
#include "atcav/io/safetensors_header.h"

namespace atcav::io {
namespace {

constexpr const char* kFunction = "read_safetensors";

// Nothing overlapping, nothing left over.
void check_cover(std::vector<SafetensorsEntry> entries, std::size_t data_size, const std::string& file) {
  std::sort(entries.begin(), entries.end(), [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::size_t covered = 0;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.begin != covered) {
      fail_file(kFunction, file,
                fmt::format("tensor {} begins at {}, {} {}", quote(entry.name), entry.begin,
                            entry.begin < covered ? "overlapping another that ends at"
                                                  : "leaving a gap after the one that ends at",
                            covered));
    }
    covered = entry.end;
  }
  if (covered != data_size) {
    fail_file(kFunction, file,
              fmt::format("tensors end at {} but the file has {} bytes of data", covered, data_size));
  }
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
    fail_file(kFunction, file,
              fmt::format("has no tensor {}; it has {}", quote(name), closest_names(name, names())));
  }
  return found->second;
}

Safetensors read_safetensors(const ReaderPtr& reader) {
  constexpr std::size_t kPrefix = 8, kLongestHeader = 100'000'000;
  const std::string& file = reader->name();
  const std::string_view text = reader->text();
  if (text.size() < kPrefix)
    fail_file(kFunction, file, fmt::format("is cut short after {} bytes", text.size()));
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < kPrefix; ++i) {
    length |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << (8 * i);
  }
  if (length > kLongestHeader) {
    fail_file(kFunction, file, fmt::format("header should have {} bytes, more than 100 MB", length));
  }
  if (length > text.size() - kPrefix) {
    fail_file(
        kFunction, file,
        fmt::format("header should have {} bytes but the file ends after {}", length, text.size() - kPrefix));
  }

  SafetensorsHeader header = parse_safetensors_header(text.substr(kPrefix, length), file);
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

}  // namespace atcav::io
