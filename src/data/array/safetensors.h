#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/array/array.h"

// .safetensors files: the header's length (8 bytes, little-endian), the header, the tensors' bytes.
// The header is JSON,
//   {"__metadata__": {"layer": "conv5"}, "w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}
// with offsets counted from its end. Tensors are little-endian and in C order.
namespace atcav::data {

struct Safetensors {
  std::string file;
  std::map<std::string, Array, std::less<>> tensors;  // arrays are called "file:tensor" in messages
  std::map<std::string, std::string> metadata;

  std::vector<std::string> names() const;  // sorted
  // Throws std::runtime_error with the names most like the wanted one when it is not there.
  const Array& tensor(std::string_view name) const;
};

// Nothing is copied. F16, BF16, F32, F64, I64 and the smaller integers and BOOL. Throws
// std::runtime_error "[read_safetensors] file: …" unless the header is within 100 MB and the file, has
// no name twice, every tensor is as long as its shape says, and the tensors cover the file's data
// without overlap or gap (the format demands it: nothing can hide between them).
Safetensors read_safetensors(const ReaderPtr& reader);

// A file of these tensors; write_safetensors writes it, all or nothing (atomic_file.h). The same tensors give
// the same bytes: the header lists them by name; data come by falling element size, then name, and start at a
// multiple of 8, so that every element is aligned. std::invalid_argument for the name "__metadata__" and text
// that is not UTF-8.
//   write_safetensors("cav.safetensors", {{"cav", cav}, {"bias", bias}}, {{"layer", "conv5"}});
std::string safetensors_text(const std::map<std::string, TensorView>& tensors,
                             const std::map<std::string, std::string>& metadata = {});
// The same bytes piece after piece, for more than is to be held as one text.
void stream_safetensors(const std::map<std::string, TensorView>& tensors,
                        const std::map<std::string, std::string>& metadata,
                        const std::function<void(std::span<const std::byte>)>& write);
void write_safetensors(const std::string& path, const std::map<std::string, TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace atcav::data
