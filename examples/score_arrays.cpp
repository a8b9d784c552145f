// Scores one concept from three arrays, as `atcav score` does, and says the answer in words.
//
//   score_arrays striped.npy random.npy zebra.npy
#include <atcav/atcav.h>

#include <cstdio>
#include <stdexcept>

int main(int argc, char** argv) try {
  if (argc != 4) throw std::invalid_argument("usage: score_arrays CONCEPT RANDOM GRADIENTS");
  atcav::Config config;  // pattern CAV, α†, closed-form interval
  config.concepts = {{"striped", argv[1]}};
  config.random = argv[2];
  config.gradients = {{"zebra", argv[3]}};
  const atcav::RunResult found = atcav::score(config);

  std::fputs(atcav::report::results_table(found, {}).c_str(), stdout);  // with warnings
  const atcav::Result& result = found.results.front();
  std::printf("striped: %s\n", atcav::report::sentence(result, found.options.level, false).c_str());
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
