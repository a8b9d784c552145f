#pragma once

#include <cstddef>
#include <future>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

struct evp_md_ctx_st;  // libcrypto's EVP_MD_CTX

// SHA-256 (FIPS 180-4, by libcrypto): what results.json says about its inputs, and what cache keys are made
// of.
//
//   Sha256 hash;
//   hash.update("abc");
//   hash.hex();        // "ba7816bf…", of everything so far; more may follow
namespace atcav::data {

class Array;

class Sha256 {
 public:
  Sha256();
  void update(std::span<const std::byte> bytes);
  void update(std::string_view text);
  std::string hex() const;  // 64 lower-case digits

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> state_;
};

std::string sha256(std::string_view text);
// Of numbers as they lie in memory.
std::string sha256(std::span<const float> values);
std::string sha256(std::span<const double> values);

// Of a file's content, in little memory whatever its size. Errors as open_file: an empty file is one.
std::string sha256_file(const std::string& path);

// Of many files, one after the other on up to `threads` threads (0: all available).
std::vector<std::string> sha256_files(const std::vector<std::string>& paths, int threads = 0);

// Of an array's file (Array::file_hash) in the background, while its rows are in use. Destruction cancels it,
// so that an interrupted program ends at once.
//   BackgroundHash hash(array);
class BackgroundHash {
 public:
  explicit BackgroundHash(const Array& array);
  ~BackgroundHash() { stop_.request_stop(); }
  BackgroundHash(BackgroundHash&&) = default;
  // Waits; throws what file_hash would. Once.
  std::string get() { return hash_.get(); }

 private:
  std::stop_source stop_;
  std::future<std::string> hash_;  // the last member: destroyed, and waited for, first
};

}  // namespace atcav::data
