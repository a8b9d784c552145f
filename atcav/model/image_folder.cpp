#include "atcav/model/image_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "atcav/base/parallel.h"
#include "atcav/io/fail.h"
#include "atcav/io/reader.h"

namespace atcav::model {
namespace fs = std::filesystem;

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('.') && entry.is_regular_file()) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) io::fail_file("Inputs", folder, "has no files in it");
  return files;
}

ImageFolder::ImageFolder(const std::string& folder, const ImageFormat& format, const InputOptions& options)
    : folder_(folder), format_(format), options_(options), files_(files_in(folder)) {
  if (options.skip_bad) leave_out_bad();
}

ImageFolder::Block ImageFolder::decode(Index first, Index count) const {
  const Index each = format_.channels * format_.height * format_.width;
  Block block;
  block.batch.shape = format_.channels_last
                          ? std::vector<Index>{count, format_.height, format_.width, format_.channels}
                          : std::vector<Index>{count, format_.channels, format_.height, format_.width};
  block.batch.reals.resize(static_cast<std::size_t>(count * each));
  std::vector<std::string> why(static_cast<std::size_t>(count));
  parallel_for(count, options_.threads, [&](Index i) {
    const std::string& path = file(first + i);
    try {
      const auto reader = io::open_file(path);
      const auto values =
          preprocess(io::decode_image(reader->text(), path), options_.preprocess, format_, path);
      std::copy(values.begin(), values.end(), block.batch.reals.begin() + i * each);
    } catch (const std::runtime_error& error) {
      why[static_cast<std::size_t>(i)] = error.what();
    }
  });
  for (Index i = 0; i < count; ++i) {
    if (!why[static_cast<std::size_t>(i)].empty()) {
      block.bad.push_back({file(first + i), why[static_cast<std::size_t>(i)]});
    }
  }
  return block;
}

void ImageFolder::leave_out_bad() {
  constexpr Index kBlock = 64;
  std::set<std::string> left_out;
  for (Index first = 0; first < rows(); first += kBlock) {
    for (BadFile& file : decode(first, std::min(kBlock, rows() - first)).bad) {
      left_out.insert(file.path);
      bad_.push_back(std::move(file));
    }
  }
  std::erase_if(files_, [&](const std::string& file) { return left_out.contains(file); });
  if (files_.empty())
    io::fail_file("Inputs", folder_, fmt::format("none of its {} files can be read", bad_.size()));
}

void ImageFolder::fail_with_all(Index first) const {
  constexpr Index kBlock = 64;
  constexpr std::size_t kNamed = 10;
  std::size_t count = 0;
  std::string text;
  for (; first < rows(); first += kBlock) {
    for (const BadFile& file : decode(first, std::min(kBlock, rows() - first)).bad) {
      if (++count <= kNamed) text += "\n  " + file.why;
    }
  }
  if (count > kNamed) text += fmt::format("\n  and {} more", count - kNamed);
  io::fail_file("Inputs", folder_, fmt::format("{} of {} files cannot be read:{}", count, rows(), text));
}

InputBatch ImageFolder::read(Index first, Index count) {
  count = std::min(count, rows() - first);
  const bool is_ahead = ahead_.valid() && ahead_first_ == first;
  Block block = is_ahead ? ahead_.get() : decode(first, count);
  if (block.batch.rows() != count) block = decode(first, count);
  if (!block.bad.empty()) fail_with_all(first);
  const Index next = first + count;
  if (next < rows()) {
    ahead_first_ = next;
    ahead_ = std::async(std::launch::async,
                        [this, next, ahead = std::min(count, rows() - next)] { return decode(next, ahead); });
  }
  return std::move(block.batch);
}

}  // namespace atcav::model
