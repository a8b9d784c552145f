#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "atcav/matrix.h"
#include "atcav/theory.h"

// What the reproduction of the paper consists of: figures made of curves, and claims that were checked.
// Plain data: paper_html.h draws it and writes it down.
//
//   Figure figure = make_figure("ratio", "Variance ratio", "One CAV per run.", {"runs s", true}, {"ratio"});
//   Curve measured{"measured", Style::kPoints, 0};
//   measured.add(10, Estimate{0.47, 0.01});
//   figure.curves = {measured};
//   figure.claims = {check("the ratio is below 1", 0.47, 0.47 < 1)};
namespace atcav::paper {

struct PaperOptions {
  Index repeats = 50;  // of each experiment on a model; simulations take fixed multiples of it, so that
                       // their standard errors shrink as 1/√repeats
  std::uint64_t seed = 0;
  int threads = 0;  // 0: all available; never changes a result
  // Called between pieces of work, from one thread; may throw to stop it.
  std::function<void(const std::string& stage, Index done, Index total)> progress = {};
};

enum class Style {
  kLine,    // theory, exact
  kDashed,  // theory, approximate
  kPoints,  // simulated or measured
  kJoined,  // measured, points joined by a line
  kBars,    // histogram
};

// A simulated or measured number with its standard error.
struct Estimate {
  double value = 0;
  double error = 0;
};

struct Curve {
  std::string name;
  Style style = Style::kLine;
  int colour = 0;      // curves of one colour belong together
  bool listed = true;  // in the legend
  std::vector<double> x = {};
  std::vector<double> y = {};
  std::vector<double> error = {};  // standard error of each y; empty: none known

  void add(auto at, double value) {
    x.push_back(static_cast<double>(at));
    y.push_back(value);
  }
  void add(auto at, const Estimate& estimate) {
    add(at, estimate.value);
    error.push_back(estimate.error);
  }
};

// The curve with the function's value at every point of `x`.
Curve function_curve(Curve curve, const std::vector<double>& x,
                     const std::function<double(double)>& function);
// Bars of area 1 over 30 equal bins of [low, high]; values outside have no bar but count in the total.
Curve density_histogram(const std::string& name, const std::vector<double>& values, double low, double high,
                        int colour);
Curve normal_curve(const std::string& name, const stats::NormalLaw& law, double low, double high, int colour);
// Evenly spaced numbers, both ends included; with `logarithmic` evenly in their logarithms.
std::vector<double> grid(double first, double last, Index count, bool logarithmic = false);

struct Axis {
  std::string title;
  bool logarithmic = false;
  std::vector<std::string> labels = {};  // for x = 0, 1, …; empty: numbers
};

// A statement of the paper, of the theory, or of ours, and what came out here.
struct Claim {
  std::string text;
  std::optional<double> paper = {};      // the paper's number
  std::optional<double> ours = {};       // the number found here
  std::optional<double> deviation = {};  // largest, in standard errors of the simulation
  bool holds = true;
  // A failed check means that the program is wrong; otherwise it is a finding about the paper.
  bool check = false;
  std::string where = {};     // in the paper, of what it claims
  std::string untested = {};  // why it cannot be tested here; then neither holds nor fails
};
Claim check(const std::string& text, double ours, bool holds);
Claim finding(const std::string& text, std::optional<double> paper, double ours, bool holds);
// The paper says so, there.
Claim claimed(const std::string& where, Claim claim);
Claim untested(const std::string& where, const std::string& text, const std::string& why);
// "agrees" or "FAILS" of a check, "holds" or "does not hold" of a finding, or "cannot be tested".
const char* verdict(const Claim& claim);

struct Mark {  // a line across the chart at this x
  double x = 0;
  std::string label;
};

struct Figure {
  std::string id;  // also the name of its CSV file
  std::string title;
  std::string caption = {};
  Axis x = {};
  Axis y = {};
  std::vector<Curve> curves = {};
  std::vector<Mark> marks = {};
  std::vector<Claim> claims = {};
};

Figure make_figure(std::string id, std::string title, std::string caption, Axis x, Axis y,
                   std::vector<Curve> curves = {});

}  // namespace atcav::paper
