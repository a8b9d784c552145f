#pragma once

#include <string>
#include <vector>

#include "atcav/examples.h"
#include "data/array/array.h"
#include "model/inputs.h"

// Examples in arrays: one array per input of the network, or a folder with one .npy file per example, which
// may differ in length.
namespace atcav::model {

class ArrayInputs : public StoredExamples {
 public:
  // `specs` as in data/array/open_array.h, one per input, rows are examples. std::runtime_error for arrays
  // that do not fit the input, each other in rows, or, of sequences and their mask, in length.
  static ArrayInputs open_arrays(const std::vector<std::string>& specs, const std::vector<InputInfo>& inputs,
                                 int threads = 0);
  // One example per file, in name order; inputs that are masks say that every token counts.
  // std::invalid_argument when the network has several others.
  static ArrayInputs open_folder(const std::string& folder, const std::vector<InputInfo>& inputs);

  Index rows() const override;
  std::string file(Index row) const override {
    return files_.empty() ? "" : files_[static_cast<std::size_t>(row)];
  }
  std::vector<std::vector<Index>> groups(const std::vector<Index>& rows) const override;
  std::vector<InputBatch> read_rows(const std::vector<Index>& rows) const override;
  std::vector<std::string> hashes(const std::vector<Index>& rows, int threads) const override;

 private:
  explicit ArrayInputs(std::vector<InputInfo> infos) : infos_(std::move(infos)) {}
  void add_array(const std::string& spec, const InputInfo& info);
  std::vector<InputBatch> read_arrays(const std::vector<Index>& rows) const;
  InputBatch read_files(const std::vector<Index>& rows) const;

  std::vector<InputInfo> infos_;
  int threads_ = 1;
  std::vector<data::Array> arrays_;  // by input
  std::vector<std::vector<std::int64_t>> integers_;
  std::vector<std::string> files_;  // of a folder, and what is in them
  std::vector<data::Shape> shapes_;
};

}  // namespace atcav::model
