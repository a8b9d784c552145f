#include "atcav/run/given.h"

#include <fmt/format.h>

#include <cstdlib>

#include "atcav/base/check.h"
#include "atcav/base/parallel.h"
#include "atcav/run/warnings.h"
#include "atcav/stats/alpha.h"
#include "atcav/stats/score.h"

namespace atcav {
namespace {

// Inputs × directions. Each row is a product of its own, so threads change nothing.
Matrix sensitivities(const MatrixFRef& gradients, const Matrix& directions, int threads) {
  Matrix products(gradients.rows(), directions.rows());
  parallel_for(gradients.rows(), threads, [&](Index row) {
    const Vector gradient = gradients.row(row).cast<double>();
    products.row(row) = (directions * gradient).transpose();
  });
  return products;
}

void add_score(GivenScore& given, const Vector& s, const std::string& key, const stats::ScoreRule& rule,
               double level) {
  const double score = stats::score(s, rule);
  const double error = stats::mean_error(stats::score_terms(s, rule));
  given.intervals[key] = {stats::normal_interval(score, error, level), error};
  if (key != "tcav") given.alpha_tcav[key] = score;
}

GivenScore score_one(const Vector& s, const Options& options) {
  GivenScore given;
  given.n_class = s.size();
  given.tcav = stats::tcav(s);
  given.magnitude = stats::magnitude(s);
  given.zero_share = stats::zero_share(s);
  given.gamma = stats::root_mean_square(s);
  std::vector<std::string> keys = {"1", "3"};
  keys.insert(keys.end(), options.alpha.begin(), options.alpha.end());
  for (const std::string& key : keys)
    add_score(given, s, key, stats::alpha_rule(std::strtod(key.c_str(), nullptr)), options.level);
  add_score(given, s, "tcav", stats::indicator_rule(), options.level);
  given.headline = options.alpha.empty() ? "1" : options.alpha.front();
  given.profile = stats::sensitivity_profile(s);
  given.sensitivities.assign(s.begin(), s.end());
  return given;
}

}  // namespace

Options checked_for_given(const Options& options) {
  for (const std::string& alpha : options.alpha) {
    if (alpha != "star" && alpha != "dagger") continue;
    fail_argument("cavs",
                  fmt::format("alpha is {0}, must be a number: {0} comes from the noise of the CAV, which a "
                              "given direction does not tell",
                              alpha));
  }
  return checked(options);
}

std::vector<GivenScore> score_given(const LayerDirections& directions, const MatrixFRef& gradients,
                                    const std::vector<GivenClass>& classes, const Options& options) {
  check_same("score_given", "columns", "directions", directions.rows.cols(), "gradients", gradients.cols());
  const Matrix products = sensitivities(gradients, directions.rows, options.threads);
  std::vector<GivenScore> scores;
  Index first = 0;
  for (const GivenClass& of_class : classes) {
    const MatrixFRef own = gradients.middleRows(first, of_class.inputs);
    const Index zero_gradients = (own.rowwise().lpNorm<Eigen::Infinity>().array() == 0).count();
    for (Index c = 0; c < directions.rows.rows(); ++c) {
      GivenScore given = score_one(products.col(c).segment(first, of_class.inputs), options);
      given.concept_name = directions.concepts[c];
      given.class_name = of_class.name;
      given.layer = directions.layer;
      given.dimension = gradients.cols();
      given.warnings =
          sensitivity_warnings({given.tcav, given.zero_share, given.gamma, given.n_class, zero_gradients});
      scores.push_back(std::move(given));
    }
    first += of_class.inputs;
  }
  return scores;
}

}  // namespace atcav
