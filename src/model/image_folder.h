#pragma once

#include <string>
#include <vector>

#include "data/file/reader.h"
#include "model/inputs.h"

// The images of a folder, or of tar archives, decoded and preprocessed in parallel as far as the memory
// budget goes.
namespace atcav::model {

// The images an input takes: N×C×H×W, or N×H×W×C as TensorFlow has it. Sizes the model leaves open come from
// `example` (the shape of one example) or are 3 × 224 × 224. std::invalid_argument when it takes no images.
data::ImageFormat image_format(const InputInfo& input, const std::vector<Index>& example = {});

// What a folder holds besides folders and hidden names counts as an image: a broken link, a pipe or a device
// is a file that cannot be read, and no pipe is ever waited for. Of tar archives (as webdataset writes them)
// the members named .jpg, .jpeg and .png are taken, one archive after the other and in their order, and read
// where they lie.
class ImageFolder : public StoredExamples {
 public:
  ImageFolder(const std::string& folder, const data::ImageFormat& format, const InputOptions& options);
  // `shown`: what the user called the archives.
  ImageFolder(const std::vector<std::string>& archives, const std::string& shown,
              const data::ImageFormat& format, const InputOptions& options);

  Index rows() const override { return std::ssize(files_); }
  // Of a member "shard-000.tar/000017.jpg".
  std::string file(Index row) const override { return files_[static_cast<std::size_t>(row)].path; }
  std::vector<std::string> hashes(const std::vector<Index>& rows, int threads) const override;
  LeftOut left_out() const override { return left_out_; }
  std::vector<InputBatch> read_rows(const std::vector<Index>& rows) const override;

 private:
  struct File {
    std::string path;
    data::ReaderPtr archive = nullptr;  // null: a file of its own
    std::size_t offset = 0;
    std::size_t size = 0;

    std::string bytes() const { return archive ? archive->read(offset, size) : data::read_file(path); }
  };
  struct Block {
    InputBatch batch;
    std::vector<BadFile> bad;
  };
  void add_members(const std::string& archive);
  Block decode(const std::vector<Index>& rows) const;
  std::vector<BadFile> bad_between(Index first, Index end) const;
  void leave_out_bad();
  [[noreturn]] void fail_with_all(Index first) const;

  std::string folder_;
  data::ImageFormat format_;
  InputOptions options_;
  double budget_;
  std::vector<File> files_;
  LeftOut left_out_;
};

}  // namespace atcav::model
