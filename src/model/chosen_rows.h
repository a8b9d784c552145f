#pragma once

#include <memory>
#include <vector>

#include "model/inputs.h"

namespace atcav::model {

// Some rows of stored examples, as if there were no others.
//
//   ChosenRows half(open_examples("images/zebra", inputs), {0, 3, 4});
//   half.file(1);   // of row 3
class ChosenRows : public StoredExamples {
 public:
  // `rows` increase. std::invalid_argument where they do not, or are not there.
  ChosenRows(std::shared_ptr<const StoredExamples> all, std::vector<Index> rows);

  Index rows() const override { return std::ssize(rows_); }
  std::string file(Index row) const override { return all_->file(rows_[row]); }
  std::vector<InputBatch> read_rows(const std::vector<Index>& rows) const override;
  std::vector<std::vector<Index>> groups(const std::vector<Index>& rows) const override;
  // In all of them.
  Index number(Index row) const { return rows_[row]; }

 private:
  std::vector<Index> in_all(const std::vector<Index>& rows) const;

  std::shared_ptr<const StoredExamples> all_;
  std::vector<Index> rows_;
};

}  // namespace atcav::model
