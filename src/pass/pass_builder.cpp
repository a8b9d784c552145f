#include "pass/pass_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "core/parallel.h"
#include "pass/cpu_backend.h"
#include "pass/sketch.h"

namespace atcav::pass {
namespace {

// Taking products waits for the device; not taking them fills its memory.
constexpr Index kProductsAtOnce = Index{1} << 21;

Index total_rows(const std::vector<SetShape>& shapes) {
  Index total = 0;
  for (const SetShape& shape : shapes) total += shape.rows;
  return total;
}

// Whole groups of `folds` neighbours, so that each fold has its share.
std::vector<Index> rows_to_score(Index rows, Index folds) {
  const Index stride = (rows + kMostEvaluatedRows - 1) / kMostEvaluatedRows;
  std::vector<Index> scored;
  for (Index i = 0; i < rows; ++i) {
    if ((i / folds) % stride == 0) scored.push_back(i);
  }
  return scored;
}

// For backends that do not say which value it was.
void check_products_finite(const std::string& name, const Matrix& projections, Index first) {
  if (projections.allFinite()) return;
  for (Index row = 0; row < projections.cols(); ++row) {
    if (!projections.col(row).allFinite()) {
      fail_argument("run_pass",
                    fmt::format("{} has a value that is not finite in row {}, or one too large for "
                                "its products with the gradients",
                                name, first + row));
    }
  }
}

}  // namespace

PassBuilder::PassBuilder(const MatrixFRef& gradients, std::vector<SetShape> sets, const PassOptions& options,
                         StartBackend start)
    : gradients_(gradients),
      shapes_(std::move(sets)),
      options_(options),
      start_(std::move(start)),
      progress_(shapes_.size()) {
  const Index m = gradients.rows();
  const Index d = gradients.cols();
  check_at_least("run_pass", "gradients' rows", m, 1);
  check_at_least("run_pass", "gradients' columns", d, 1);
  check_at_least("run_pass", "folds", options.folds, 2);
  check_at_least("run_pass", "blocks", options.blocks, 1);
  if (options.gram && options.moments_only) fail_argument("run_pass", "moments_only keeps no Gram matrix");
  const Index total = total_rows(shapes_);
  pass_.dimension = d;
  const auto partners = static_cast<double>(options.gram ? std::max(m, total) : m);
  pass_.exact = partners * static_cast<double>(total) * static_cast<double>(d) <= options.exact_below;
  pass_.sets.resize(shapes_.size());
  if (options.gram && d <= total) pass_.features = MatrixF(total, d);
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    const Index rows = shapes_[s].rows;
    check_at_least("run_pass", "rows of " + shapes_[s].name, rows, options.folds);
    options_.groups_in_fold = std::min(options_.groups_in_fold, rows / options.folds);
    Projections& projections = pass_.sets[s].projections;
    HeldOut& held_out = pass_.sets[s].held_out;
    if (options.moments_only) {
      progress_[s].moments = std::make_unique<Moments>(m, std::min(options.blocks, rows));
    } else {
      projections.values.resize(m, rows);
      projections.weights = Vector::Ones(rows);
      if (rows <= kMostSketchedRows) pass_.sets[s].sketch = MatrixF::Zero(rows, sketch_columns(d));
    }
    held_out.folds = options.folds;
    held_out.rows = rows_to_score(rows, options.folds);
  }
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    Vector& counts = pass_.sets[s].held_out.group_counts;
    counts = Vector::Zero(groups());
    for (Index i = 0; i < shapes_[s].rows; ++i) counts(i % groups()) += 1;
  }
  if (!start_ || pass_.exact || pass_.features) begin(nullptr);
}

void PassBuilder::begin(const Rows* first) {
  const bool gram = options_.gram && !pass_.features;
  BackendOptions options{gradients_,           shapes_,          {},
                         options_.folds,       groups(),         gram,
                         pass_.exact,          options_.threads, options_.centre,
                         options_.input_groups};
  for (const SetPass& set : pass_.sets) options.scored.push_back(set.held_out.rows);
  if (first != nullptr) backend_ = start_(options, *first);
  if (backend_) {  // rows would have to be copied from its device
    for (SetPass& set : pass_.sets) set.sketch.resize(0, 0);
  } else {
    backend_ = start_cpu_backend(options);
  }
  for (std::size_t s = 0; s < shapes_.size(); ++s)
    backend_->continue_at(static_cast<Index>(s), progress_[s].next);
}

void PassBuilder::add(Index set, const Rows& rows) {
  const SetShape& shape = shapes_.at(set);
  Progress& progress = progress_[set];
  check_same("run_pass", "columns", shape.name, rows.columns(), "gradients", gradients_.cols());
  if (progress.next + rows.rows() > shape.rows)
    fail_argument("run_pass", fmt::format("{} has more than {} rows", shape.name, shape.rows));
  if (rows.rows() == 0) return;
  if (!backend_) begin(&rows);
  backend_->add(set, rows);
  if (pass_.features) {
    Index offset = progress.next;
    for (Index s = 0; s < set; ++s) offset += shapes_[s].rows;
    pass_.features->middleRows(offset, rows.rows()) = rows.host();
  }
  if (MatrixF& sketch = pass_.sets[set].sketch; sketch.rows() > 0)
    sketch.middleRows(progress.next, rows.rows()) = sketch_rows(rows.host(), options_.threads);
  progress.next += rows.rows();
  if ((progress.next - progress.multiplied) * gradients_.rows() >= kProductsAtOnce) take_products(set);
}

void PassBuilder::take_products(Index set) {
  Progress& progress = progress_[set];
  for (Matrix block; (block = backend_->take_projections(set)).cols() > 0;) {
    check_products_finite(shapes_[set].name, block, progress.multiplied);
    if (progress.moments)
      progress.moments->add(block);
    else
      pass_.sets[set].projections.values.middleCols(progress.multiplied, block.cols()) = block;
    progress.multiplied += block.cols();
  }
}

void PassBuilder::continue_at(Index set, Index row) {
  Progress& progress = progress_[set];
  const Index before = std::exchange(progress.next, std::max(progress.next, row));
  if (backend_) backend_->continue_at(set, progress.next);
  if (progress.next == before) return;
  if (backend_) take_products(set);
  if (!progress.moments)
    pass_.sets[set].projections.values.middleCols(before, progress.next - before).setZero();
  progress.multiplied = progress.next;
}

Pass PassBuilder::finish() {
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    if (progress_[s].next == shapes_[s].rows) continue;
    fail_argument("run_pass",
                  fmt::format("{} has {} rows, not {}", shapes_[s].name, progress_[s].next, shapes_[s].rows));
  }
  Pass pass = finish_share();
  if (options_.gram && !pass.features) pass.gram = pass.backend->gram();
  return pass;
}

Pass PassBuilder::finish_share() {
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    const auto set = static_cast<Index>(s);
    continue_at(set, shapes_[s].rows);
    take_products(set);
    if (progress_[s].moments) pass_.sets[s].projections = progress_[s].moments->result();
    pass_.sets[s].held_out.group_sums = backend_->take_group_sums(set);
    pass_.sets[s].squares = backend_->take_squares(set);
  }
  backend_->end();
  pass_.centre = backend_->centre().cast<double>();
  pass_.centre_projection.resize(gradients_.rows());
  parallel_for(gradients_.rows(), options_.threads, [&](Index j) {
    pass_.centre_projection(j) = gradients_.row(j).cast<double>().dot(pass_.centre);
  });
  pass_.backend = std::move(backend_);
  return std::move(pass_);
}

}  // namespace atcav::pass
