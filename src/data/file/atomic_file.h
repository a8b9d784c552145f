#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Files that are there completely or not at all.
//
//   AtomicFile file("out/results.json");
//   file.write("{…}");
//   file.commit();                       // now, and not before, it replaces the old one
//
// The content is written to a nameless file in the same folder (O_TMPFILE), flushed to the disk and
// then given its name, so that not even SIGKILL or a full disk leaves half a file or rubbish behind.
// Where the file system has no nameless files, a hidden ".name.tmp-…" stands in, removed unless
// committed; one that a killed program left is removed by the next that writes to the folder. The folder is
// opened once, and everything happens inside it. A symbolic link is followed, permissions of a replaced file
// are kept, and a target that is not a regular file (/dev/stdout, a pipe) is written directly; a link or pipe
// of another user in a folder that all may write to is refused. With Links::kReplace whatever has the name is
// replaced. All failures are std::runtime_error with the path and the system's reason.
namespace atcav::data {

enum class Links { kFollow, kReplace };

struct FileContent;

class AtomicFile {
 public:
  explicit AtomicFile(std::string path, Links links = Links::kFollow);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();  // forgets everything unless committed

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  void flush();   // to the disk, where a full one shows, still without a name
  void commit();  // once, after the last write; flushes too

 private:
  AtomicFile() = default;
  friend void write_files_atomically(const std::vector<FileContent>& files);
  [[noreturn]] void fail(std::string_view message) const;
  void open_temporary();
  void commit_flushed();
  void give_name();

  std::string path_;       // as the user wrote it, for messages
  std::string name_;       // in its folder, which may be elsewhere: links are followed
  std::string temporary_;  // its name there while it has one
  int folder_ = -1;
  int file_ = -1;
  bool direct_ = false;
};

void write_file_atomically(const std::string& path, std::string_view content, Links links = Links::kFollow);
// Pairs of path and content: all are on the disk before the first gets its name, so a disk too full for one
// leaves none. Folders that are not there are made, and gone again if it fails.
void write_files_atomically(const std::vector<std::pair<std::string, std::string>>& files);

// The same for files that are too large to be held as a text: each is written in pieces, one file after
// another, so that what comes later may depend on what was written before.
using TextSink = std::function<void(std::string_view)>;
struct FileContent {
  std::string path;
  std::function<void(const TextSink&)> write;
};
void write_files_atomically(const std::vector<FileContent>& files);

// Removes the hidden names that programs on this machine have left in a folder when they were killed; those
// of programs that still run stay, and so does every other file.
void remove_left_behind(const std::string& folder);

// For a program that ends without waiting for its threads: when this returns, no file is half way to its name
// and none gets one any more. Returns how many times write_files_atomically has put its files in place.
int end_commits();

// Fails as writing the file would, as far as that can be known without its content; leaves no trace. To be
// asked before long work whose result goes there.
void check_writable(const std::string& path);

}  // namespace atcav::data
