#include "data/file/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <new>
#include <stdexcept>

#include "core/parallel.h"
#include "data/array/array.h"
#include "data/file/reader.h"

namespace atcav::data {
namespace {

void must_succeed(int status) {
  if (status != 1) throw std::runtime_error("[Sha256] libcrypto refuses SHA-256");
}

}  // namespace

Sha256::Sha256() : state_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  if (!state_) throw std::bad_alloc();
  must_succeed(EVP_DigestInit_ex(state_.get(), EVP_sha256(), nullptr));
}

void Sha256::update(std::span<const std::byte> bytes) {
  must_succeed(EVP_DigestUpdate(state_.get(), bytes.data(), bytes.size()));
}

void Sha256::update(std::string_view text) { update(std::as_bytes(std::span(text))); }

std::string Sha256::hex() const {
  const Sha256 copy;
  must_succeed(EVP_MD_CTX_copy_ex(copy.state_.get(), state_.get()));
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  must_succeed(EVP_DigestFinal_ex(copy.state_.get(), digest.data(), &size));
  std::string result;
  for (unsigned i = 0; i < size; ++i) result += fmt::format("{:02x}", digest[i]);
  return result;
}

namespace {

std::string sha256_of_bytes(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

}  // namespace

std::string sha256(std::string_view text) { return sha256_of_bytes(std::as_bytes(std::span(text))); }
std::string sha256(std::span<const float> values) { return sha256_of_bytes(std::as_bytes(values)); }
std::string sha256(std::span<const double> values) { return sha256_of_bytes(std::as_bytes(values)); }

std::string sha256_file(const std::string& path) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  const ReaderPtr reader = open_file(path);
  Sha256 hash;
  for (std::size_t first = 0; first < reader->size(); first += kPiece)
    hash.update(reader->read(first, kPiece));
  return hash.hex();
}

std::vector<std::string> sha256_files(const std::vector<std::string>& paths, int threads) {
  std::vector<std::string> hashes(paths.size());
  parallel_for(std::ssize(paths), threads, [&](Index i) {
    const auto at = static_cast<std::size_t>(i);
    hashes[at] = sha256_file(paths[at]);
  });
  return hashes;
}

BackgroundHash::BackgroundHash(const Array& array)
    : hash_(in_background([array, stop = stop_.get_token()] { return array.file_hash(stop); })) {}

}  // namespace atcav::data
