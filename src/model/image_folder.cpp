#include "model/image_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>

#include "atcav/examples.h"
#include "core/check.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "data/file/fail.h"
#include "data/file/reader.h"
#include "data/file/sha256.h"
#include "data/file/tar.h"
#include "data/image/preprocess.h"

namespace atcav::model {
namespace fs = std::filesystem;

namespace {

struct Listing {
  std::vector<std::string> files;
  Index folders = 0;
};

Listing list_folder(const std::string& folder, bool subfolders) {
  Listing found;
  std::vector<std::string> below;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::error_code unknown;  // a dangling link is not a folder
    if (entry.path().filename().string().starts_with('.')) continue;
    if (entry.is_directory(unknown)) {
      below.push_back(entry.path().string());
    } else {
      found.files.push_back(entry.path().string());
    }
  }
  found.folders = std::ssize(below);
  if (found.files.empty() && subfolders && !below.empty()) {
    found.folders = 0;
    for (const std::string& name : below) {
      const Listing inside = list_folder(name, false);
      found.files.insert(found.files.end(), inside.files.begin(), inside.files.end());
      found.folders += inside.folders;
    }
  }
  std::ranges::sort(found.files);
  if (found.files.empty()) data::fail_file("Inputs", folder, "has no files in it");
  return found;
}

// Archives made on a Mac have a ._NAME beside each file.
bool is_image_name(const std::string& name) {
  const fs::path path(name);
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  const bool known = extension == ".jpg" || extension == ".jpeg" || extension == ".png";
  return known && !path.filename().string().starts_with('.');
}

std::shared_ptr<std::uint8_t[]> borrow_buffer(std::size_t size) {
  auto* const bytes = static_cast<std::uint8_t*>(take_spare(size));
  return {bytes, [size](std::uint8_t* own) { give_spare(own, size); }};
}

}  // namespace

data::ImageFormat image_format(const InputInfo& input, const std::vector<Index>& example) {
  if (input.shape.size() != 4 || input.is_integer) {
    fail_argument("image_format", fmt::format("input '{}' does not take images", input.name));
  }
  std::vector<Index> shape(input.shape.begin() + 1, input.shape.end());
  if (example.size() == 3) shape = example;
  data::ImageFormat format;
  const auto is_colour = [](Index size) { return size == 1 || size == 3; };
  format.channels_last = !is_colour(shape[0]) && is_colour(shape[2]);
  if (format.channels_last) std::rotate(shape.begin(), shape.begin() + 2, shape.end());
  if (shape[0] > 0 && !is_colour(shape[0])) {
    fail_argument("image_format",
                  fmt::format("input '{}' has {} channels, images have 1 or 3", input.name, shape[0]));
  }
  format.channels = shape[0] > 0 ? shape[0] : 3;
  format.height = shape[1] > 0 ? shape[1] : 224;
  format.width = shape[2] > 0 ? shape[2] : 224;
  return format;
}

ImageFolder::ImageFolder(const std::string& folder, const data::ImageFormat& format,
                         const InputOptions& options)
    : folder_(folder), format_(format), options_(options), budget_(memory_budget(options.memory)) {
  Listing found = list_folder(folder, options.subfolders);
  left_out_.folders = found.folders;
  for (std::string& path : found.files) files_.push_back({std::move(path)});
  if (options.skip_bad) leave_out_bad();
}

ImageFolder::ImageFolder(const std::vector<std::string>& archives, const std::string& shown,
                         const data::ImageFormat& format, const InputOptions& options)
    : folder_(shown), format_(format), options_(options), budget_(memory_budget(options.memory)) {
  for (const std::string& archive : archives) add_members(archive);
  if (files_.empty()) data::fail_file("Inputs", shown, "has no .jpg, .jpeg or .png in it");
  if (options.skip_bad) leave_out_bad();
}

void ImageFolder::add_members(const std::string& archive) {
  const data::ReaderPtr reader = data::open_file(archive);
  const data::TarListing listing = data::list_tar(reader);
  left_out_.members += static_cast<Index>(listing.links);
  for (const data::TarMember& member : listing.files) {
    if (is_image_name(member.name))
      files_.push_back({archive + "/" + member.name, reader, member.offset, member.size});
    else
      ++left_out_.members;
  }
}

