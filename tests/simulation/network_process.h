#pragma once

#include <string>

#include "atcav/result.h"
#include "tests/simulation/use_process.h"

// Whole runs on closed-form networks (docs/theory/significance.md): examples and inputs are drawn anew each
// time, a concept is added and taken away, and what that does with endless examples and inputs is known.
//
// The layer is the network's input, h. The concept moves h along its first kTold columns. How the logit uses
// them:
//   linear   strength · (h_1 + h_2 + h_3)/3 + what all other columns say
//   MLP      tanh units: half of them see only the concept's columns, half only the others
//   skewed   u(h) · (h_1 + h_2 + h_3), u a centred lognormal of another column: each input has a use of its
//            own, on average none
//   split    the same with u = 1 for nine inputs of ten and -9 for one
namespace atcav::simulation {

enum class Tail { kLinear, kMlp, kSkewed, kSplit };
inline constexpr Index kTold = 3;

struct NetworkProcess {
  Tail tail = Tail::kLinear;
  double strength = 0;
  Index n_concept = 50;
  Index n_random = 300;
  Index inputs = 30;
  Rows rows = Rows::kNormal;
};
std::string words(const NetworkProcess& process);

// With verdict, warnings and all else.
Result run_once(const NetworkProcess& process, std::uint64_t number);
std::vector<Result> run_all(const NetworkProcess& process, Index count);

// With endless examples and inputs, from 100,000 drawn ones.
struct NetworkTruth {
  double odd_random = 0, odd_class = 0, even_random = 0, erased = 0;
  double standardised = 0;  // first order, in standard deviations of the logit over random inputs
};
NetworkTruth truth_of(const NetworkProcess& process);

}  // namespace atcav::simulation
