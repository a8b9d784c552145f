#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "atcav/result.h"
#include "pass/pass_products.h"
#include "pipeline/layer_data.h"

// Reading until the answer is known (Options::until, Options::budget).
//
// The rows of each set are read in a random order of their own, in blocks that grow by a fifth. After each
// block the interval of d of every test, at every layer, for every class, is found in closed form from the
// rows read so far (stats::measure_effect), and reading stops when all are d ± until or narrower, or the rows
// end, or the budget does. A set whose tests are all narrow enough is left alone, and so is one whose
// part of an interval's width is small beside the other set's.
//
// How wide an interval is tells little of where it lies, so nothing is corrected for having looked (Chow and
// Robbins 1965), unlike stopping once p is small. But rows that happen to vary little stop early. Therefore
// intervals are made with the variance plus its own standard error (stats::stopped_by_width), and a test is
// narrow enough only with ten times as many random rows as their kurtosis, and kFirstRows. Coverage by
// simulation: docs/theory/significance.md.
//
// More examples never make an interval narrower than class inputs do by themselves, or a set that was read to
// its end. Tests for which that alone is wider than asked for are read on for until the rest is small beside
// it.
namespace atcav {

inline constexpr Index kFirstRows = 48;

struct SetToRead {
  Role role;
  Index rows = 0;
};

// Reads these rows of a set, and gives for each layer z_j·(x_i - c), m × rows, the centre c being the same
// for all sets.
using ProjectRows = std::function<std::vector<Matrix>(Index set, const std::vector<Index>& rows)>;

// What they are made with. The centre is the mean of the first rows that come.
class ExampleProjector {
 public:
  ExampleProjector(std::span<const LayerData> layers, int threads);
  // Rows of a set, whose numbers there begin at `numbers`. std::invalid_argument naming one that is not
  // finite.
  Matrix project(std::size_t layer, const MatrixFRef& rows, const std::string& set,
                 std::span<const Index> numbers);

 private:
  std::span<const LayerData> layers_;
  int threads_;
  std::vector<std::unique_ptr<pass::Projector>> projectors_;  // by layer
};

struct RowsRead {
  std::vector<std::vector<Index>> rows;  // of each set, increasing
  Reading reading;
  std::vector<std::string> notes;
};

// `sets`: random first, then the concepts. The layers' names and gradients are there; their pass is not,
// before and after. std::invalid_argument where the budget is below two rows for each set.
RowsRead read_until(std::span<LayerData> layers, const std::vector<SetToRead>& sets, const Options& options,
                    const ProjectRows& project, Index first_rows = kFirstRows);

}  // namespace atcav
