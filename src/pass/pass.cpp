#include "pass/pass.h"

#include <algorithm>
#include <array>
#include <future>
#include <utility>

#include "core/check.h"
#include "core/parallel.h"
#include "pass/pass_builder.h"

namespace atcav::pass {
namespace {

using RowsMap = Eigen::Map<const MatrixF>;

// Two batches are held at a time.
constexpr Index kBatchBytes = Index{64} << 20;

struct Batch {
  Index set = 0;
  Index first = 0;
  Index rows = 0;
};

// By size, in whole sixty-fours: fewer rows would make each reading of the gradients expensive. A pass of
// moments only is asked to live in little memory.
Index batch_rows(Index columns, bool moments_only) {
  const Index bytes = moments_only ? kBatchBytes / 2 : kBatchBytes;
  const Index rows = bytes / (columns * static_cast<Index>(sizeof(float)));
  return std::clamp<Index>((rows + 32) / 64 * 64, 64, 2048);
}

std::vector<Batch> plan_batches(const std::vector<RowSource*>& sources, Index step) {
  std::vector<Batch> batches;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const Index rows = sources[s]->rows();
    for (Index first = 0; first < rows; first += step) {
      batches.push_back({static_cast<Index>(s), first, std::min(step, rows - first)});
    }
  }
  return batches;
}

// Rows that stay where they are.
class RowsView : public Rows {
 public:
  explicit RowsView(const RowsMap& values) : values_(values) {}
  Index rows() const override { return values_.rows(); }
  Index columns() const override { return values_.cols(); }
  RowsMap host() const override { return values_; }

 private:
  RowsMap values_;
};

// The rows of a batch: where they lie, or read into `buffer`.
RowsMap fetch(RowSource& source, const Batch& batch, MatrixF& buffer, int threads) {
  const Index columns = source.columns();
  if (source.data() != nullptr) {
    return RowsMap(source.data() + batch.first * columns, batch.rows, columns);
  }
  buffer.resize(batch.rows, columns);
  if (source.rereadable()) {
    constexpr Index kRows = 8;
    parallel_for((batch.rows + kRows - 1) / kRows, threads, [&](Index part) {
      const Index begin = part * kRows;
      source.read(batch.first + begin, buffer.middleRows(begin, std::min(kRows, batch.rows - begin)));
    });
  } else {
    source.read(batch.first, buffer);
  }
  return RowsMap(buffer.data(), batch.rows, columns);
}

}  // namespace

Pass run_pass(const MatrixFRef& gradients, const std::vector<RowSource*>& sources,
              const PassOptions& options) {
  std::vector<SetShape> shapes;
  Index total = 0;
  for (const RowSource* source : sources) {
    check_same("run_pass", "columns", source->name(), source->columns(), "gradients", gradients.cols());
    shapes.push_back({source->name(), source->rows(), source->data()});
    total += source->rows();
  }
  PassBuilder builder(gradients, std::move(shapes), options);

  const std::vector<Batch> batches =
      plan_batches(sources, batch_rows(gradients.cols(), options.moments_only));
  std::array<MatrixF, 2> buffers;
  // Work on one batch runs beside the reading of the next; leaving this scope waits for it.
  std::future<void> work;
  Index done = 0;
  const auto finish_batch = [&](Index rows) {
    work.get();
    done += rows;
    if (options.progress) options.progress(done, total);
  };
  for (std::size_t b = 0; b < batches.size(); ++b) {
    const Batch& batch = batches[b];
    const RowsMap rows = fetch(*sources[batch.set], batch, buffers[b % 2], options.threads);
    if (b > 0) finish_batch(batches[b - 1].rows);
    work = in_background([&builder, set = batch.set, rows] { builder.add(set, RowsView(rows)); });
  }
  if (!batches.empty()) finish_batch(batches.back().rows);
  return builder.finish();
}

}  // namespace atcav::pass
