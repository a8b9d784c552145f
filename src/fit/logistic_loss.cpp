#include "fit/logistic_loss.h"

#include "stats/normal.h"

namespace atcav::fit {

Vector logistic_pulls(const WeightedRows& rows, double cost, const Vector& margins) {
  const Vector& w = rows.weights;
  const Vector& y = rows.labels;
  Vector pulls(w.size());
  for (Index i = 0; i < w.size(); ++i)
    pulls(i) = w(i) == 0 ? 0 : cost * w(i) * y(i) * stats::sigmoid(-y(i) * margins(i));
  return pulls;
}

double logistic_step(const WeightedRows& rows, double cost, const Vector& margins, const Vector& change,
                     double along, double squared) {
  const auto slope = [&](double length) {
    return along + length * squared - logistic_pulls(rows, cost, margins + length * change).dot(change);
  };
  const double first = slope(0);
  if (!(first < 0)) return 1;
  double low = 0;
  double high = 1;
  double length = 1;
  for (int i = 0; i < 60; ++i) {
    const double here = slope(length);
    if (here > -0.1 * first) {
      high = length;
    } else if (here < 0.1 * first && length < 1) {
      low = length;
    } else {
      break;
    }
    length = (low + high) / 2;
  }
  return length;
}

}  // namespace atcav::fit
