#include "atcav/run/score.h"

#include <fmt/format.h>

#include <deque>

#include "atcav/run/array_source.h"
#include "atcav/run/score_sources.h"
#include "atcav/run/stopwatch.h"
#include "atcav/io/open_array.h"
#include "atcav/io/sha256.h"

namespace atcav {
namespace {

struct Opened {
  std::string role;
  std::string path;
  io::Array array;
  ArraySource rows;
};

Opened open(std::string role, const std::string& path) {
  io::Array array = io::open_array(path);
  ArraySource rows(fmt::format("{} ({})", role, path), array);
  return {std::move(role), path, std::move(array), std::move(rows)};
}

// A safetensors spec names a tensor behind the file: the file is what is hashed.
Input describe(const Opened& opened) {
  const io::Array& array = opened.array;
  return {
      opened.role, opened.path, io::sha256_file(array.file()), {array.shape().begin(), array.shape().end()}};
}

}  // namespace

RunResult score(const ScoreInputs& inputs, const Options& options, const Progress& progress) {
  Stopwatch watch;
  std::deque<Opened> opened;  // sources point into it
  const auto add = [&opened](std::string role, const std::string& path) {
    opened.push_back(open(std::move(role), path));
    return &opened.back().rows;
  };
  Sources sources;
  sources.layer = inputs.layer;
  sources.random = add("random", inputs.random);
  for (const NamedArray& entry : inputs.concepts)
    sources.concepts.push_back({entry.name, add(fmt::format("concept '{}'", entry.name), entry.path)});
  for (const NamedArray& entry : inputs.gradients)
    sources.gradients.push_back({entry.name, add(fmt::format("gradients '{}'", entry.name), entry.path)});
  const double opening = watch.lap();

  RunResult scored = score_sources(sources, options, progress);
  scored.seconds.emplace(scored.seconds.begin(), "open", opening);
  watch.lap();
  for (const Opened& file : opened) {
    if (progress)
      progress("hash", static_cast<Index>(scored.inputs.size()), static_cast<Index>(opened.size()));
    scored.inputs.push_back(describe(file));
  }
  warn_of_equal_inputs(scored);
  scored.seconds.emplace_back("hash", watch.lap());
  return scored;
}

}  // namespace atcav
