#pragma once

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "pass/backend.h"
#include "pass/kept_rows.h"
#include "pass/pass_products.h"
#include "pass/row_store.h"

// The pass in memory, for rows from anywhere. Results do not depend on the number of threads.
namespace atcav::span {

class CpuBackend : public PassBackend {
 public:
  explicit CpuBackend(BackendOptions options);
  // Names row and column of a value that is not finite, at the latest when nothing waits any more.
  void add(Index set, const Rows& rows) override;
  void continue_at(Index set, Index row) override;
  Eigen::VectorXf centre() const override { return centre_; }
  Matrix take_projections(Index set) override;
  CarriedSums take_fold_sums(Index set) override { return std::move(sets_[set].sums); }
  void end() override;
  Vector scored_products(Index set, const Matrix& directions) const override;
  Matrix gram() const override;
  void read_rows(Index set, Index first, Eigen::Ref<MatrixF> rows) const override;
  KeptRows* kept_rows() override { return kept_.get(); }

 private:
  struct Set {
    Index next = 0;         // row that is multiplied next
    Index next_scored = 0;  // of options.scored
    std::unique_ptr<RowStore> scored;
    CarriedSums sums;
    std::deque<Matrix> projections;  // not taken yet
  };

  void start(const Eigen::VectorXf& centre);
  void multiply(Index set, const MatrixFRef& rows);
  void multiply_waiting();
  void check_products(Index set, const MatrixFRef& rows, const Matrix& projections) const;
  void keep(Index set, const MatrixFRef& rows);

  BackendOptions options_;
  std::vector<Set> sets_;
  Eigen::VectorXf centre_;
  std::unique_ptr<Projector> projector_;
  std::unique_ptr<KeptRows> kept_;
  MatrixF waiting_;         // few rows at a time would make each reading of the gradients expensive
  Index waiting_rows_ = 0;  // of waiting_ that are filled
  Index waiting_set_ = 0;
};

}  // namespace atcav::span
