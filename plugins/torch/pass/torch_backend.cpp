#include "plugins/torch/pass/torch_backend.h"

#include <torch/version.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "pass/row_store.h"
#include "plugins/torch/import/plan.h"

#define ATCAV_TELLS_MEMORY (TORCH_VERSION_MAJOR * 100 + TORCH_VERSION_MINOR >= 210)
#if ATCAV_TELLS_MEMORY
#include <c10/core/CachingDeviceAllocator.h>
#endif

namespace atcav::plugin {
namespace {

constexpr Index kPilotRows = 64;
// Columns whose products are added up in float before they go to double, as on the CPU.
constexpr Index kPieceColumns = 2048;
// Gradients on the host are copied over in groups of this size.
constexpr std::int64_t kGroupBytes = std::int64_t{1} << 30;
// Side of a square tile of K.
constexpr Index kGramTile = 2048;

// TF32 is for networks. The switch belongs to the whole process, so a pass and a network must not run at the
// same time in two threads.
class FullFloat {
 public:
  FullFloat() : before_(at::globalContext().allowTF32CuBLAS()) { set(false); }
  ~FullFloat() { set(before_); }
  FullFloat(const FullFloat&) = delete;
  FullFloat& operator=(const FullFloat&) = delete;

 private:
  static void set(bool fast) {
    if (at::globalContext().allowTF32CuBLAS() != fast) at::globalContext().setAllowTF32CuBLAS(fast);
  }
  bool before_;
};

// Half of what nobody uses on the device, what LibTorch has reserved and not given out included. Empty for
// the CPU and for LibTorch before 2.10, which does not say; then trying is the only way to know.
std::optional<std::int64_t> half_of_free([[maybe_unused]] const at::Device& device) {
#if ATCAV_TELLS_MEMORY
  if (!device.is_cuda()) return std::nullopt;
  const auto index = static_cast<c10::DeviceIndex>(device.has_index() ? device.index() : 0);
  c10::DeviceAllocator* allocator = c10::getDeviceAllocator(at::kCUDA);
  const auto stats = allocator->getDeviceStats(index);
  const auto idle = stats.reserved_bytes[0].current - stats.allocated_bytes[0].current;
  return (static_cast<std::int64_t>(allocator->getMemoryInfo(index).first) + idle) / 2;
#else
  return std::nullopt;
#endif
}

at::Tensor on_host(const MatrixFRef& rows) {
  return at::from_blob(const_cast<float*>(rows.data()), {rows.rows(), rows.cols()}, {rows.outerStride(), 1},
                       at::kFloat);
}

void copy_out(const at::Tensor& from, Eigen::Ref<MatrixF> to) {
  at::from_blob(to.data(), {to.rows(), to.cols()}, {to.outerStride(), 1}, at::kFloat).copy_(from);
}

Matrix as_matrix(const at::Tensor& values) {
  Matrix here(values.size(0), values.size(1));
  at::from_blob(here.data(), {here.rows(), here.cols()}, at::kDouble).copy_(values);
  return here;
}

// a bᵀ for rows of d columns, in float pieces that are added up in double; `most` products at a time.
at::Tensor row_products(const at::Tensor& a, const at::Tensor& b, Index most) {
  const Index d = a.size(1);
  const Index whole = d / kPieceColumns;
  at::Tensor sum;
  const auto add = [&](const at::Tensor& part) { sum = sum.defined() ? sum.add_(part) : part; };
  const Index some = std::max<Index>(1, most / (a.size(0) * b.size(0)));
  for (Index piece = 0; piece < whole; piece += some) {
    const Index count = std::min(some, whole - piece);
    const auto pieces = [&](const at::Tensor& rows) {
      return rows.narrow(1, piece * kPieceColumns, count * kPieceColumns)
          .view({rows.size(0), count, kPieceColumns})
          .transpose(0, 1);
    };
    add(at::bmm(pieces(a), pieces(b).transpose(1, 2)).sum(0, false, at::kDouble));
  }
  if (const Index rest = d - whole * kPieceColumns; rest > 0) {
    const auto last = [&](const at::Tensor& rows) { return rows.narrow(1, whole * kPieceColumns, rest); };
    add(at::mm(last(a), last(b).t()).to(at::kDouble));
  }
  return sum;
}

class TorchBackend : public pass::PassBackend {
 public:
  TorchBackend(const at::Tensor& first, const pass::BackendOptions& options, const TorchBackendLimits& limits)
      : device_(first.device()),
        threads_(options.threads),
        folds_(options.folds),
        groups_(options.groups),
        columns_(first.size(1)),
        most_products_(limits.products) {
    const at::NoGradGuard no_grad;
    const Index pilot = std::min<Index>(kPilotRows, first.size(0));
    centre_ = options.centre ? on_host(options.centre->transpose())
                                   .select(0, 0)
                                   .to(device_, at::kFloat, /*non_blocking=*/false, /*copy=*/true)
                             : first.narrow(0, 0, pilot).mean(0, false, at::kDouble).to(at::kFloat);
    place_gradients(options.gradients, limits);
    const FullFloat no_tf32;
    for (const auto& [begin, end] : options.input_groups)
      gradient_products_.push_back(products_of(begin, end));
    for (std::size_t s = 0; s < options.sets.size(); ++s) {
      Set set;
      set.first_row = total_;
      set.rows = options.sets[s].rows;
      set.scored = options.scored[s];
      set.scored_rows = empty(static_cast<Index>(set.scored.size()));
      set.sums = at::zeros({groups_, columns_}, at::TensorOptions(device_).dtype(at::kDouble));
      set.group_rows = Vector::Zero(groups_);
      sets_.push_back(std::move(set));
      total_ += options.sets[s].rows;
    }
    if (options.gram) reserve_rows(options.sets, limits);
  }

