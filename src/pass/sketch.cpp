#include "pass/sketch.h"

#include <algorithm>

#include "atcav/random.h"
#include "core/parallel.h"

namespace atcav::pass {

MatrixF sketch_rows(const MatrixFRef& rows, int threads) {
  constexpr Index kStripe = 64 * kSketchColumns;
  constexpr Index kRowsAtOnce = 8;
  const Index d = rows.cols();
  // Signs of a stripe serve the next ones too, behind one more sign per stripe: neighbours of a place differ.
  Eigen::VectorXf signs(std::min(kStripe, (d + kSketchColumns - 1) / kSketchColumns * kSketchColumns));
  Stream stream(0x5ce7c4);
  std::uint64_t bits = 0;
  for (Index c = 0; c < signs.size(); ++c) {
    if (c % 64 == 0) bits = stream.next();
    signs(c) = (bits >> (c % 64) & 1) != 0 ? 1 : -1;
  }
  MatrixF sketch = MatrixF::Zero(rows.rows(), sketch_columns(d));
  parallel_for((rows.rows() + kRowsAtOnce - 1) / kRowsAtOnce, threads, [&](Index block) {
    for (Index row = block * kRowsAtOnce; row < std::min(rows.rows(), (block + 1) * kRowsAtOnce); ++row) {
      Stream flips(static_cast<std::uint64_t>(d));
      for (Index stripe = 0; stripe < d; stripe += kStripe) {
        const float flip = (flips.next() & 1) != 0 ? 1 : -1;
        const Index end = std::min(d, stripe + kStripe);
        for (Index first = stripe; first < end; first += kSketchColumns) {
          const Index count = std::min(kSketchColumns, end - first);
          sketch.row(row).head(count).array() += flip * rows.row(row).segment(first, count).array() *
                                                 signs.segment(first - stripe, count).transpose().array();
        }
      }
    }
  });
  return sketch;
}

}  // namespace atcav::pass
