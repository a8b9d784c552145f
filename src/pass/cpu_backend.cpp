#include "pass/cpu_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "core/check.h"
#include "core/parallel.h"
#include "pass/pass_products.h"
#include "pass/row_store.h"

namespace atcav::pass {
namespace {

// Blocks of fewer rows are joined to about twice as many, within a size: few rows at a time would make each
// reading of the gradients expensive.
constexpr Index kFewRows = 64;
constexpr Index kWaitingBytes = Index{32} << 20;

// Rounded to float, so that taking it off a row is one float subtraction.
Eigen::VectorXf pilot_mean(const MatrixFRef& rows) {
  const Index pilot = std::min(kPilotRows, rows.rows());
  Vector sum = Vector::Zero(rows.cols());
  for (Index i = 0; i < pilot; ++i) sum += rows.row(i).transpose().cast<double>();
  return (sum / static_cast<double>(pilot)).cast<float>();
}

class CpuBackend : public PassBackend {
 public:
  explicit CpuBackend(const BackendOptions& options) : options_(options), sets_(options.sets.size()) {
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      sets_[s].sums = CarriedSums(Matrix::Zero(options.groups, options.gradients.cols()));
      sets_[s].squares = Vector::Zero(options.sets[s].rows);
    }
    if (options.centre) start(*options.centre);
  }

  void add(Index set, const Rows& given) override {
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

  void continue_at(Index set, Index row) override {
    multiply_waiting();
    const std::vector<Index>& scored = options_.scored[set];
    sets_[set].next_scored = std::lower_bound(scored.begin(), scored.end(), row) - scored.begin();
    sets_[set].next = row;
  }

  Eigen::VectorXf centre() const override { return centre_; }

  Matrix take_projections(Index set) override {
    std::deque<Matrix>& ready = sets_[set].projections;
    if (ready.empty()) return {};
    Matrix first = std::move(ready.front());
    ready.pop_front();
    return first;
  }

  CarriedSums take_group_sums(Index set) override { return std::move(sets_[set].sums); }

  Vector take_squares(Index set) override { return std::move(sets_[set].squares); }

  void end() override {
    projector_.reset();
    waiting_.resize(0, 0);
  }

  Vector scored_products(Index set, const Matrix& directions) const override {
    // NOLINTNEXTLINE(performance-unnecessary-value-param): the rows are written through it
    const auto read = [&](Index first, Eigen::Ref<MatrixF> rows) { sets_[set].scored->read(first, rows); };
    return fold_products(read, options_.scored[set], centre_, directions, options_.threads);
  }

  Matrix gram() const override {
    std::vector<RowBlock> blocks;
    for (const Set& set : sets_) blocks.push_back(set.kept->block());
    return centred_gram(blocks, centre_, options_.exact, options_.threads);
  }

  void read_rows(Index set, Index first, Eigen::Ref<MatrixF> rows) const override {
    sets_[set].kept->read(first, rows);
  }

  HostStores host_stores(Index set) override { return {sets_[set].kept.get(), sets_[set].scored.get()}; }

 private:
  struct Set {
    Index next = 0;         // row that is multiplied next
    Index next_scored = 0;  // of options.scored
    std::unique_ptr<RowStore> scored;
    std::unique_ptr<RowStore> kept;  // all rows, with options.gram
    CarriedSums sums;
    Vector squares;
    std::deque<Matrix> projections;  // not taken yet
  };

  void start(const Eigen::VectorXf& centre) {
    const Index d = options_.gradients.cols();
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      const auto& [name, rows, data] = options_.sets[s];
      sets_[s].scored = std::make_unique<RowStore>(std::ssize(options_.scored[s]), d);
      if (options_.gram) sets_[s].kept = std::make_unique<RowStore>(rows, d, data);
    }
    centre_ = centre;
    projector_ = std::make_unique<Projector>(options_.gradients, centre, options_.exact, options_.threads);
  }

  void multiply_waiting() {
    const Index rows = std::exchange(waiting_rows_, 0);
    if (rows > 0) multiply(waiting_set_, waiting_.topRows(rows));
  }

  void multiply(Index set, const MatrixFRef& rows) {
    if (!projector_) start(pilot_mean(rows));
    Set& own = sets_[set];
    own.projections.push_back(projector_->project(rows, own.next, own.sums));
    check_products(set, rows);
    add_squares(own, rows);
    const std::vector<Index>& scored = options_.scored[set];
    for (; own.next_scored < std::ssize(scored); ++own.next_scored) {
      const Index row = scored[own.next_scored] - own.next;
      if (row >= rows.rows()) break;
      own.scored->write(own.next_scored, rows.middleRows(row, 1));
    }
    if (own.kept) own.kept->write(own.next, rows);
    own.next += rows.rows();
  }

  // Pieces of a row in float, added up in double.
  void add_squares(Set& own, const MatrixFRef& rows) const {
    constexpr Index kPiece = 1024;
    parallel_for(rows.rows(), options_.threads, [&](Index i) {
      double sum = 0;
      for (Index first = 0; first < rows.cols(); first += kPiece) {
        const Index width = std::min(kPiece, rows.cols() - first);
        sum += static_cast<double>(
            (rows.row(i).segment(first, width) - centre_.segment(first, width).transpose()).squaredNorm());
      }
      own.squares(own.next + i) = sum;
    });
  }

  // A value that is not finite spoils all products of its row, so looking at the products is enough.
  void check_products(Index set, const MatrixFRef& rows) const {
    if (sets_[set].projections.back().allFinite()) return;
    const Index first = sets_[set].next;
    const std::string& name = options_.sets[set].name;
    check_finite("run_pass", name, rows, first);
    check_finite("run_pass", "gradients", options_.gradients);
    fail_argument("run_pass", fmt::format("{} is too large in rows {} to {}: its products with the gradients "
                                          "overflow",
                                          name, first, first + rows.rows() - 1));
  }

  BackendOptions options_;
  std::vector<Set> sets_;
  Eigen::VectorXf centre_;
  std::unique_ptr<Projector> projector_;
  MatrixF waiting_;
  Index waiting_rows_ = 0;  // of waiting_ that are filled
  Index waiting_set_ = 0;
};

}  // namespace

std::shared_ptr<PassBackend> start_cpu_backend(const BackendOptions& options) {
  return std::make_shared<CpuBackend>(options);
}

}  // namespace atcav::pass
