#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "atcav/matrix.h"

// Matrices that were expensive to compute, kept in a folder under a key made of everything they depend on.
//
//   Cache cache("cache", 10);
//   const std::string key = sha256("model …\nlayer …\ninputs …");
//   if (auto rows = cache.find(key, 64, 512)) return *rows;
//   cache.store(key, compute());
//
// The key is content, never a name: when an input changes so does the key, and no stale matrix can load.
// Each entry, KEY.atcav, is a safetensors file that holds its own key and a checksum of its values. An entry
// that is damaged, of another key or of another shape counts as absent, and the next store replaces it. Files
// appear whole or not at all, so several programs may share a folder; only such entries are ever removed.
// Files of this user are trusted, no others: an entry that is a link, a pipe or another user's counts as
// damaged, and a store replaces a link instead of following it. A cache only saves time: an entry that
// cannot be written (a full disk, a read-only folder) is not kept, but counted.
namespace atcav::data {

class Cache {
 public:
  // Creates the folder if need be, else std::runtime_error. Beyond `gigabytes` (10^9 bytes) the entries
  // unused for longest are removed.
  Cache(std::string folder, double gigabytes);

  // Safe from several threads. Keys are SHA-256 as 64 hexadecimal digits, else std::invalid_argument.
  std::optional<MatrixF> find(const std::string& key, Index rows, Index columns);
  void store(const std::string& key, const MatrixF& rows);
  // Short texts, such as what is known of a model, in KEY.atcav.txt; they do not count towards the limit.
  std::optional<std::string> find_text(const std::string& key);
  void store_text(const std::string& key, const std::string& text);

  Index hits() const { return hits_; }
  Index misses() const { return misses_; }
  Index damaged() const { return damaged_; }  // or not this user's
  Index not_kept() const { return not_kept_; }
  // Why the first of those could not be written.
  std::string why_not_kept() const;

 private:
  std::string path_of(const std::string& key, const char* extension) const;
  void make_room();
  void note_not_kept(const char* why);

  std::string folder_;
  std::uint64_t most_bytes_;
  mutable std::mutex mutex_;
  std::uint64_t bytes_ = 0;  // about: other programs may write here too
  std::atomic<Index> hits_{0};
  std::atomic<Index> misses_{0};
  std::atomic<Index> damaged_{0};
  std::atomic<Index> not_kept_{0};
  std::string why_not_kept_;
};

}  // namespace atcav::data
