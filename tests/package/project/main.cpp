#include <atcav/atcav.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>

// What users call, in every room whose private libraries a static link must find again. With a folder of
// `atcav demo` as the argument a network runs too, and the plugin it came from is named.
namespace {

atcav::MatrixF rows(atcav::Stream& stream, atcav::Index count, float first_column) {
  atcav::MatrixF values = stream.normal_matrix(count, 8).cast<float>();
  values.col(0).array() += first_column;
  return values;
}

// Gradients are the first axis, along which the means were set 2 apart: each sensitivity is near 2, with a
// standard error of √(1/40 + 1/40) = 0.22; five of them are allowed.
bool arrays_are_scored() {
  atcav::Stream stream(1);
  const atcav::MatrixF random = rows(stream, 40, 0);
  const atcav::MatrixF striped = rows(stream, 40, 2);
  const atcav::MatrixF gradients = atcav::MatrixF::Identity(1, 8).replicate(20, 1);
  const atcav::RunResult found = atcav::score({{"striped", striped}}, random, {{"zebra", gradients}}, {});
  std::fputs(atcav::report::results_table(found, {}).c_str(), stdout);
  return std::abs(found.results.at(0).magnitude - 2) < 1.1;
}

// The demo's first class is zebra, which stripes speak for.
bool network_runs(const std::string& demo) {
  std::ifstream yaml(demo + "/demo.yaml");
  atcav::Config config = atcav::read_config(std::string(std::istreambuf_iterator<char>(yaml), {}));
  config.layers = {"block4"};
  config.classes.resize(1);
  config.concepts.resize(1);
  const atcav::RunResult found = atcav::run(config);
  if (found.results.at(0).interval().low <= 0.5) return false;
  atcav::write_report("report", found);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (!line.ends_with("libatcav_torch.so")) continue;
    std::printf("plugin %s\n", line.substr(line.find('/')).c_str());
    return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("atcav %s\n", atcav::kVersion);
  return arrays_are_scored() && (argc < 2 || network_runs(argv[1])) ? 0 : 1;
}
