#include "atcav/io/cache.h"

#include <fmt/format.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "atcav/io/atomic_file.h"
#include "atcav/io/fail.h"
#include "atcav/io/safetensors.h"
#include "atcav/io/write_safetensors.h"

namespace atcav::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExtension = ".safetensors";

struct Entry {
  fs::path path;
  fs::file_time_type used;
  std::uint64_t bytes;
};

std::vector<Entry> entries_of(const std::string& folder) {
  std::vector<Entry> entries;
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(folder, error)) {
    std::error_code gone;  // another program may remove it while we look
    const auto bytes = file.file_size(gone);
    const auto used = file.last_write_time(gone);
    if (!gone && file.path().extension() == kExtension) entries.push_back({file.path(), used, bytes});
  }
  return entries;
}

std::string checksum(std::span<const std::byte> bytes) {
  return fmt::format("{:016x}", XXH3_64bits(bytes.data(), bytes.size()));
}

std::string checksum_of(const MatrixF& rows) {
  return checksum(std::as_bytes(std::span(rows.data(), static_cast<std::size_t>(rows.size()))));
}

}  // namespace

Cache::Cache(std::string folder, std::uint64_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) fail_file("Cache", folder_, error.message());
  if (access(folder_.c_str(), W_OK) != 0) fail_file("Cache", folder_, "cannot be written");
  for (const Entry& entry : entries_of(folder_)) bytes_ += entry.bytes;
}

std::string Cache::path_of(const std::string& key) const {
  return fmt::format("{}/{}{}", folder_, key, kExtension);
}

std::optional<MatrixF> Cache::find(const std::string& key) {
  const std::string path = path_of(key);
  if (!fs::exists(path)) {
    ++misses_;
    return std::nullopt;
  }
  try {
    const Safetensors file = read_safetensors(open_file(path));
    MatrixF rows = file.tensor("rows").read_float();
    const auto expected = file.metadata.find("checksum");
    if (expected != file.metadata.end() && expected->second == checksum_of(rows)) {
      std::error_code ignored;
      fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
      ++hits_;
      return rows;
    }
  } catch (const std::exception&) {
    // Damaged: below.
  }
  // Not there any more: another program needed room.
  if (fs::exists(path)) ++damaged_;
  ++misses_;
  return std::nullopt;
}

void Cache::store(const std::string& key, const MatrixF& rows) {
  const std::string path = path_of(key);
  try {
    write_safetensors(path, {{"rows", rows}}, {{"checksum", checksum_of(rows)}});
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
  const std::string path = fmt::format("{}/{}.txt", folder_, key);
  if (!fs::exists(path)) return std::nullopt;
  try {
    const auto file = open_file(path);
    const std::string_view all = file->text();
    const std::size_t end = std::min(all.find('\n'), all.size());
    std::string text(all.substr(std::min(end + 1, all.size())));
    if (all.substr(0, end) == checksum(std::as_bytes(std::span(text)))) return text;
  } catch (const std::exception&) {
    // Damaged: below.
  }
  ++damaged_;
  return std::nullopt;
}

void Cache::store_text(const std::string& key, const std::string& text) {
  try {
    write_file_atomically(fmt::format("{}/{}.txt", folder_, key),
                          checksum(std::as_bytes(std::span(text))) + "\n" + text);
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
  std::vector<Entry> entries = entries_of(folder_);
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  bytes_ = 0;
  for (const Entry& entry : entries) bytes_ += entry.bytes;
  // A tenth more than needed, so that a full cache is not listed at every store.
  for (const Entry& entry : entries) {
    if (bytes_ <= most_bytes_ - most_bytes_ / 10) break;
    std::error_code ignored;
    if (fs::remove(entry.path, ignored)) bytes_ -= entry.bytes;
  }
}

}  // namespace atcav::io