  Eigen::VectorXf centre() const override {
    const at::Tensor here = centre_.to(at::kCPU);
    return Eigen::Map<const Eigen::VectorXf>(here.data_ptr<float>(), here.numel());
  }

  void add(Index set, const Rows& rows) override {
    in_one_line([&] {
      const at::NoGradGuard no_grad;
      const FullFloat no_tf32;
      const Tensors* there = rows.as<Tensors>();
      if (own(set).kept) own(set).kept->write(own(set).done, rows.host());
      for (const at::Tensor& part : there != nullptr ? *there : Tensors{on_host(rows.host())})
        add_pieces(own(set), part.to(device_));
      return 0;
    });
  }

  void continue_at(Index set, Index row) override {
    Set& there = own(set);
    there.done = row;
    const auto next = std::lower_bound(there.scored.begin(), there.scored.end(), row);
    there.next_scored = static_cast<std::size_t>(next - there.scored.begin());
  }

  Matrix take_projections(Index set) override {
    const Tensors parts = std::exchange(own(set).projections, {});
    if (parts.empty()) return {};
    return in_one_line([&] { return as_matrix(at::cat(parts, 1)); });
  }

  // Sums of what came, in double, less the centre as often: rounded once.
  pass::CarriedSums take_group_sums(Index set) override {
    const Set& there = own(set);
    Matrix sums = in_one_line([&] { return as_matrix(there.sums); });
    sums -= there.group_rows * centre().cast<double>().transpose();
    return pass::CarriedSums(std::move(sums));
  }

  Vector take_squares(Index set) override {
    Set& there = own(set);
    Vector squares = Vector::Zero(there.rows);
    in_one_line([&] {
      for (const auto& [first, part] : std::exchange(there.squares, {}))
        squares.segment(first, part.size(0)) = as_matrix(part.unsqueeze(1));
      return 0;
    });
    return squares;
  }

  void end() override { gradients_.clear(); }

  std::vector<Matrix> gradient_products() const override {
    return in_one_line([this] {
      std::vector<Matrix> here;
      for (const at::Tensor& products : gradient_products_) here.push_back(as_matrix(products));
      return here;
    });
  }

  // Where the device has no room, rows come here.
  Vector scored_products(Index set, const Matrix& directions) const override {
    return in_one_line([&] {
      const Set& there = sets_[static_cast<std::size_t>(set)];
      try {
        return products_of_scored(there, directions);
      } catch (const c10::OutOfMemoryError&) {
        const auto read = [&](Index first, Eigen::Ref<MatrixF> rows) {
          copy_out(there.scored_rows.narrow(0, first, rows.rows()), rows);
        };
        return pass::fold_products(read, there.scored, centre(), directions, threads_);
      }
    });
  }

  Matrix gram() const override {
    if (rows_.defined()) return in_one_line([this] { return product_of_rows(); });
    std::vector<pass::RowBlock> blocks;
    for (const Set& set : sets_) blocks.push_back(set.kept->block());
    return pass::centred_gram(blocks, centre(), /*exact=*/false, threads_);
  }

