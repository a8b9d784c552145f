#include "apps/paper/figure.h"

#include <cmath>

#include "stats/normal.h"

namespace atcav::paper {

Curve function_curve(Curve curve, const std::vector<double>& x,
                     const std::function<double(double)>& function) {
  for (const double at : x) curve.add(at, function(at));
  return curve;
}

Curve density_histogram(const std::string& name, const std::vector<double>& values, double low, double high,
                        int colour) {
  constexpr int kBins = 30;
  const double width = (high - low) / kBins;
  Curve bars{name, Style::kBars, colour};
  for (int bin = 0; bin < kBins; ++bin) bars.add(low + (bin + 0.5) * width, 0);
  for (const double value : values) {
    const int bin = static_cast<int>(std::floor((value - low) / width));
    if (bin >= 0 && bin < kBins) bars.y[bin] += 1;
  }
  for (double& y : bars.y) y /= static_cast<double>(values.size()) * width;
  return bars;
}

Curve normal_curve(const std::string& name, const stats::NormalLaw& law, double low, double high,
                   int colour) {
  const double sd = std::sqrt(law.variance);
  return function_curve({name, Style::kLine, colour}, grid(low, high, 121),
                        [&](double x) { return stats::normal_pdf((x - law.mean) / sd) / sd; });
}

std::vector<double> grid(double first, double last, Index count, bool logarithmic) {
  std::vector<double> values;
  for (Index i = 0; i < count; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(count - 1);
    values.push_back(logarithmic ? first * std::pow(last / first, t) : first + t * (last - first));
  }
  return values;
}

Figure make_figure(std::string id, std::string title, std::string caption, Axis x, Axis y,
                   std::vector<Curve> curves) {
  return {std::move(id), std::move(title), std::move(caption), std::move(x), std::move(y), std::move(curves)};
}

Claim check(const std::string& text, double ours, bool holds) { return {text, {}, ours, {}, holds, true}; }

Claim finding(const std::string& text, std::optional<double> paper, double ours, bool holds) {
  return {text, paper, ours, {}, holds, false};
}

Claim claimed(const std::string& where, Claim claim) {
  claim.where = where;
  return claim;
}

Claim untested(const std::string& where, const std::string& text, const std::string& why) {
  return {.text = text, .where = where, .untested = why};
}

const char* verdict(const Claim& claim) {
  if (!claim.untested.empty()) return "cannot be tested";
  if (claim.check) return claim.holds ? "agrees" : "FAILS";
  return claim.holds ? "holds" : "does not hold";
}

}  // namespace atcav::paper
