#pragma once

#include <string>
#include <vector>

#include "model/inputs.h"

// The images of a folder, decoded and preprocessed in parallel as far as the memory budget goes.
namespace atcav::model {

// The images an input takes: N×C×H×W, or N×H×W×C as TensorFlow has it. Sizes the model leaves open come from
// `example` (the shape of one example) or are 3 × 224 × 224. std::invalid_argument when it takes no images.
data::ImageFormat image_format(const InputInfo& input, const std::vector<Index>& example = {});

// What a folder holds besides folders and hidden names counts as an image: a broken link, a pipe or a device
// is a file that cannot be read, and no pipe is ever waited for.
class ImageFolder {
 public:
  ImageFolder(const std::string& folder, const data::ImageFormat& format, const InputOptions& options);

  Index rows() const { return std::ssize(files_); }
  const std::string& file(Index row) const { return files_[row]; }
  Index folders() const { return folders_; }  // in it, that nobody looks into
  const std::vector<BadFile>& bad() const { return bad_; }
  // With the files' hashes. std::runtime_error that names every file from there on that cannot be read.
  InputBatch read(const std::vector<Index>& rows) const;

 private:
  struct Block {
    InputBatch batch;
    std::vector<BadFile> bad;
  };
  Block decode(const std::vector<Index>& rows) const;
  std::vector<BadFile> bad_between(Index first, Index end) const;
  void leave_out_bad();
  [[noreturn]] void fail_with_all(Index first) const;

  std::string folder_;
  data::ImageFormat format_;
  InputOptions options_;
  double budget_;
  Index folders_ = 0;
  std::vector<std::string> files_;
  std::vector<BadFile> bad_;
};

}  // namespace atcav::model
