#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "atcav/matrix.h"

// Keyed random streams. A task's numbers depend on the seed and on the task's own key, never on
// which thread or rank runs it or on what ran before:
//
//   Stream stream(seed, {kTaskBootstrap, key_word(concept_name), repeat});
//   std::vector<Index> order = stream.permutation(n);
//
// The first word of a key is the kind of task: seed and first word alone may change places, Stream(2, {3}) is
// Stream(3, {2}).
//
// The generator is SplitMix64 (Steele, Lea & Flood 2014), simple enough to be written again in a few
// lines of Python, which is what tests/reference does to check every field of results.json.
namespace atcav {

class Stream {
 public:
  explicit Stream(std::uint64_t seed, std::initializer_list<std::uint64_t> key = {});

  std::uint64_t next();
  // Uniform on [0, 1) with 53 bits.
  double uniform();
  // Uniform on 0 … bound-1: the high word of next() · bound.
  Index below(Index bound);
  // Standard normal, Box–Muller, both values used.
  double normal();
  // rows × columns independent standard normals, row by row.
  Matrix normal_matrix(Index rows, Index columns);
  // 0 … n-1 in random order (Fisher–Yates from the end).
  std::vector<Index> permutation(Index n);

 private:
  std::uint64_t state_;
  double spare_ = 0;
  bool has_spare_ = false;
};

// A word for a key from a name (FNV-1a), so that a concept's numbers do not depend on what else is tested.
std::uint64_t key_word(std::string_view name);

// Kinds of task, the first word of a key: two kinds never share a stream.
enum Task : std::uint64_t {
  kTaskSplit = 1,
  kTaskBootstrap = 2,
  kTaskHalves = 3,
  kTaskJackknife = 4,
  kTaskPermutation = 5,
  kTaskRandomNull = 6,
  kTaskSimulation = 8,
  kTaskRepeat = 9,
  kTaskDemo = 10,
  kTaskInputs = 11,
  kTaskDirections = 12,
  kTaskFolds = 13,
  kTaskReading = 14,
  kTaskClusters = 40,
  kTaskPermutedDirections = 41,
  kTaskPositions = 42,
  kTaskShuffledDirection = 43,
  kTaskRandomImages = 44,
  kTaskHalvesOfSets = 45,
  kTaskAutoencoder = 46,
};

}  // namespace atcav
