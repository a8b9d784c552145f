#include "apps/paper/histogram.h"

#include <cmath>

#include "apps/paper/agreement.h"
#include "atcav/stats/normal.h"

namespace atcav::paper {

Curve density_histogram(const std::string& name, const std::vector<double>& values, double low, double high,
                        int colour) {
  constexpr int kBins = 30;
  const double width = (high - low) / kBins;
  Curve bars{name, {}, std::vector<double>(kBins, 0), {}, Style::kBars, colour, true};
  for (int bin = 0; bin < kBins; ++bin) bars.x.push_back(low + (bin + 0.5) * width);
  for (const double value : values) {
    const int bin = static_cast<int>(std::floor((value - low) / width));
    if (bin >= 0 && bin < kBins) bars.y[static_cast<std::size_t>(bin)] += 1;
  }
  for (double& y : bars.y) y /= static_cast<double>(values.size()) * width;
  return bars;
}

Curve normal_curve(const std::string& name, const stats::NormalLaw& law, double low, double high,
                   int colour) {
  Curve curve{name, {}, {}, {}, Style::kLine, colour, true};
  const double sd = std::sqrt(law.variance);
  for (const double x : grid(low, high, 121)) {
    curve.x.push_back(x);
    curve.y.push_back(stats::normal_pdf((x - law.mean) / sd) / sd);
  }
  return curve;
}

}  // namespace atcav::paper
