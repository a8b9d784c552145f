#include "pass/cpu_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/check.h"

namespace atcav::span {
namespace {

constexpr Index kPilotRows = 64;
// Blocks of fewer rows are joined to about twice as many, within a size.
constexpr Index kFewRows = 64;
constexpr Index kWaitingBytes = Index{32} << 20;

// Rounded to float, so that taking it off a row is one float subtraction.
Eigen::VectorXf pilot_mean(const MatrixFRef& rows) {
  const Index pilot = std::min(kPilotRows, rows.rows());
  Vector sum = Vector::Zero(rows.cols());
  for (Index i = 0; i < pilot; ++i) sum += rows.row(i).transpose().cast<double>();
  return (sum / static_cast<double>(pilot)).cast<float>();
}

}  // namespace

CpuBackend::CpuBackend(BackendOptions options) : options_(std::move(options)), sets_(options_.sets.size()) {
  for (Set& set : sets_) set.sums = CarriedSums(Matrix::Zero(options_.folds, options_.gradients.cols()));
  if (options_.centre) start(*options_.centre);
}

void CpuBackend::start(const Eigen::VectorXf& centre) {
  const Index d = options_.gradients.cols();
  for (std::size_t s = 0; s < sets_.size(); ++s)
    sets_[s].scored = std::make_unique<RowStore>(std::ssize(options_.scored[s]), d);
  if (options_.gram) kept_ = std::make_unique<KeptRows>(options_.sets, d);
  centre_ = centre;
  projector_ = std::make_unique<Projector>(options_.gradients, centre, options_.exact, options_.threads);
}

void CpuBackend::add(Index set, const Rows& given) {
  const auto rows = given.host();
  if (set != waiting_set_) multiply_waiting();
  waiting_set_ = set;
  const Index room =
      std::min(2 * kFewRows, kWaitingBytes / (rows.cols() * static_cast<Index>(sizeof(float))));
  if (rows.rows() >= kFewRows || waiting_rows_ + rows.rows() > room) multiply_waiting();
  if (rows.rows() >= kFewRows || rows.rows() > room) return multiply(set, rows);
  if (waiting_.rows() == 0) waiting_.resize(room, rows.cols());
  waiting_.middleRows(waiting_rows_, rows.rows()) = rows;
  waiting_rows_ += rows.rows();
}

void CpuBackend::multiply_waiting() {
  const Index rows = std::exchange(waiting_rows_, 0);
  if (rows > 0) multiply(waiting_set_, waiting_.topRows(rows));
}

void CpuBackend::continue_at(Index set, Index row) {
  multiply_waiting();
  const std::vector<Index>& scored = options_.scored[set];
  sets_[set].next_scored = std::lower_bound(scored.begin(), scored.end(), row) - scored.begin();
  sets_[set].next = row;
}

void CpuBackend::multiply(Index set, const MatrixFRef& rows) {
  if (!projector_) start(pilot_mean(rows));
  Set& own = sets_[set];
  Matrix projections = projector_->project(rows, own.next, own.sums);
  check_products(set, rows, projections);
  own.projections.push_back(std::move(projections));
  keep(set, rows);
  own.next += rows.rows();
}

// A value that is not finite spoils all products of its row, so looking at the products is enough.
void CpuBackend::check_products(Index set, const MatrixFRef& rows, const Matrix& projections) const {
  if (projections.allFinite()) return;
  const Index first = sets_[set].next;
  const std::string& name = options_.sets[set].name;
  check_finite("run_pass", name, rows, first);
  check_finite("run_pass", "gradients", options_.gradients);
  fail_argument("run_pass", fmt::format("{} is too large in rows {} to {}: its products with the gradients "
                                        "overflow",
                                        name, first, first + rows.rows() - 1));
}

void CpuBackend::keep(Index set, const MatrixFRef& rows) {
  Set& own = sets_[set];
  const std::vector<Index>& scored = options_.scored[set];
  for (; own.next_scored < std::ssize(scored); ++own.next_scored) {
    const Index row = scored[own.next_scored] - own.next;
    if (row >= rows.rows()) break;
    own.scored->write(own.next_scored, rows.middleRows(row, 1));
  }
  if (kept_) kept_->write(set, own.next, rows);
}

Matrix CpuBackend::take_projections(Index set) {
  std::deque<Matrix>& ready = sets_[set].projections;
  if (ready.empty()) return {};
  Matrix first = std::move(ready.front());
  ready.pop_front();
  return first;
}

void CpuBackend::end() {
  projector_.reset();
  waiting_.resize(0, 0);
}

Vector CpuBackend::scored_products(Index set, const Matrix& directions) const {
  const auto read = [&](Index first, Eigen::Ref<MatrixF> rows) { sets_[set].scored->read(first, rows); };
  return fold_products(read, options_.scored[set], centre_, directions, options_.threads);
}

Matrix CpuBackend::gram() const {
  return centred_gram(kept_->blocks(), centre_, options_.exact, options_.threads);
}

void CpuBackend::read_rows(Index set, Index first, Eigen::Ref<MatrixF> rows) const {
  kept_->read(set, first, rows);
}

}  // namespace atcav::span
