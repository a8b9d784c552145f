// Scores one concept from three arrays, as `atcav score` does, and says the answer in words.
//
//   score_arrays striped.npy random.npy zebra.npy
#include <atcav/atcav.h>

#include <cstdio>
#include <exception>

using namespace atcav;

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s CONCEPT RANDOM GRADIENTS\n", argv[0]);
    return 2;
  }
  try {
    const ScoreInputs inputs{.concepts = {{"striped", argv[1]}},
                                         .random = argv[2],
                                         .gradients = {{"zebra", argv[3]}},
                                         .layer = {}};
    Options options;  // pattern CAV, α†, closed-form interval
    options.seed = 1;
    const Result result = score(inputs, options).results.front();

    const double score = result.alpha_tcav.at(result.headline);
    const stats::Interval interval = result.intervals.at(result.headline).interval;
    std::printf("score %.3f, %g %% interval %.3f to %.3f\n", score, 100 * options.level, interval.low,
                interval.high);
    std::printf("held-out accuracy %.2f, permutation p %.3f\n", result.accuracy.held_out,
                result.significance.permutation_p);
    const bool significant = result.significance.bonferroni < 1 - options.level;
    std::printf("%s\n", !significant  ? "no evidence that zebra uses it"
                        : score > 0.5 ? "zebra uses it"
                                      : "it speaks against zebra");
    for (const std::string& warning : result.warnings) std::printf("! %s\n", warning.c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