  void read_rows(Index set, Index first, Eigen::Ref<MatrixF> rows) const override {
    const Set& there = sets_[static_cast<std::size_t>(set)];
    if (there.kept) return there.kept->read(first, rows);
    copy_out(rows_.narrow(0, there.first_row + first, rows.rows()), rows);
  }

  pass::HostStores host_stores(Index set) override { return {own(set).kept.get()}; }

 private:
  // Half of the tiles; the others are their mirror images.
  Matrix product_of_rows() const {
    const at::NoGradGuard no_grad;
    const FullFloat no_tf32;
    const Index n = total_ + 1;
    at::Tensor gram = at::zeros({n, n}, at::TensorOptions(device_).dtype(at::kDouble));
    for (Index column = 0; column < columns_; column += kPieceColumns) {
      const Index width = std::min(kPieceColumns, columns_ - column);
      const at::Tensor centre = centre_.narrow(0, column, width).unsqueeze(0);
      const at::Tensor piece = at::cat({rows_.narrow(1, column, width) - centre, centre});
      for (Index a = 0; a < n; a += kGramTile) {
        const at::Tensor left = piece.narrow(0, a, std::min(kGramTile, n - a));
        const Index end = a + left.size(0);
        gram.narrow(0, a, left.size(0)).narrow(1, 0, end).add_(at::mm(left, piece.narrow(0, 0, end).t()));
      }
    }
    const at::Tensor below = gram.tril(-1);
    return as_matrix(gram.tril() + below.t());
  }

  struct Set;
  Set& own(Index set) { return sets_[static_cast<std::size_t>(set)]; }

  // Without cuBLAS, which would take longer to start on another thread than this takes.
  Vector products_of_scored(const Set& set, const Matrix& directions) const {
    const at::NoGradGuard no_grad;
    const Index count = set.scored_rows.size(0);
    const at::Tensor along = at::from_blob(const_cast<double*>(directions.data()),
                                           {directions.rows(), directions.cols()}, at::kDouble)
                                 .to(device_);
    const at::Tensor centre = centre_.to(at::kDouble);
    const Index step =
        std::max<Index>(1, kGroupBytes / (columns_ * static_cast<std::int64_t>(sizeof(double))));
    // Scored rows come in whole groups of neighbours: number i is in fold i mod k.
    Vector found(count);
    for (Index fold = 0; fold < std::min(folds_, count); ++fold) {
      const at::Tensor rows = set.scored_rows.slice(0, fold, count, folds_);
      Tensors parts;
      for (Index first = 0; first < rows.size(0); first += step) {
        at::Tensor block = rows.narrow(0, first, std::min(step, rows.size(0) - first)).to(at::kDouble);
        parts.push_back(block.sub_(centre).mul_(along.select(0, fold)).sum(1));
      }
      const at::Tensor here = at::cat(parts).to(at::kCPU);
      for (Index i = 0; i < here.size(0); ++i) found(fold + i * folds_) = here.data_ptr<double>()[i];
    }
    return found;
  }

  struct Set {
    Index first_row = 0;  // among the rows of all sets
    Index rows = 0;
    Index done = 0;  // rows added, or left out
    std::vector<Index> scored;
    std::size_t next_scored = 0;
    at::Tensor scored_rows;
    std::unique_ptr<pass::RowStore> kept;               // all rows, where the device has no room
    at::Tensor sums;                                    // k × d, double
    Vector group_rows;                                  // rows in each of the sums
    Tensors projections;                                // m × B, double, not yet taken
    std::vector<std::pair<Index, at::Tensor>> squares;  // from a row on, double
  };

  at::Tensor empty(Index rows) const {
    return at::empty({rows, columns_}, at::TensorOptions(device_).dtype(at::kFloat));
  }

  void place_gradients(const MatrixFRef& gradients, const TorchBackendLimits& limits) {
    const at::Tensor here = on_host(gradients);
    const auto room = limits.gradient_bytes ? limits.gradient_bytes : half_of_free(device_);
    const std::int64_t row_bytes = columns_ * static_cast<std::int64_t>(sizeof(float));
    const Index step = std::max<Index>(1, kGroupBytes / row_bytes);
    for (Index first = 0; first < here.size(0); first += step) {
      const at::Tensor group = here.narrow(0, first, std::min(step, here.size(0) - first));
      const bool fits = !room || (first + group.size(0)) * row_bytes <= *room;
      gradients_.push_back(fits ? group.to(device_) : group);
    }
  }

