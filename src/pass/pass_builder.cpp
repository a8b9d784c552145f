#include "pass/pass_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "core/parallel.h"
#include "pass/pass_products.h"

namespace atcav::span {
namespace {

constexpr Index kPilotRows = 64;
// Blocks of fewer rows are joined to about twice as many, within a size.
constexpr Index kFewRows = 64;
constexpr Index kWaitingBytes = Index{32} << 20;

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

// Rounded to float, so that taking it off a row is one float subtraction.
Eigen::VectorXf pilot_mean(const MatrixFRef& rows) {
  const Index pilot = std::min(kPilotRows, rows.rows());
  Vector sum = Vector::Zero(rows.cols());
  for (Index i = 0; i < pilot; ++i) sum += rows.row(i).transpose().cast<double>();
  return (sum / static_cast<double>(pilot)).cast<float>();
}

// Rows that stay on the device until they are read.
class DeviceSource : public RowSource {
 public:
  enum class Which { kAll, kScored };
  DeviceSource(std::string name, std::shared_ptr<const DevicePass> pass, Index set, Index rows, Index columns,
               Which which)
      : name_(std::move(name)),
        pass_(std::move(pass)),
        set_(set),
        rows_(rows),
        columns_(columns),
        which_(which) {}
  std::string name() const override { return name_; }
  Index rows() const override { return rows_; }
  Index columns() const override { return columns_; }
  bool rereadable() const override { return true; }
  void read(Index first, Eigen::Ref<MatrixF> rows) override {
    if (which_ == Which::kScored) return pass_->read_scored(set_, first, rows);
    pass_->read_rows(set_, first, rows);
  }
  std::optional<Vector> fold_products(const Matrix& directions) const override {
    return which_ == Which::kScored ? pass_->scored_products(set_, directions) : std::nullopt;
  }

