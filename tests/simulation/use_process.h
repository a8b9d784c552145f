#pragma once

#include <string>
#include <vector>

#include "atcav/matrix.h"
#include "atcav/random.h"

// Problems unlike the ones the test of use was derived for (docs/theory/significance.md): heavy tails, rows
// that are never negative, correlated columns, unequal spreads and sizes. The concept is strongly encoded:
// its rows are moved by `shift` along the first column. How much the class uses it is the gradients' first
// column.
namespace atcav::simulation {

enum class Rows { kNormal, kT3, kRelu, kLaplaceMixture, kCorrelated };
inline constexpr Rows kAllRows[] = {Rows::kNormal, Rows::kT3, Rows::kRelu, Rows::kLaplaceMixture,
                                    Rows::kCorrelated};
std::string name(Rows rows);

struct Size {
  Index n_concept = 50;
  Index n_random = 300;
  double spread = 1;  // of the concept's rows, in units of the random rows'
};

struct Process {
  Rows rows = Rows::kNormal;
  Size size = {};
  Index inputs = 20;   // m
  double signal = 0;   // E S̄ in units of its standard error over new examples and inputs
  bool alike = false;  // no input uses more or less of the concept than another: only examples are drawn
  double shift = 5;
  Index dimension = 60;
};

struct Drawn {
  MatrixF concept_rows;
  MatrixF random_rows;
  MatrixF gradients;
  double logits = 0;    // what S̄ estimates
  double d = 0;         // what d estimates
  double positive = 0;  // share of these inputs whose true sensitivity is positive
  std::vector<bool> signs;
};

// n rows with mean 0 and standard deviation 1.
Matrix draw_rows(Rows rows, Index n, Index dimension, Stream& stream);
Drawn draw(const Process& process, Stream& stream);

}  // namespace atcav::simulation
