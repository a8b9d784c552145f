#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "atcav/groups.h"
#include "atcav/matrix.h"
#include "fit/resampling.h"

// Many tests of use at once (Westfall & Young 1993). Bonferroni takes the tails of t's law at their word and
// every test for a new one; after a ReLU, with few examples, neither holds. Here all tests of a call are done
// again on relabelled examples, and each |t| is compared with the largest |t| that the call has then.
//
// A concept's labels are dealt once for all of its classes and layers (and as in fit/permutation.h), so what
// tests share by their examples is in the law of the largest. t is studentised anew each time, because a
// concept that is encoded and not used spreads differently from random examples. Inputs are drawn too: their
// deviations from S̄ are multiplied by normal numbers, one for each input of a class, the same at all layers
// and for all concepts.
namespace atcav::fit {

// What is dealt whole: rows, or groups of rows that belong together. z̄·x in logits, added up within each.
struct DealtRows {
  Vector sums;
  Vector counts;
  bool grouped = false;
};
struct DealtSets {
  DealtRows random;
  DealtRows of_concept;
};
DealtRows dealt_rows_of(const VectorRef& along, const Groups& groups = {});

// Draws that tests share: the classes of a concept its labels (deal_rows), the concepts of a class its normal
// numbers (input_draws). Drawn anew if null, or of other sizes than the test's.
struct RelabelDraws {
  const std::vector<RowNumbers>* labels = nullptr;
  const Matrix* inputs = nullptr;
};

// t of one test under `count` relabellings, for at least two of each. Its error is Welch's; of groups the one
// of src/stats/joint_effect.h, deviations added up within each before they are squared; of pairs that of
// their differences. `inputs` the deviations of the class's inputs from S̄, as large as the inputs' own part
// of its variance V_inputs makes them (√(m·V_inputs/var(S)) times what they are). `class_key`: key_word of
// the class's name.
Vector relabelled_t(const DealtSets& sets, const VectorRef& inputs, Index count,
                    const ResamplingOptions& options, std::uint64_t class_key,
                    const RelabelDraws& known = {});
// The normal numbers of a class: relabellings × inputs.
Matrix input_draws(Index inputs, Index count, std::uint64_t seed, std::uint64_t class_key, int threads);

// The largest |t| of each relabelling over all tests.
class LargestT {
 public:
  // From any thread; the order changes nothing.
  void add(const VectorRef& t);
  bool empty() const { return largest_.size() == 0; }
  // (1 + #{largest ≥ |t|}) / (1 + count): of the hypothesis that the class does not use the concept, over all
  // tests that were added.
  double p(double t) const;
  // S̄ ± this many standard errors holds every test's E S̄ at once with probability `level`; infinite where
  // there are too few relabellings.
  double critical(double level) const;

 private:
  std::mutex adding_;
  Vector largest_;
};

}  // namespace atcav::fit