 private:
  std::string name_;
  std::shared_ptr<const DevicePass> pass_;
  Index set_;
  Index rows_;
  Index columns_;
  Which which_;
};

// The rows themselves are no longer there to say which value it was.
void check_rows_finite(const std::string& name, const Matrix& projections, Index first) {
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

PassBuilder::PassBuilder(const MatrixFRef& gradients, std::vector<SetShape> sets, const PassOptions& options)
    : gradients_(gradients), shapes_(std::move(sets)), options_(options), progress_(shapes_.size()) {
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
    const auto& [name, rows, data] = shapes_[s];
    check_at_least("run_pass", "rows of " + name, rows, options.folds);
    Projections& projections = pass_.sets[s].projections;
    HeldOut& held_out = pass_.sets[s].held_out;
    if (options.moments_only) {
      progress_[s].moments = std::make_unique<Moments>(m, std::min(options.blocks, rows));
    } else {
      projections.values.resize(m, rows);
      projections.weights = Vector::Ones(rows);
    }
    held_out.fold_sums = CarriedSums(Matrix::Zero(options.folds, d));
    held_out.fold_counts = Vector::Zero(options.folds);
    for (Index i = 0; i < rows; ++i) held_out.fold_counts(i % options.folds) += 1;
    held_out.rows = rows_to_score(rows, options.folds);
  }
  if (options.centre) start(*options.centre);
}

void PassBuilder::keep_rows_here(Index set) {
  const auto& [name, rows, data] = shapes_[set];
  if (options_.gram && !pass_.features && data == nullptr)
    progress_[set].all = std::make_shared<RowStore>(name, rows, pass_.dimension);
}

void PassBuilder::start(const Eigen::VectorXf& centre) {
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    HeldOut& held_out = pass_.sets[s].held_out;
    const auto scored = static_cast<Index>(held_out.rows.size());
    progress_[s].held_out = std::make_shared<RowStore>(shapes_[s].name, scored, pass_.dimension);
    held_out.values = progress_[s].held_out;
    keep_rows_here(static_cast<Index>(s));
  }
  pass_.centre = centre.cast<double>();
  pass_.centre_projection.resize(gradients_.rows());
  parallel_for(gradients_.rows(), options_.threads, [&](Index j) {
    pass_.centre_projection(j) = gradients_.row(j).cast<double>().dot(pass_.centre);
  });
  projector_ = std::make_unique<Projector>(gradients_, centre, pass_.exact, options_.threads);
}

void PassBuilder::check_room(Index set, Index rows, Index columns) const {
  const SetShape& shape = shapes_.at(set);
  check_same("run_pass", "columns", shape.name, columns, "gradients", gradients_.cols());
  const Index waiting = set == waiting_set_ ? waiting_rows_ : 0;
  if (progress_[set].next + waiting + rows > shape.rows)
    fail_argument("run_pass", fmt::format("{} has more than {} rows", shape.name, shape.rows));
}

void PassBuilder::add(Index set, const MatrixFRef& rows) {
  check_room(set, rows.rows(), rows.cols());
  if (set != waiting_set_) take_waiting();
  waiting_set_ = set;
  const Index room =
      std::min(2 * kFewRows, kWaitingBytes / (rows.cols() * static_cast<Index>(sizeof(float))));
  if (rows.rows() >= kFewRows || waiting_rows_ + rows.rows() > room) take_waiting();
  if (rows.rows() >= kFewRows || rows.rows() > room) return take(set, rows);
  if (waiting_.rows() == 0) waiting_.resize(room, rows.cols());
  waiting_.middleRows(waiting_rows_, rows.rows()) = rows;
  waiting_rows_ += rows.rows();
}

void PassBuilder::take_waiting() {
  const Index rows = std::exchange(waiting_rows_, 0);
  if (rows > 0) take(waiting_set_, waiting_.topRows(rows));
}

void PassBuilder::continue_at(Index set, Index row) {
  take_waiting();
  Progress& progress = progress_[set];
  const Index skipped = row - progress.next;
  if (skipped <= 0) return;
  if (!progress.moments) pass_.sets[set].projections.values.middleCols(progress.next, skipped).setZero();
  const std::vector<Index>& scored = pass_.sets[set].held_out.rows;
  progress.scored = std::lower_bound(scored.begin(), scored.end(), row) - scored.begin();
  progress.next = row;
}

void PassBuilder::take(Index set, const MatrixFRef& rows) {
  if (rows.rows() == 0) return;
  Progress& progress = progress_[set];
  if (!projector_) start(pilot_mean(rows));

  const Matrix projections = projector_->project(rows, progress.next, pass_.sets[set].held_out.fold_sums);
  check_products(set, rows, projections);
  if (progress.moments) {
    progress.moments->add(projections);
  } else {
    pass_.sets[set].projections.values.middleCols(progress.next, rows.rows()) = projections;
  }
  keep(set, rows);
  progress.next += rows.rows();
}

// A value that is not finite spoils all products of its row, so looking at the products is enough.
void PassBuilder::check_products(Index set, const MatrixFRef& rows, const MatrixRef& projections) const {
  if (projections.allFinite()) return;
  const Index first = progress_[set].next;
  check_finite("run_pass", shapes_[set].name, rows, first);
  check_finite("run_pass", "gradients", gradients_);
  fail_argument("run_pass", fmt::format("{} is too large in rows {} to {}: its products with the gradients "
                                        "overflow",
                                        shapes_[set].name, first, first + rows.rows() - 1));
}

void PassBuilder::keep(Index set, const MatrixFRef& rows) {
  Progress& progress = progress_[set];
  const HeldOut& held_out = pass_.sets[set].held_out;
  const std::vector<Index>& scored = held_out.rows;
  const auto left = [&] { return progress.scored < static_cast<Index>(scored.size()); };
  while (left() && scored[progress.scored] < progress.next + rows.rows()) {
    progress.held_out->write(progress.scored, rows.middleRows(scored[progress.scored] - progress.next, 1));
    ++progress.scored;
  }
  if (progress.all) progress.all->write(progress.next, rows);
  if (pass_.features) {
    Index offset = progress.next;
    for (Index s = 0; s < set; ++s) offset += shapes_[s].rows;
    pass_.features->middleRows(offset, rows.rows()) = rows;
  }
}

void PassBuilder::add(Index set, const Rows& rows) {
  check_room(set, rows.rows(), rows.columns());
  const bool first = !projector_ && !device_ && waiting_rows_ == 0;
  if (first && rows.rows() > 0 && !pass_.exact && !pass_.features) start_on_device(rows);
  if (!device_) return add(set, rows.host());
  Progress& progress = progress_[set];
  device_->add(set, rows);
  if (progress.all) progress.all->write(progress.next, rows.host());
  if (progress.moments) {
    const Matrix projections = device_->take_projections(set);
    check_rows_finite(shapes_[set].name, projections, progress.next);
    progress.moments->add(projections);
  }
  progress.next += rows.rows();
}

void PassBuilder::start_on_device(const Rows& rows) {
  DevicePassOptions options{
      .gradients = gradients_, .folds = options_.folds, .rows = {}, .scored = {}, .gram = options_.gram};
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    options.rows.push_back(shapes_[s].rows);
    options.scored.push_back(pass_.sets[s].held_out.rows);
  }
  device_ = rows.start_pass(options);
  if (!device_) return;
  pass_.centre = device_->centre().cast<double>();
  pass_.centre_projection = device_->centre_projection();
  if (options_.gram && !device_->keeps_rows()) {
    for (std::size_t s = 0; s < shapes_.size(); ++s) keep_rows_here(static_cast<Index>(s));
  }
}

