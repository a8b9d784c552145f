#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Bytes to parse, from a file or from memory. Parsers take a reader, not a path, so that corrupt
// input can be tested without a disk.
//
//   ReaderPtr reader = open_file("activations.npy");
//   Array array = read_npy(reader);          // shares the reader: it may be dropped here
//
// Opening a file reads nothing: any part may be read in any order and from any number of threads, and files
// may be larger than memory. The file stays open, so one that is renamed or removed meanwhile can still be
// read; one that others shorten is an error of the read that misses bytes.
namespace atcav::data {

class Reader {
 public:
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader();

  // For messages: the path, or the name given to read_memory.
  const std::string& name() const { return name_; }
  std::size_t size() const { return size_; }
  // Whether the bytes are in memory, where no other process changes them.
  bool in_memory() const { return file_ < 0; }

  // The bytes from `offset` on. std::runtime_error if they are missing (no longer there) or unreadable.
  void read(std::size_t offset, std::span<std::byte> out) const;
  // At most `count`, fewer at the end.
  std::string read(std::size_t offset, std::size_t count) const;
  std::string read_all() const { return read(0, size_); }

 private:
  friend std::shared_ptr<const Reader> open_file(const std::string& path);
  friend std::shared_ptr<const Reader> open_own_file(const std::string& path);
  friend std::shared_ptr<const Reader> read_memory(std::string bytes, std::string name);
  Reader(std::string name, std::string memory);
  void open(int flags);

  std::string name_;
  std::string memory_;
  std::size_t size_;
  int file_ = -1;
};

using ReaderPtr = std::shared_ptr<const Reader>;

// Throws std::runtime_error naming the path when it is missing, unreadable, a folder, not a regular
// file, or empty.
ReaderPtr open_file(const std::string& path);

// The same for a file that must be the user's own: symbolic links and files of others are refused. For
// folders that others may write to.
ReaderPtr open_own_file(const std::string& path);

// A whole file, consistent unless it is written to meanwhile. Errors as open_file.
std::string read_file(const std::string& path);

// The lines of a text file, without their ends ("\n" or "\r\n").
std::vector<std::string> read_lines(const std::string& path);

// The reader owns `bytes`.
ReaderPtr read_memory(std::string bytes, std::string name = "memory");

}  // namespace atcav::data