  // Of gradients begin … end with each other.
  at::Tensor products_of(Index begin, Index end) const {
    Tensors parts;
    Index start = 0;
    for (const at::Tensor& group : gradients_) {
      const Index first = std::max<Index>(begin - start, 0);
      const Index last = std::min<Index>(end - start, group.size(0));
      if (first < last) parts.push_back(group.slice(0, first, last).to(device_));
      start += group.size(0);
    }
    const at::Tensor rows = at::cat(parts);
    return row_products(rows, rows, most_products_);
  }

  // For K: on the device, or else here.
  void reserve_rows(const std::vector<pass::SetShape>& sets, const TorchBackendLimits& limits) {
    const std::int64_t bytes = total_ * columns_ * static_cast<std::int64_t>(sizeof(float));
    const auto room = limits.row_bytes ? limits.row_bytes : half_of_free(device_);
    try {
      if (!room || bytes <= *room) rows_ = empty(total_);
    } catch (const c10::OutOfMemoryError&) {
      rows_ = at::Tensor();
    }
    for (std::size_t s = 0; s < sets.size() && !rows_.defined(); ++s)
      sets_[s].kept = std::make_unique<pass::RowStore>(sets[s].rows, columns_, sets[s].data);
  }

  // Where there is no room for all rows at once, fewer at a time.
  void add_pieces(Set& set, const at::Tensor& values) {
    for (Index first = 0; first < values.size(0);) {
      const Index count = std::min(at_once_, values.size(0) - first);
      try {
        add_piece(set, values.narrow(0, first, count));
        first += count;
      } catch (const c10::OutOfMemoryError&) {
        if (count == 1) throw;
        at_once_ = (count + 1) / 2;
      }
    }
  }

  // Everything that may fail comes before anything that is kept.
  void add_piece(Set& set, const at::Tensor& values) const {
    Tensors products;
    at::Tensor squares;
    {
      at::Tensor centred = values - centre_;
      for (const at::Tensor& group : gradients_)
        products.push_back(row_products(group.to(device_), centred, most_products_));
      squares = centred.square_().sum(1, false, at::kDouble);
    }
    at::Tensor projections = at::cat(products);
    at::Tensor sums = set.sums.clone();
    Vector group_rows = set.group_rows;
    for (Index group = 0; group < groups_; ++group) {
      const Index first = ((group - set.done) % groups_ + groups_) % groups_;
      if (first >= values.size(0)) continue;
      group_rows(group) += static_cast<double>((values.size(0) - first + groups_ - 1) / groups_);
      sums.select(0, group).add_(values.slice(0, first, values.size(0), groups_).sum(0, false, at::kDouble));
    }
    set.sums = std::move(sums);
    set.group_rows = std::move(group_rows);
    set.projections.push_back(std::move(projections));
    set.squares.emplace_back(set.done, std::move(squares));
    keep_scored(set, values);
    if (rows_.defined()) rows_.narrow(0, set.first_row + set.done, values.size(0)).copy_(values);
    set.done += values.size(0);
  }

  // Row by row: a list of their numbers would have to be copied over first, and waited for.
  static void keep_scored(Set& set, const at::Tensor& values) {
    while (set.next_scored < set.scored.size() && set.scored[set.next_scored] < set.done + values.size(0)) {
      const Index row = set.scored[set.next_scored] - set.done;
      set.scored_rows.select(0, static_cast<Index>(set.next_scored)).copy_(values.select(0, row));
      ++set.next_scored;
    }
  }

  at::Device device_;
  int threads_;
  Index folds_;
  Index groups_;
  Index columns_;
  Index most_products_;
  Index total_ = 0;
  Index at_once_ = std::numeric_limits<Index>::max();  // rows
  at::Tensor centre_;
  Tensors gradients_;  // groups of rows, on the device or on the host
  Tensors gradient_products_;
  at::Tensor rows_;  // N × d, for K
  std::vector<Set> sets_;
};

}  // namespace

std::shared_ptr<pass::PassBackend> start_torch_backend(const at::Tensor& first,
                                                       const pass::BackendOptions& options,
                                                       const TorchBackendLimits& limits) {
  return in_one_line([&] { return std::make_shared<TorchBackend>(first, options, limits); });
}

}  // namespace atcav::plugin
