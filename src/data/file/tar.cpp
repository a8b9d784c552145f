#include "data/file/tar.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>

#include "data/file/fail.h"

namespace atcav::data {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kMostText = std::size_t{1} << 20;  // of a long name or PAX records

// One header, by its fields' places.
class Header {
 public:
  explicit Header(std::string block) : block_(std::move(block)) {}

  bool is_end() const { return block_.find_first_not_of('\0') == std::string::npos; }
  char type() const { return block_[156]; }

  std::string name() const {
    const std::string name = text(0, 100);
    const std::string prefix = text(345, 155);
    // GNU's own format has other things in the place of the prefix.
    return field(257, 6) == std::string_view("ustar\0", 6) && !prefix.empty() ? prefix + "/" + name : name;
  }

  std::optional<std::size_t> size() const { return number(124, 12); }

  bool checksum_fits() const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < kBlock; ++i)
      sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(block_[i]);
    return number(148, 8) == sum;
  }

 private:
  std::string_view field(std::size_t first, std::size_t size) const {
    return std::string_view(block_).substr(first, size);
  }
  std::string text(std::size_t first, std::size_t size) const {
    const std::string_view all = field(first, size);
    return std::string(all.substr(0, std::min(all.find('\0'), size)));
  }
  // Octal digits, or (a high bit first) binary.
  std::optional<std::size_t> number(std::size_t first, std::size_t size) const {
    std::string_view digits = field(first, size);
    std::size_t value = 0;
    if ((static_cast<unsigned char>(digits.front()) & 0x80) != 0) {
      if (static_cast<unsigned char>(digits.front()) != 0x80)
        return std::nullopt;  // negative, or far too large
      for (const char digit : digits.substr(1)) {
        if (value >> 55 != 0) return std::nullopt;
        value = value << 8 | static_cast<unsigned char>(digit);
      }
      return value;
    }
    while (!digits.empty() && digits.front() == ' ') digits.remove_prefix(1);
    while (!digits.empty() && (digits.back() == ' ' || digits.back() == '\0')) digits.remove_suffix(1);
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
    if (digits.empty() || error != std::errc() || stop != digits.data() + digits.size()) return std::nullopt;
    return value;
  }

  std::string block_;
};

// What records of an extended header say of the next member.
struct Extended {
  std::optional<std::string> name;
  std::optional<std::size_t> size;
};

void refuse_compressed(const Reader& archive) {
  const std::string start = archive.read(0, 6);
  const auto starts = [&start](std::string_view with) { return start.starts_with(with); };
  if (starts("\x1f\x8b") || starts("BZh") ||
      starts("\xFD"
             "7zXZ") ||
      starts("\x28\xB5\x2F\xFD"))
    fail_file("list_tar", archive.name(),
              "is compressed, must be a plain tar archive: images are not made smaller by it");
}

// "24 path=a/long/name\n", one after the other.
void read_records(const Reader& archive, std::string_view records, Extended& found) {
  while (!records.empty() && records.front() != '\0') {
    std::size_t length = 0;
    const auto [stop, error] = std::from_chars(records.data(), records.data() + records.size(), length);
    const auto digits = static_cast<std::size_t>(stop - records.data());
    const bool whole = error == std::errc() && length > digits + 2 && length <= records.size() &&
                       records[digits] == ' ' && records[length - 1] == '\n';
    const std::string_view record = whole ? records.substr(digits + 1, length - digits - 2) : "";
    const std::size_t equals = record.find('=');
    if (equals == std::string_view::npos) fail_file("list_tar", archive.name(), "has a damaged PAX header");
    const std::string_view key = record.substr(0, equals);
    const std::string_view value = record.substr(equals + 1);
    if (key.starts_with("GNU.sparse."))
      fail_file("list_tar", archive.name(), "has sparse files, which are not supported");
    if (key == "path") found.name = std::string(value);
    if (key == "size") {
      const auto [end, bad] =
          std::from_chars(value.data(), value.data() + value.size(), found.size.emplace());
      if (bad != std::errc() || end != value.data() + value.size())
        fail_file("list_tar", archive.name(), "has a damaged PAX header");
    }
    records.remove_prefix(length);
  }
}

std::string read_text(const Reader& archive, std::size_t offset, std::size_t size) {
  if (size > kMostText) fail_file("list_tar", archive.name(), "has a name or PAX header of {} bytes", size);
  return archive.read(offset, size);
}

bool is_file(char type) { return type == '0' || type == '\0' || type == '7'; }

// Of the bytes behind a header, which ends at `offset`.
std::size_t size_of(const Reader& archive, const Header& header, const Extended& own, std::size_t offset) {
  std::optional<std::size_t> size = header.size();
  if (is_file(header.type()) && own.size) size = own.size;
  if (!size) fail_file("list_tar", archive.name(), "has a damaged size at byte {}", offset - kBlock);
  // Links may state a size and have no bytes.
  if (header.type() >= '1' && header.type() <= '6') return 0;
  const std::size_t left = archive.size() - offset;
  if (*size > left) {
    fail_file("list_tar", archive.name(), "is cut short: {} has {} bytes of {}",
              quote(own.name.value_or(header.name())), left, *size);
  }
  return *size;
}

}  // namespace

TarListing list_tar(const ReaderPtr& archive) {
  const std::size_t end = archive->size();
  refuse_compressed(*archive);
  TarListing found;
  Extended own;
  std::size_t offset = 0;
  while (offset < end) {
    if (end - offset < kBlock) fail_file("list_tar", archive->name(), "is cut short at byte {}", offset);
    const Header header(archive->read(offset, kBlock));
    if (header.is_end()) break;
    if (!header.checksum_fits())
      fail_file("list_tar", archive->name(), "is not a tar archive, or is damaged: no header at byte {}",
                offset);
    offset += kBlock;
    const char type = header.type();
    const std::size_t size = size_of(*archive, header, own, offset);
    if (type == 'x') {
      read_records(*archive, read_text(*archive, offset, size), own);
    } else if (type == 'L') {
      const std::string name = read_text(*archive, offset, size);
      own.name = name.substr(0, std::min(name.find('\0'), name.size()));
    } else if (is_file(type)) {
      found.files.push_back({own.name.value_or(header.name()), offset, size});
      own = {};
    } else if (type == 'S' || type == 'M' || type == 'V') {
      fail_file("list_tar", archive->name(),
                "has sparse files or parts on other volumes, which are not supported");
    } else if (type != 'g' && type != 'K') {
      found.links += type != '5' ? 1 : 0;
      own = {};
    }
    offset += std::min((size + kBlock - 1) / kBlock * kBlock, end - offset);
  }
  return found;
}

std::string read_file_or_member(const std::string& path) {
  for (std::size_t at = path.find(".tar/"); at != std::string::npos; at = path.find(".tar/", at + 1)) {
    const std::string archive = path.substr(0, at + 4);
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(archive, ignored)) continue;
    const ReaderPtr reader = open_file(archive);
    const TarListing listing = list_tar(reader);
    const auto found = std::ranges::find(listing.files, path.substr(at + 5), &TarMember::name);
    if (found == listing.files.end()) fail_file("read_file", path, "is not in the archive (any more)");
    return reader->read(found->offset, found->size);
  }
  return read_file(path);
}

}  // namespace atcav::data
