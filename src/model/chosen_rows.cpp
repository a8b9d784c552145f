#include "model/chosen_rows.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/check.h"

namespace atcav::model {

ChosenRows::ChosenRows(std::shared_ptr<const StoredExamples> all, std::vector<Index> rows)
    : all_(std::move(all)), rows_(std::move(rows)) {
  check_at_least("ChosenRows", "number of rows", std::ssize(rows_), 1);
  check_within("ChosenRows", "the first row", rows_.front(), 0, all_->rows() - 1);
  check_within("ChosenRows", "the last row", rows_.back(), 0, all_->rows() - 1);
  if (std::ranges::adjacent_find(rows_, std::ranges::greater_equal()) != rows_.end())
    fail_argument("ChosenRows", "rows must increase");
}

std::vector<InputBatch> ChosenRows::read_rows(const std::vector<Index>& rows) const {
  return all_->read_rows(in_all(rows));
}

std::vector<std::vector<Index>> ChosenRows::groups(const std::vector<Index>& rows) const {
  std::vector<std::vector<Index>> groups = all_->groups(in_all(rows));
  for (std::vector<Index>& group : groups) {
    for (Index& row : group) row = std::ranges::lower_bound(rows_, row) - rows_.begin();
  }
  return groups;
}

std::vector<Index> ChosenRows::in_all(const std::vector<Index>& rows) const {
  std::vector<Index> found;
  found.reserve(rows.size());
  for (const Index row : rows) found.push_back(rows_[row]);
  return found;
}

}  // namespace atcav::model
