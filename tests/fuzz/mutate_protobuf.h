#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

// Changes fields of a protobuf message, whatever they mean, and writes the lengths anew: a changed byte is
// nearly always the end of a file, a changed field is not. Included by the one file of a target.
namespace atcav::fuzz {

struct Field {
  std::uint64_t key = 0;  // number · 8 + wire type
  std::uint64_t number = 0;
  std::string bytes;
  std::vector<Field> inner;  // in place of bytes that are a message

  std::uint64_t wire() const { return key % 8; }
};
using Fields = std::vector<Field>;

inline std::optional<std::uint64_t> read_varint(std::string_view& text) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64 && !text.empty(); shift += 7) {
    const auto byte = static_cast<std::uint8_t>(text.front());
    text.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 127) << shift;
    if (byte < 128) return value;
  }
  return std::nullopt;
}

inline std::optional<Fields> read_fields(std::string_view text, int depth = 0) {
  Fields fields;
  while (!text.empty()) {
    const auto key = read_varint(text);
    if (!key || *key < 8 || *key > 8 * 30 + 7) return std::nullopt;  // ONNX has no higher fields
    Field field{*key, 0, "", {}};
    std::size_t length = field.wire() == 1 ? 8 : field.wire() == 5 ? 4 : 0;
    if (field.wire() == 0 || field.wire() == 2) {
      const auto number = read_varint(text);
      if (!number) return std::nullopt;
      (field.wire() == 0 ? field.number : length) = *number;
    } else if (length == 0) {
      return std::nullopt;
    }
    if (length > text.size()) return std::nullopt;
    field.bytes = text.substr(0, length);
    text.remove_prefix(length);
    if (field.wire() == 2 && length > 1 && depth < 12) {
      if (auto inner = read_fields(field.bytes, depth + 1)) field.inner = std::move(*inner);
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

inline void write_varint(std::string& text, std::uint64_t value) {
  for (; value > 127; value >>= 7) text += static_cast<char>((value & 127) | 128);
  text += static_cast<char>(value);
}

inline std::string written(const Fields& fields) {
  std::string text;
  for (const Field& field : fields) {
    write_varint(text, field.key);
    const std::string bytes = field.inner.empty() ? field.bytes : written(field.inner);
    if (field.wire() == 0) write_varint(text, field.number);
    if (field.wire() == 2) write_varint(text, bytes.size());
    if (field.wire() != 0) text += bytes;
  }
  return text;
}

inline void collect(Fields& fields, std::vector<Fields*>& lists) {
  lists.push_back(&fields);
  for (Field& field : fields) {
    if (!field.inner.empty()) collect(field.inner, lists);
  }
}

inline std::string mutated(std::string_view text, std::mt19937_64& generator) {
  auto fields = read_fields(text);
  if (!fields || fields->empty()) return std::string(text);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(generator() % limit); };
  std::vector<Fields*> lists;
  collect(*fields, lists);
  Fields& list = *lists[below(lists.size())];
  const std::size_t at = below(list.size());
  Field& field = list[at];
  // Another field that means the same, from anywhere.
  std::vector<const Field*> alike;
  for (const Fields* other : lists) {
    for (const Field& one : *other) {
      if (one.key == field.key) alike.push_back(&one);
    }
  }
  const Field like = *alike[below(alike.size())];
  switch (below(7)) {
    case 0:
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), like);
      break;
    case 2:
      std::swap(field, list[below(list.size())]);
      break;
    case 3:
      field = like;
      break;
    default:
      if (field.wire() == 0) {
        static constexpr std::uint64_t kOdd[] = {0,   1,       2,          3,     7,         16,
                                                 127, 1 << 20, 1ULL << 40, ~0ULL, 1ULL << 63};
        field.number = below(2) == 0 ? kOdd[below(std::size(kOdd))] : field.number + below(9) - 4;
      } else if (field.inner.empty() && field.wire() == 2 && below(3) == 0) {
        field.bytes.clear();
      } else if (field.inner.empty() && !field.bytes.empty()) {
        char& byte = field.bytes[below(field.bytes.size())];  // names stay ASCII
        byte = static_cast<char>(byte ^ (1 << below(7)));
      } else {
        list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), like);
      }
  }
  return written(*fields);
}

}  // namespace atcav::fuzz

// libFuzzer's hook, which driver.cpp has too.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  std::mt19937_64 generator(seed);
  const std::string text = atcav::fuzz::mutated({reinterpret_cast<const char*>(data), size}, generator);
  const std::size_t kept = std::min(text.size(), most);
  std::memcpy(data, text.data(), kept);
  return kept;
}
