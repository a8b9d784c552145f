#pragma once

#include "atcav/groups.h"
#include "atcav/matrix.h"

// Near-copies among the rows of a set: crops of one picture, frames of one video. They count as independent
// examples and are not, so errors are understated.
namespace atcav::fit {

struct Copies {
  Index rows = 0;               // that have a near-copy outside their group
  Index first = 0, second = 0;  // the pair that is most alike
  double cosine = 0;
};

// Rows are near-copies where the cosine around the set's mean is at least 0.85, and further out than one in a
// thousand rows' nearest neighbour would be among directions spread as this set's own are: of as many
// dimensions as the median of their squared cosines tells, 0.455/ν; below four dimensions angles say nothing
// and there are none, nor among fewer than 20 rows. Measured medians of nearest neighbours are 0.94 for
// crops, 0.44–0.55 for pictures of one texture and 0.21–0.23 for different pictures. `sketch`: rows of
// pass::sketch_rows. Sets of more than 4096 rows are searched among the 2048 rows before each, where files of
// one picture are in name order.
Copies find_copies(const MatrixFRef& sketch, const Groups& groups, int threads);

}  // namespace atcav::fit
