#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// SHA-256 (FIPS 180-4): what results.json says about its inputs.
//
//   Sha256 hash;
//   hash.update("abc");
//   hash.hex();        // "ba7816bf…", of everything so far; more may follow
namespace atcav::io {

class Sha256 {
 public:
  Sha256();
  void update(std::span<const std::byte> bytes);
  void update(std::string_view text);
  std::string hex() const;  // 64 lower-case digits

 private:
  static constexpr std::size_t kBlock = 64;
  std::array<std::uint32_t, 8> state_;
  std::array<std::byte, kBlock> rest_{};  // the last length_ % 64 bytes
  std::uint64_t length_ = 0;
};

std::string sha256(std::string_view text);

// Of a file's content, in little memory whatever its size. Errors as open_file: an empty file is one.
std::string sha256_file(const std::string& path);

}  // namespace atcav::io
