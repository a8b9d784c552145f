#include <atcav/atcav.h>

#include <cmath>
#include <cstdio>

// Reaches into every room whose private libraries a static link must find again: stats (fmt), span
// (oneDNN), io (files), report (fmt, JSON).
int main() {
  atcav::Stream stream(1);
  const atcav::Matrix random = stream.normal_matrix(40, 8);
  atcav::Matrix concept_rows = stream.normal_matrix(40, 8);
  concept_rows.col(0).array() += 2;
  const atcav::Matrix gradients = atcav::Matrix::Identity(8, 8);

  const atcav::stats::CavOptions svm{.method = atcav::stats::CavMethod::kSvm};
  const atcav::Vector direction = atcav::stats::fit_cav(random, concept_rows, svm).direction;
  atcav::Index largest = -1;
  direction.cwiseAbs().maxCoeff(&largest);

  atcav::span::MatrixSource random_source("random", random.cast<float>());
  atcav::span::MatrixSource concept_source("concept", concept_rows.cast<float>());
  const atcav::span::Pass pass =
      atcav::span::run_pass(gradients.cast<float>(), {&random_source, &concept_source}, {});
  // Gradient 0 is the first axis, along which the means were set 2 apart: 6 standard errors of 0.22.
  const double along = pass.sets[1].projections.mean()(0) - pass.sets[0].projections.mean()(0);

  std::printf("atcav %s: column %td, %.3f, %s", atcav::kVersion, largest, along,
              atcav::report::results_table({}, {}).c_str());
  return largest == 0 && std::abs(along - 2) < 1.4 ? 0 : 1;
}
