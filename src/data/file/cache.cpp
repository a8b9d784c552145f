#include "data/file/cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <vector>

#include "core/check.h"
#include "data/array/safetensors.h"
#include "data/file/atomic_file.h"
#include "data/file/fail.h"

namespace atcav::data {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRows = ".atcav";
constexpr const char* kText = ".atcav.txt";

struct CacheEntry {
  fs::path path;
  std::pair<std::int64_t, std::int64_t> used;  // seconds, nanoseconds
  std::uint64_t bytes;
};

bool is_key(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::vector<CacheEntry> entries_of(const std::string& folder) {
  std::vector<CacheEntry> entries;
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(folder, error)) {
    struct stat found {};  // another program may remove it while we look
    if (file.path().extension() != kRows || !is_key(file.path().stem().string())) continue;
    if (::lstat(file.path().c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
    if (found.st_uid != ::geteuid()) continue;
    entries.push_back({file.path(),
                       {found.st_mtim.tv_sec, found.st_mtim.tv_nsec},
                       static_cast<std::uint64_t>(found.st_size)});
  }
  return entries;
}

// Against what disks and memory do to files, at the speed of memory; not against people.
std::string checksum(const void* bytes, std::size_t count) {
  return fmt::format("{:016x}", XXH3_64bits(bytes, count));
}

std::string checksum(const MatrixF& rows) {
  return checksum(rows.data(), static_cast<std::size_t>(rows.size()) * sizeof(float));
}

// A text with its key before it, and a checksum of both before that.
std::string keyed(const std::string& key, const std::string& text) {
  const std::string both = key + "\n" + text;
  return checksum(both.data(), both.size()) + "\n" + both;
}

}  // namespace

Cache::Cache(std::string folder, double gigabytes) : folder_(std::move(folder)) {
  check_non_negative("Cache", "gigabytes", gigabytes);
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  most_bytes_ =
      gigabytes * 1e9 < static_cast<double>(kMost) ? static_cast<std::uint64_t>(gigabytes * 1e9) : kMost;
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) fail_file("Cache", folder_, error.message());
  for (const CacheEntry& entry : entries_of(folder_)) bytes_ += entry.bytes;
}

std::string Cache::path_of(const std::string& key, const char* extension) const {
  if (!is_key(key))
    fail_argument("Cache", fmt::format("key is {}, must be 64 hexadecimal digits", quote(key)));
  return fmt::format("{}/{}{}", folder_, key, extension);
}

std::optional<MatrixF> Cache::find(const std::string& key, Index rows, Index columns) {
  const std::string path = path_of(key, kRows);
  std::error_code error;
  if (fs::exists(path, error)) {
    try {
      const Safetensors file = read_safetensors(open_own_file(path));
      const Array& array = file.tensor("rows");
      if (file.metadata.at("key") == key && array.dtype() == Dtype::kF32 &&
          array.shape() == Shape{rows, columns}) {
        MatrixF values = array.read_float();
        if (file.metadata.at("checksum") == checksum(values)) {
          ::utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
          ++hits_;
          return values;
        }
      }
    } catch (const std::exception&) {
      // Damaged or not ours: below.
    }
    // Not there any more: another program needed room.
    if (fs::exists(path, error)) ++damaged_;
  }
  ++misses_;
  return std::nullopt;
}

void Cache::store(const std::string& key, const MatrixF& rows) {
  const std::string path = path_of(key, kRows);
  try {
    const std::string text = safetensors_text({{"rows", rows}}, {{"key", key}, {"checksum", checksum(rows)}});
    write_file_atomically(path, text, Links::kReplace);
  } catch (const std::runtime_error& error) {
    note_not_kept(error.what());
    return;
  }
  std::error_code gone;
  const std::uint64_t size = fs::file_size(path, gone);
  const std::lock_guard lock(mutex_);
  if (!gone) bytes_ += size;
  if (bytes_ > most_bytes_) make_room();
}

std::optional<std::string> Cache::find_text(const std::string& key) {
  const std::string path = path_of(key, kText);
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  try {
    const std::string all = open_own_file(path)->read_all();
    const std::size_t head = keyed(key, "").size();
    if (all.size() >= head && all == keyed(key, all.substr(head))) return all.substr(head);
  } catch (const std::exception&) {
    // Damaged or not ours: below.
  }
  ++damaged_;
  return std::nullopt;
}

void Cache::store_text(const std::string& key, const std::string& text) {
  const std::string path = path_of(key, kText);
  try {
    write_file_atomically(path, keyed(key, text), Links::kReplace);
  } catch (const std::runtime_error& error) {
    note_not_kept(error.what());
  }
}

void Cache::note_not_kept(const char* why) {
  const std::lock_guard lock(mutex_);
  if (not_kept_++ == 0) why_not_kept_ = why;
}

std::string Cache::why_not_kept() const {
  const std::lock_guard lock(mutex_);
  return why_not_kept_;
}

void Cache::make_room() {
  std::vector<CacheEntry> entries = entries_of(folder_);
  std::sort(entries.begin(), entries.end(),
            [](const CacheEntry& a, const CacheEntry& b) { return a.used < b.used; });
  bytes_ = 0;
  for (const CacheEntry& entry : entries) bytes_ += entry.bytes;
  // A tenth more than needed, so that a full cache is not listed at every store.
  for (const CacheEntry& entry : entries) {
    if (bytes_ <= most_bytes_ - most_bytes_ / 10) break;
    std::error_code ignored;
    if (fs::remove(entry.path, ignored)) bytes_ -= entry.bytes;
  }
}

}  // namespace atcav::data
