#include "atcav/nn/onnx/file_bytes.h"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

namespace atcav::onnx {

Bytes file_bytes(const std::filesystem::path& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) throw std::runtime_error(fmt::format("[onnx] cannot open {}", path.string()));
  std::string bytes(size, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(size));
  if (!file) throw std::runtime_error(fmt::format("[onnx] cannot read {}", path.string()));
  return Bytes::own(std::move(bytes));
}

}  // namespace atcav::onnx
