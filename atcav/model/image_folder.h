#pragma once

#include <future>
#include <string>
#include <vector>

#include "atcav/model/inputs.h"

// The images of a folder, decoded and preprocessed in parallel, one block ahead of what is asked for.
namespace atcav::model {

// Files that are not hidden, by name; std::runtime_error if there are none.
std::vector<std::string> files_in(const std::string& folder);

class ImageFolder {
 public:
  ImageFolder(const std::string& folder, const ImageFormat& format, const InputOptions& options);

  Index rows() const { return static_cast<Index>(files_.size()); }
  const std::string& file(Index row) const { return files_[static_cast<std::size_t>(row)]; }
  const std::vector<BadFile>& bad() const { return bad_; }
  InputBatch read(Index first, Index count);

 private:
  struct Block {
    InputBatch batch;
    std::vector<BadFile> bad;
  };
  Block decode(Index first, Index count) const;
  void leave_out_bad();
  [[noreturn]] void fail_with_all(Index first) const;

  std::string folder_;
  ImageFormat format_;
  InputOptions options_;
  std::vector<std::string> files_;
  std::vector<BadFile> bad_;
  Index ahead_first_ = -1;
  std::future<Block> ahead_;
};

}  // namespace atcav::model
