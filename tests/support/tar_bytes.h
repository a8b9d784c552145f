#pragma once

#include <fmt/format.h>

#include <string>

// Tar archives for tests, byte by byte.
namespace atcav::testing_support {

inline std::string tar_checksum(std::string block) {
  block.replace(148, 8, 8, ' ');
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  return fmt::format("{:06o}", sum) + std::string("\0 ", 2);
}

// A header as POSIX describes it.
inline std::string tar_header(const std::string& name, std::size_t size, char type = '0',
                              const std::string& size_field = "") {
  std::string block(512, '\0');
  block.replace(0, name.size(), name);
  block.replace(124, 12, size_field.empty() ? fmt::format("{:011o}", size) + '\0' : size_field);
  block.replace(156, 1, 1, type);
  block.replace(257, 8,
                std::string("ustar\0"
                            "00",
                            8));
  block.replace(148, 8, tar_checksum(block));
  return block;
}

inline std::string padded(std::string text) {
  text.resize((text.size() + 511) / 512 * 512);
  return text;
}

inline std::string tar_member(const std::string& name, const std::string& bytes, char type = '0') {
  return tar_header(name, bytes.size(), type) + padded(bytes);
}

}  // namespace atcav::testing_support