std::vector<std::string> ImageFolder::hashes(const std::vector<Index>& rows, int threads) const {
  std::vector<std::string> hashes(rows.size());
  parallel_for(std::ssize(rows), threads, [&](Index i) {
    const File& file = files_[static_cast<std::size_t>(rows[i])];
    hashes[i] = file.archive ? data::sha256(file.bytes()) : data::sha256_file(file.path);
  });
  return hashes;
}

ImageFolder::Block ImageFolder::decode(const std::vector<Index>& rows) const {
  const auto count = static_cast<Index>(rows.size());
  const Index each = format_.channels * format_.height * format_.width;
  Block block;
  block.batch.shape = format_.channels_last
                          ? std::vector<Index>{count, format_.height, format_.width, format_.channels}
                          : std::vector<Index>{count, format_.channels, format_.height, format_.width};
  const auto size = static_cast<std::size_t>(count * each);
  if (options_.pixels) {
    block.batch.pixels = {borrow_buffer(size), count * each,
                          data::normalisation(options_.preprocess, format_.channels), format_.channels_last};
  } else {
    block.batch.reals.resize(size);
  }
  block.batch.hashes.resize(static_cast<std::size_t>(count));
  std::vector<std::string> why(static_cast<std::size_t>(count));
  parallel_for(count, options_.threads, [&](Index i) {
    const File& file = files_[rows[static_cast<std::size_t>(i)]];
    const std::string& path = file.path;
    try {
      const std::string bytes = file.bytes();
      block.batch.hashes[i] = data::sha256(bytes);
      const data::Image image = data::decode_image(bytes, path, budget_);
      if (options_.pixels) {
        const auto values = data::preprocess_pixels(image, options_.preprocess, format_, path);
        std::copy(values.begin(), values.end(), block.batch.pixels->values.get() + i * each);
      } else {
        const auto values = data::preprocess(image, options_.preprocess, format_, path);
        std::copy(values.begin(), values.end(), block.batch.reals.begin() + i * each);
      }
    } catch (const std::runtime_error& error) {
      why[i] = error.what();
    }
  });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!why[i].empty()) block.bad.push_back({file(rows[i]), why[i]});
  }
  return block;
}

std::vector<BadFile> ImageFolder::bad_between(Index first, Index end) const {
  constexpr Index kBlock = 64;
  std::vector<BadFile> bad;
  for (; first < end; first += kBlock) {
    std::vector<Index> rows(static_cast<std::size_t>(std::min(kBlock, end - first)));
    std::iota(rows.begin(), rows.end(), first);
    for (BadFile& file : decode(rows).bad) bad.push_back(std::move(file));
  }
  return bad;
}

void ImageFolder::leave_out_bad() {
  left_out_.bad = bad_between(0, rows());
  std::set<std::string> left_out;
  for (const BadFile& file : left_out_.bad) left_out.insert(file.path);
  std::erase_if(files_, [&](const File& file) { return left_out.contains(file.path); });
  if (files_.empty())
    data::fail_file("Inputs", folder_, "none of its {} files can be read", left_out_.bad.size());
}

void ImageFolder::fail_with_all(Index first) const {
  constexpr std::size_t kNamed = 10;
  const std::vector<BadFile> bad = bad_between(first, rows());
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, bad.size()); ++i) text += "\n  " + bad[i].why;
  if (bad.size() > kNamed) text += fmt::format("\n  and {} more", bad.size() - kNamed);
  data::fail_file("Inputs", folder_, "{} of {} files cannot be read:{}", bad.size(), rows(), text);
}

std::vector<InputBatch> ImageFolder::read_rows(const std::vector<Index>& rows) const {
  Block block = decode(rows);
  if (!block.bad.empty()) fail_with_all(rows.front());
  std::vector<InputBatch> batches;
  batches.push_back(std::move(block.batch));
  return batches;
}

}  // namespace atcav::model
