#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "atcav/cav.h"
#include "atcav/matrix.h"
#include "atcav/score.h"

// What a user may choose about the statistics. Defaults are written here and nowhere else.
namespace atcav {

// Which noise α* and α† are scaled by.
enum class Sigma {
  kEffective,  // the paper's σ̂_eff: spread over inputs
  kAnalytic,   // each input's own standard error
};

// How steep a score is: a number, or what the noise asks for (atcav/score.h).
struct Alpha {
  enum class Kind { kNumber, kStar, kDagger };
  Alpha(double number = 1) : value(number) {}  // NOLINT(google-explicit-constructor): the usual kind
  Alpha(Kind of) : kind(of) {}                 // NOLINT(google-explicit-constructor)
  Kind kind = Kind::kNumber;
  double value = 1;
  bool operator==(const Alpha&) const = default;
};
// star, dagger or a number: as users type it and results name it, and back. std::invalid_argument for other
// text.
std::string alpha_text(Alpha alpha);
Alpha read_alpha(const std::string& text);

enum class IntervalMethod {
  kDelta,      // closed form (pattern, fast) or jackknife; TCAV and α above 10 are bootstrapped
  kBootstrap,  // percentiles of refits on resampled examples
};

inline constexpr int kMostThreads = 1024;
inline constexpr Index kMostRuns = 100'000;
inline constexpr Index kMostResamples = 100'000;
inline constexpr Index kMostPermutations = 1'000'000;

struct Options {
  stats::CavOptions cav;
  // Scores beside 1, 3, star and dagger. The first one is the headline score, which the interval, the
  // extrapolation and the test are of; without any it is dagger.
  std::vector<Alpha> alpha;
  Sigma sigma = Sigma::kEffective;
  Index runs = 10;  // s of Multi-TCAV and α*, at least 2
  stats::Split split = stats::Split::kRandom;
  IntervalMethod interval = IntervalMethod::kDelta;
  Index bootstrap = 0;       // resamples; 0: 1000, or 200 for methods that must be fitted anew
  Index permutations = 999;  // relabellings of differs_p
  // Row i of a concept and row i of random belong together (a text and its counterpart): errors are those of
  // their differences, resamples take both or neither, relabellings swap the two.
  bool pairs = false;
  double level = 0.95;      // of intervals
  double negligible = 0.2;  // |d| that does not matter: "not used beyond" it is shown, not assumed
  std::uint64_t seed = 0;
  int threads = 0;            // 0: all available; never changes a result
  double memory = 0;          // gigabytes that a run may take; 0: nine tenths of what is available
  bool regions = false;       // a kernel classifier beside each direction (atcav/evidence.h)
  bool moments_only = false;  // pattern and fast, n in the millions: memory independent of n
  // Read random and concept examples in random order only until every interval of d is at most so wide to
  // either side of it, or until so many are read (pipeline/reading.h); without both all are read.
  std::optional<double> until = {};
  std::optional<Index> budget = {};

  bool reads_all() const { return !until && !budget; }
};

// With defaults that depend on other options filled in. std::invalid_argument for values out of bounds.
Options checked(Options options);

// Called as work proceeds, by one thread at a time; may throw to stop it.
using Progress = std::function<void(const std::string& stage, Index done, Index total)>;

// How far reading went under Options::until and budget (pipeline/reading.h).
struct Reading {
  std::optional<double> until;
  std::optional<Index> budget;
  struct Set {
    std::string name;  // "random", "concept 'striped'"
    Index read = 0;
    Index of = 0;
  };
  std::vector<Set> sets;   // random first
  bool reached = false;    // every interval is narrow enough
  Index looks = 0;         // at the widths, while reading
  Index beyond_reach = 0;  // tests that class inputs or an exhausted set keep wider, whatever is read
};

}  // namespace atcav
