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
// A file is mapped, not read: opening costs nothing, any part may be used in any order and from any
// number of threads, and files may be larger than memory. A file that others shorten while it is
// mapped ends the program (SIGBUS), as with every mapped file; explain_lost_pages says which it was.
namespace atcav::io {

class Reader {
 public:
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader();

  // What messages call it: the path, or the name given to read_memory.
  const std::string& name() const { return name_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }

  // Says that these bytes are not needed now. Their pages leave the process's resident memory and
  // come back by themselves if they are read again; a pass over a huge file that releases what it
  // has used stays small. Safe while other threads read. Does nothing for memory.
  void release(std::size_t offset, std::size_t length) const;

 private:
  friend std::shared_ptr<const Reader> open_file(const std::string& path);
  friend std::shared_ptr<const Reader> read_memory(std::string bytes, std::string name);
  Reader(std::string name, std::string memory);
  void map(int file);

  std::string name_;
  std::string memory_;
  std::span<const std::byte> bytes_;
  void* mapped_ = nullptr;
};

using ReaderPtr = std::shared_ptr<const Reader>;

// Throws std::runtime_error naming the path when it is missing, unreadable, a folder, not a regular
// file, or empty.
ReaderPtr open_file(const std::string& path);

// The lines of a text file, without their ends ("\n" or "\r\n").
std::vector<std::string> read_lines(const std::string& path);

// From now on SIGBUS in a mapped file writes "atcav: [open_file] FILE: was shortened …" to standard error and
// ends the program at once with this exit code. For programs; a library leaves signals alone.
void explain_lost_pages(int exit_code);

// The reader owns `bytes`.
ReaderPtr read_memory(std::string bytes, std::string name = "memory");

}  // namespace atcav::io
