#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

// The compression function of SHA-256 over whole blocks of 64 bytes (FIPS 180-4, 6.2.2).
namespace atcav::io {

using Sha256State = std::array<std::uint32_t, 8>;

// With the processor's SHA instructions where it has them, chosen at run time.
void sha256_blocks(Sha256State& state, const std::byte* data, std::size_t blocks);

// Plain C++, everywhere.
void sha256_blocks_portable(Sha256State& state, const std::byte* data, std::size_t blocks);

}  // namespace atcav::io