void PassBuilder::finish_on_device() {
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    const auto set = static_cast<Index>(s);
    SetPass& own = pass_.sets[s];
    if (!progress_[s].moments) {
      own.projections.values = device_->take_projections(set);
      check_rows_finite(shapes_[s].name, own.projections.values, 0);
    }
    own.held_out.fold_sums = CarriedSums(device_->fold_sums(set));
    own.held_out.values = std::make_shared<DeviceSource>(shapes_[s].name, device_, set,
                                                         static_cast<Index>(own.held_out.rows.size()),
                                                         pass_.dimension, DeviceSource::Which::kScored);
    if (options_.gram && device_->keeps_rows())
      pass_.rows.push_back(std::make_shared<DeviceSource>(shapes_[s].name, device_, set, shapes_[s].rows,
                                                          pass_.dimension, DeviceSource::Which::kAll));
  }
  if (options_.gram && device_->keeps_rows()) pass_.gram = device_->gram();
  device_->end();
}

Pass PassBuilder::finish() {
  take_waiting();
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    if (progress_[s].next == shapes_[s].rows) continue;
    fail_argument("run_pass",
                  fmt::format("{} has {} rows, not {}", shapes_[s].name, progress_[s].next, shapes_[s].rows));
  }
  if (device_) finish_on_device();
  std::vector<RowBlock> blocks;
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    const auto& [name, rows, data] = shapes_[s];
    if (progress_[s].moments) pass_.sets[s].projections = progress_[s].moments->result();
    blocks.push_back({progress_[s].all ? progress_[s].all->data() : data, rows});
    if (progress_[s].all) pass_.rows.push_back(progress_[s].all);
  }
  if (options_.gram && !pass_.features && !pass_.gram) {
    pass_.gram = centred_gram(blocks, pass_.centre.cast<float>(), pass_.exact, options_.threads);
  }
  return std::move(pass_);
}

Pass PassBuilder::finish_share() {
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    continue_at(static_cast<Index>(s), shapes_[s].rows);
    if (progress_[s].all) pass_.rows.push_back(progress_[s].all);
  }
  return std::move(pass_);
}

}  // namespace atcav::span
