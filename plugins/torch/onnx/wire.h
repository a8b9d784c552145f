#pragma once

#include <protozero/exception.hpp>

// A field of another type than the format says is a bad file, in every build; protozero would only assert.
#define protozero_assert(x) ((x) ? void() : throw protozero::unknown_pbf_wire_type_exception())
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/utf8.h"

// Helpers over protozero for what ONNX files do: repeated numbers come packed from some writers and one
// by one from others, and both must be read.
namespace atcav::onnx::wire {

inline std::string_view view(protozero::pbf_reader& message) {
  const protozero::data_view bytes = message.get_view();
  return {bytes.data(), bytes.size()};
}

// A string field, UTF-8 by the format: two names must not look alike in results and cache keys.
inline std::string text(protozero::pbf_reader& message) {
  const std::string_view bytes = view(message);
  if (!is_utf8(bytes)) throw std::runtime_error("[onnx] damaged: a name is not UTF-8");
  return std::string(bytes);
}

// Appends the numbers of a repeated varint field, whatever its packing.
template <typename Number>
void append_varints(protozero::pbf_reader& message, std::vector<Number>& numbers) {
  if (message.wire_type() == protozero::pbf_wire_type::length_delimited) {
    // uint64 and int64 are the same varints; the cast does what the format means.
    for (const auto value : message.get_packed_uint64()) numbers.push_back(static_cast<Number>(value));
  } else {
    numbers.push_back(static_cast<Number>(message.get_uint64()));
  }
}

// The same for float and double fields.
inline void append_reals(protozero::pbf_reader& message, std::vector<float>& numbers) {
  if (message.wire_type() != protozero::pbf_wire_type::length_delimited)
    return numbers.push_back(message.get_float());
  for (const float value : message.get_packed_float()) numbers.push_back(value);
}

inline void append_reals(protozero::pbf_reader& message, std::vector<double>& numbers) {
  if (message.wire_type() != protozero::pbf_wire_type::length_delimited)
    return numbers.push_back(message.get_double());
  for (const double value : message.get_packed_double()) numbers.push_back(value);
}

}  // namespace atcav::onnx::wire
