#include "pipeline/share_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "core/check.h"
#include "data/file/atomic_file.h"
#include "data/file/fail.h"
#include "data/file/reader.h"
#include "data/file/sha256.h"

namespace atcav {
namespace {

constexpr const char* kMark = "share 1";
constexpr const char* kChecksum = "~sha256";
constexpr std::size_t kDigits = 64;

// What parts must agree in, the plainest reason first, and what a message calls it.
constexpr std::array<std::pair<const char*, const char*>, 6> kCommon = {{{"parts", "the number of parts"},
                                                                         {"build", "the program"},
                                                                         {"setup", "the configuration"},
                                                                         {"model", "the network"},
                                                                         {"layers", "the layers"},
                                                                         {"sets", "the examples"}}};

std::string checksum_of(const data::Reader& file) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  data::Sha256 hash;
  std::vector<std::byte> piece(kPiece);
  const std::size_t end = file.size() - kDigits;
  for (std::size_t at = 0; at < end; at += kPiece) {
    const auto part = std::span(piece).first(std::min(kPiece, end - at));
    file.read(at, part);
    hash.update(part);
  }
  return hash.hex();
}

const std::string& fact(const ShareFacts& facts, const char* name) {
  static const std::string none;
  const auto found = facts.find(name);
  return found == facts.end() ? none : found->second;
}

// The first line that two texts do not share, of both.
std::pair<std::string, std::string> first_difference(const std::string& a, const std::string& b) {
  std::istringstream lines_a(a), lines_b(b);
  std::string line_a, line_b;
  while (true) {
    const bool more_a = static_cast<bool>(std::getline(lines_a, line_a));
    const bool more_b = static_cast<bool>(std::getline(lines_b, line_b));
    if (!more_a) line_a.clear();
    if (!more_b) line_b.clear();
    if (line_a != line_b || (!more_a && !more_b)) return {line_a, line_b};
  }
}

std::string shown_line(const std::string& line) { return line.empty() ? "nothing" : data::quote(line); }

}  // namespace

void ShareContent::keep(const std::string& name, Matrix values) {
  owned_.emplace_back(std::move(values));
  tensors_.emplace(name, std::get<Matrix>(owned_.back()));
}

void ShareContent::keep(const std::string& name, MatrixF values) {
  owned_.emplace_back(std::move(values));
  tensors_.emplace(name, std::get<MatrixF>(owned_.back()));
}

void ShareContent::keep(const std::string& name, std::vector<std::int64_t> values) {
  owned_.emplace_back(std::move(values));
  const auto& kept = std::get<std::vector<std::int64_t>>(owned_.back());
  tensors_.emplace(name, data::TensorView(kept, {std::ssize(kept)}));
}

void ShareContent::keep(const std::string& name, std::string text) {
  owned_.emplace_back(std::move(text));
  const auto& kept = std::get<std::string>(owned_.back());
  tensors_.emplace(name,
                   data::TensorView(data::Dtype::kU8, std::as_bytes(std::span(kept)), {std::ssize(kept)}));
}

void ShareContent::keep_view(const std::string& name, const data::TensorView& values) {
  tensors_.emplace(name, values);
}

Index ShareContent::write(const std::string& path, const ShareFacts& facts) const {
  std::map<std::string, data::TensorView> tensors = tensors_;
  std::string checksum(kDigits, '0');
  const auto last = std::as_bytes(std::span(checksum));
  tensors.emplace(kChecksum, data::TensorView(data::Dtype::kU8, last, {static_cast<Index>(kDigits)}));
  ShareFacts metadata = facts;
  metadata["atcav"] = kMark;
  data::AtomicFile file(path);
  data::Sha256 hash;
  Index bytes = 0;
  data::stream_safetensors(tensors, metadata, [&](std::span<const std::byte> piece) {
    if (piece.data() == last.data())  // of all before it, into what is written next
      std::ranges::copy(hash.hex(), checksum.begin());
    hash.update(piece);
    file.write(piece);
    bytes += std::ssize(piece);
  });
  file.commit();
  return bytes;
}

ShareFile open_share(const std::string& path) {
  const data::ReaderPtr reader = data::open_file(path);
  ShareFile share{path, {}, {}, {}};
  try {
    share.content = data::read_safetensors(reader);
  } catch (const std::runtime_error& error) {
    data::fail_file("merge", path, "is not a share, or is damaged: {}", error.what());
  }
  share.facts = share.content.metadata;
  const auto is_missing = [&](const auto& common) { return !share.facts.contains(common.first); };
  if (fact(share.facts, "atcav") != kMark || !share.has(kChecksum) ||
      std::ranges::any_of(kCommon, is_missing) || !share.facts.contains("stage"))
    data::fail_file("merge", path, "was not written by `atcav share` of this version");
  share.checksum = checksum_of(*reader);
  if (reader->size() < kDigits || reader->read(reader->size() - kDigits, kDigits) != share.checksum)
    data::fail_file("merge", path, "is damaged: its content does not have its checksum; compute it again");
  return share;
}

const data::Array& ShareFile::array(const std::string& name, Index rows, Index columns) const {
  const data::Array& found = content.tensor(name);
  if (found.shape() != data::Shape{rows, columns})
    data::fail_file("merge", path, "{} does not have {} × {} numbers", name, rows, columns);
  return found;
}

Matrix ShareFile::doubles(const std::string& name, Index rows, Index columns) const {
  return array(name, rows, columns).read_double();
}

MatrixF ShareFile::floats(const std::string& name, Index rows, Index columns) const {
  return array(name, rows, columns).read_float();
}

std::vector<std::int64_t> ShareFile::integers(const std::string& name) const {
  return content.tensor(name).read_int64();
}

std::string ShareFile::text(const std::string& name) const {
  const std::vector<std::int64_t> letters = integers(name);
  return {letters.begin(), letters.end()};
}

std::string difference(const ShareFacts& file, const ShareFacts& other, const std::string& other_name) {
  for (const auto& [name, words] : kCommon) {
    if (fact(file, name) == fact(other, name)) continue;
    const auto [here, there] = first_difference(fact(file, name), fact(other, name));
    return fmt::format("{} differs: {} here, {} in {}", words, shown_line(here), shown_line(there),
                       other_name);
  }
  return {};
}

}  // namespace atcav
