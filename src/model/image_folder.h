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
class ImageFolder : public StoredExamples {
 public:
  ImageFolder(const std::string& folder, const data::ImageFormat& format, const InputOptions& options);

  Index rows() const override { return std::ssize(files_); }
  std::string file(Index row) const override { return files_[static_cast<std::size_t>(row)]; }
  LeftOut left_out() const override { return left_out_; }
  std::vector<InputBatch> read_rows(const std::vector<Index>& rows) const override;

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
  std::vector<std::string> files_;
  LeftOut left_out_;
};

}  // namespace atcav::model
