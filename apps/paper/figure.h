#pragma once

#include <optional>
#include <string>
#include <vector>

// What the reproduction of the paper consists of: figures made of curves, and claims that were checked.
// Plain data: report/paper_html.h draws it, report/paper_json.h and report/paper_csv.h write it down.
namespace atcav::paper {

enum class Style {
  kLine,    // theory, exact
  kDashed,  // theory, approximate
  kPoints,  // simulated or measured
  kJoined,  // measured, points joined by a line
  kBars,    // histogram
};

struct Curve {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> error;  // standard error of each y; empty: none known
  Style style = Style::kLine;
  int colour = 0;      // curves of one colour belong together
  bool listed = true;  // in the legend
};

struct Axis {
  std::string title;
  bool logarithmic = false;
  std::vector<std::string> labels;  // for x = 0, 1, …; empty: numbers
};

// A statement of the paper, of the theory, or of ours, and what came out here.
struct Claim {
  std::string text;
  std::optional<double> paper;      // the paper's number
  std::optional<double> ours;       // the number found here
  std::optional<double> deviation;  // largest, in standard errors of the simulation
  bool holds = true;
  // A failed check means that the program is wrong; otherwise it is a finding about the paper.
  bool check = false;
};

struct Mark {  // a line across the chart at this x
  double x = 0;
  std::string label;
};

struct Figure {
  std::string id;  // also the name of its CSV file
  std::string title;
  std::string caption;
  Axis x;
  Axis y;
  std::vector<Curve> curves;
  std::vector<Mark> marks;
  std::vector<Claim> claims;
};

}  // namespace atcav::paper
