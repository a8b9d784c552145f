#pragma once

#include <cstddef>
#include <span>
#include <string>

// A checksum for what disks and memory do to files, at the speed of memory; against malice there is sha256.h.
//
// Eight lanes take eight bytes in turn, each by a step that has an inverse: bytes that differ within one word
// of eight always give another checksum, other differences all but surely (2⁻⁶⁴).
namespace atcav::io {

// 16 hexadecimal digits.
std::string checksum(std::span<const std::byte> bytes);

}  // namespace atcav::io
