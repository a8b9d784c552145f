#include "data/file/atomic_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <deque>
#include <filesystem>
#include <memory>
#include <shared_mutex>
#include <utility>

#include "data/file/fail.h"

namespace atcav::data {
namespace {

namespace fs = std::filesystem;

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::shared_mutex& commits() {  // shared by those that give names
  static std::shared_mutex mutex;
  return mutex;
}
std::atomic<int> committed_sets = 0;

std::string host() {
  std::array<char, 33> name{};  // what is longer is cut; names end at 255 bytes
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

// What stands between the target's name and a process and a number.
std::string temporary_mark() { return fmt::format(".tmp-{}-", host()); }

// A hidden name beside the target that no other thread or process uses.
std::string temporary_name(const std::string& target) {
  static std::atomic<unsigned> counter = 0;
  constexpr std::size_t kLongest = 180;
  return fmt::format(".{}{}{}-{}", target.substr(0, kLongest), temporary_mark(), ::getpid(), counter++);
}

// In a folder that everybody may write to, a link or a pipe may be a trap that somebody else has set: the
// kernel's rule (protected_symlinks), for links that are followed here and not by it.
void check_no_trap(const std::string& path, const fs::path& place) {
  struct stat own {};
  struct stat folder {};
  if (::lstat(place.c_str(), &own) != 0 || ::stat(folder_of(place.string()).c_str(), &folder) != 0) return;
  constexpr mode_t kShared = S_ISVTX | S_IWOTH;
  if ((folder.st_mode & kShared) == kShared && own.st_uid != ::geteuid() && own.st_uid != folder.st_uid)
    fail_file("AtomicFile", path, "belongs to another user, in a folder that all may write to");
}

// Where a symbolic link leads, whether or not something is there.
std::string behind_links(const std::string& path) {
  constexpr int kMost = 40;  // as the system has it
  fs::path place = path;
  std::error_code none;
  for (int i = 0; fs::is_symlink(place, none); ++i) {
    if (i == kMost) fail_system("AtomicFile", path, "cannot create", ELOOP);
    check_no_trap(path, place);
    place = place.parent_path() / fs::read_symlink(place);
  }
  return place.string();
}

// Folders that were not there, removed again unless kept.
class NewFolders {
 public:
  NewFolders() = default;
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;
  ~NewFolders() {
    for (const std::string& folder : made_) ::rmdir(folder.c_str());
  }

  void make(const std::string& folder) {
    if (::access(folder.c_str(), F_OK) == 0) return;
    if (const std::string parent = folder_of(folder); parent != folder) make(parent);
    made_.push_front(folder);
    if (::mkdir(folder.c_str(), 0777) == 0) return;
    const int error = errno;
    made_.pop_front();
    if (error != EEXIST) fail_system("AtomicFile", folder, "cannot create", error);
  }
  void keep() { made_.clear(); }

 private:
  std::deque<std::string> made_;  // the innermost first
};

std::string own_descriptor(int file) { return fmt::format("/proc/self/fd/{}", file); }

}  // namespace

AtomicFile::AtomicFile(std::string path, Links links) : AtomicFile() {
  path_ = std::move(path);
  if (path_.empty() || path_.back() == '/') fail_file("AtomicFile", path_, "must name a file, not a folder");
  struct stat status {};
  const bool follow = links == Links::kFollow;
  const bool exists = (follow ? ::stat : ::lstat)(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail_file("AtomicFile", path_, "is a folder, must be a file");
  direct_ = follow && exists && !S_ISREG(status.st_mode);
  if (direct_) {
    check_no_trap(path_, path_);
    file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    const std::string target = follow ? behind_links(path_) : path_;
    name_ = fs::path(target).filename().string();
    folder_ = ::open(folder_of(target).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder_ >= 0) open_temporary();
  }
  if (file_ < 0) fail("cannot create");
  // Permissions are worth keeping, not worth failing for.
  if (exists && S_ISREG(status.st_mode) && ::fchmod(file_, status.st_mode & 07777) != 0) errno = 0;
}

AtomicFile::~AtomicFile() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlinkat(folder_, temporary_.c_str(), 0);
  if (folder_ >= 0) ::close(folder_);
}

void AtomicFile::open_temporary() {
  constexpr mode_t kMode = 0666;  // less the umask
  file_ = ::openat(folder_, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode);
  if (file_ >= 0 && ::access(own_descriptor(file_).c_str(), F_OK) == 0) return;
  if (file_ >= 0) ::close(file_);
  remove_left_behind(own_descriptor(folder_));
  do {
    temporary_ = temporary_name(name_);
    file_ =
        ::openat(folder_, temporary_.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, kMode);
  } while (file_ < 0 && errno == EEXIST);
  if (file_ < 0) temporary_.clear();
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::write(std::string_view text) { write(std::as_bytes(std::span(text))); }

void AtomicFile::flush() {
  if (!direct_ && ::fsync(file_) != 0) fail("cannot write");
}

void AtomicFile::commit() {
  flush();
  const std::shared_lock lock(commits());
  commit_flushed();
}

void AtomicFile::commit_flushed() {
  if (!direct_) give_name();
  if (::close(std::exchange(file_, -1)) != 0) fail("cannot write");
}

void AtomicFile::give_name() {
  if (temporary_.empty()) {
    const std::string source = own_descriptor(file_);
    const auto link_to = [&](const std::string& name) {
      return ::linkat(AT_FDCWD, source.c_str(), folder_, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (link_to(name_)) return;
    // A link cannot replace a file, a rename can.
    std::string name;
    do {
      if (errno != EEXIST) fail("cannot create");
      name = temporary_name(name_);
    } while (!link_to(name));
    temporary_ = std::move(name);
    remove_left_behind(own_descriptor(folder_));
  }
  if (::renameat(folder_, temporary_.c_str(), folder_, name_.c_str()) != 0) fail("cannot replace");
  temporary_.clear();
}

void AtomicFile::fail(std::string_view message) const { fail_system("AtomicFile", path_, message, errno); }

// Not by std::filesystem, which throws: what cannot be listed is left to the next run.
void remove_left_behind(const std::string& folder) {
  const std::string mark = temporary_mark();
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), &::closedir);
  if (!open) return;
  while (const dirent* entry = ::readdir(open.get())) {
    const std::string_view name = entry->d_name;
    const std::size_t found = name.rfind(mark);
    if (!name.starts_with('.') || found == std::string_view::npos) continue;
    pid_t process = 0;
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + found + mark.size(), end, process);
    if (error != std::errc() || stop == end || *stop != '-' || process <= 0) continue;
    if (!std::all_of(stop + 1, end, [](char digit) { return digit >= '0' && digit <= '9'; })) continue;
    if (::kill(process, 0) != 0 && errno == ESRCH) ::unlinkat(::dirfd(open.get()), entry->d_name, 0);
  }
}

void write_file_atomically(const std::string& path, std::string_view content, Links links) {
  AtomicFile file(path, links);
  file.write(content);
  file.commit();
}

void write_files_atomically(const std::vector<std::pair<std::string, std::string>>& files) {
  std::vector<FileContent> contents;
  contents.reserve(files.size());
  for (const auto& [path, content] : files)
    contents.push_back({path, [&text = content](const TextSink& sink) { sink(text); }});
  write_files_atomically(contents);
}

void write_files_atomically(const std::vector<FileContent>& files) {
  NewFolders folders;
  std::deque<AtomicFile> open;
  for (const auto& [path, content] : files) {
    folders.make(folder_of(path));
    AtomicFile& file = open.emplace_back(path);
    content([&file](std::string_view text) { file.write(text); });
    file.flush();
  }
  const std::shared_lock lock(commits());
  for (AtomicFile& file : open) file.commit_flushed();
  folders.keep();
  ++committed_sets;
}

int end_commits() {
  commits().lock();
  return committed_sets;
}

void check_writable(const std::string& path) {
  // Opening a pipe would show its reader a writer that goes away.
  std::error_code missing;
  if (!fs::is_other(path, missing)) {
    const AtomicFile probe(path);
  } else if (::access(path.c_str(), W_OK) != 0) {
    fail_system("AtomicFile", path, "cannot write", errno);
  }
}

}  // namespace atcav::data
