#pragma once

#include <string>
#include <utility>
#include <vector>

#include "atcav/options.h"
#include "atcav/result.h"
#include "pass/projections.h"
#include "tests/simulation/use_process.h"

// What the simulations of the test of use share (docs/theory/significance.md and interval.md): a cell is a
// process, some hundred problems of it go through score(), as a user's data do, and a share of them is
// counted. ATCAV_REPEATS sets the problems per cell and asks for all cells; without it a part of them is run
// with few.
namespace atcav::simulation {

Index repeats(Index usual);
// Whether all cells are asked for, or the part of them that `make test` has time for.
bool whole();

// Every pair of numbers with every spread; one spread of each pair comes first.
inline const std::vector<Size> kSizes = {{15, 600, 2}, {50, 300, 0.6},  {100, 100, 1}, {15, 600, 0.6},
                                         {15, 600, 1}, {15, 600, 3},    {50, 300, 1},  {50, 300, 2},
                                         {50, 300, 3}, {100, 100, 0.6}, {100, 100, 2}, {100, 100, 3}};

// One result per problem, in order, whatever the threads.
using Solved = std::vector<std::pair<Drawn, Result>>;
// `resampled`: without it next to nothing is resampled, which the test of use does not need: far faster.
Solved solve(const Process& process, stats::CavMethod method, Index count, std::uint64_t seed = 11,
             bool resampled = true);

// z·x of the random and of the concept's rows, as after a pass.
struct Projected {
  pass::Projections random, of_concept;
};
Projected project(const Drawn& drawn);

struct Share {
  double value = 0;
  double error = 0;  // standard error
};
Share share(double hits, Index count);

// Shares of p-values below 0.05 and 0.01.
struct Levels {
  Share use_05, use_01, differs_05, welch_05;
};
Levels levels_of(const Solved& solved);

// Bounds widen with the simulation's own error, so that few problems make them weaker and never wrong.
void expect_within(const Share& found, double low, double high, const std::string& what);
// How far a level of 0.05 and of 0.01 may be off.
inline constexpr double kLow05 = 0.03, kHigh05 = 0.075, kLow01 = 0.003, kHigh01 = 0.022;
bool is_within(const Levels& found);

// Rows and size of a process; with its inputs and who uses the concept.
std::string cell(const Process& process);
std::string words(const Process& process);

}  // namespace atcav::simulation
