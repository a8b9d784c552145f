#include "apps/paper/problem.h"

#include <cmath>

#include "atcav/theory.h"
#include "core/check.h"
#include "core/parallel.h"

namespace atcav::paper {
namespace {

constexpr double kPaperConceptRho = 0.4;

pass::Projections project(const Problem& problem, const Vector& mean, double rho, Index rows,
                          Stream& stream) {
  const Matrix examples = stats::sample_toeplitz(mean, rho, rows, stream);
  return {problem.gradients * examples.transpose(), Vector::Ones(rows), {}};
}

}  // namespace

void for_each_draw(Index count, const PaperOptions& options, std::string_view name,
                   std::optional<std::uint64_t> key, const std::function<void(Index, Stream&)>& body) {
  const std::uint64_t word = key_word(name);
  parallel_for(count, options.threads, [&](Index i) {
    const auto number = static_cast<std::uint64_t>(i);
    Stream stream = key ? Stream(options.seed, {kTaskSimulation, word, *key, number})
                        : Stream(options.seed, {kTaskSimulation, word, number});
    body(i, stream);
  });
}

Problem make_problem(const ProblemOptions& options, Stream& stream) {
  check_at_least("make_problem", "dimension", options.dimension, 1);
  check_non_negative("make_problem", "length", options.length);
  Problem problem;
  problem.mean = stream.normal_matrix(options.dimension, 1);
  problem.mean *= options.length / problem.mean.norm();
  const double pull = options.random_pull ? options.pull * stream.normal() : options.pull;
  problem.gradients = stream.normal_matrix(options.inputs, options.dimension);
  if (options.alike > 0) {
    problem.gradients *= std::sqrt(1 - options.alike);
    problem.gradients.rowwise() +=
        std::sqrt(options.alike) * stream.normal_matrix(1, options.dimension).row(0);
  }
  problem.gradients.rowwise() += pull * problem.mean.transpose();
  if (options.null) problem.mean.setZero();
  problem.concept_rho = options.null ? kRandomRho : options.concept_rho;
  return problem;
}

Examples draw_examples(const Problem& problem, Index n_random, Index n_concept, Stream& stream) {
  const Vector zero = Vector::Zero(problem.mean.size());
  pass::Projections random = project(problem, zero, kRandomRho, n_random, stream);
  return {std::move(random), project(problem, problem.mean, problem.concept_rho, n_concept, stream)};
}

Matrix draw_sensitivities(const Problem& problem, Index n_random, Index n_concept, Index count,
                          Stream& stream) {
  const Vector zero = Vector::Zero(problem.mean.size());
  Matrix directions(count, zero.size());
  for (Index i = 0; i < count; ++i) {
    const Vector random = stats::sample_toeplitz(zero, kRandomRho, 1, stream).transpose();
    const Vector of_concept = stats::sample_toeplitz(zero, problem.concept_rho, 1, stream).transpose();
    directions.row(i) = (problem.mean + of_concept / std::sqrt(static_cast<double>(n_concept)) -
                         random / std::sqrt(static_cast<double>(n_random)))
                            .transpose();
  }
  return directions * problem.gradients.transpose();
}

Vector scores_of(const Matrix& sensitivities, const stats::ScoreRule& rule) {
  Vector scores(sensitivities.rows());
  for (Index i = 0; i < scores.size(); ++i) scores(i) = stats::score(Vector(sensitivities.row(i)), rule);
  return scores;
}

Vector sensitivity_errors(const Problem& problem, Index n_random, Index n_concept) {
  const Index d = problem.mean.size();
  const Matrix covariance =
      stats::toeplitz_covariance(d, kRandomRho) / static_cast<double>(n_random) +
      stats::toeplitz_covariance(d, problem.concept_rho) / static_cast<double>(n_concept);
  const Matrix moved = problem.gradients * covariance;
  return moved.cwiseProduct(problem.gradients).rowwise().sum().cwiseSqrt();
}

stats::TwoClasses make_classes(Index dimension, double length, Index n_random, Index n_concept,
                               Stream& stream) {
  Vector mean = stream.normal_matrix(dimension, 1);
  mean *= length / mean.norm();
  return {{-mean, stats::toeplitz_covariance(dimension, kRandomRho)},
          {mean, stats::toeplitz_covariance(dimension, kPaperConceptRho)},
          n_random,
          n_concept};
}

ClassRows draw_rows(const stats::TwoClasses& classes, Index n_random, Index n_concept, Stream& stream) {
  Matrix random = stats::sample_toeplitz(classes.random.mean, kRandomRho, n_random, stream);
  return {std::move(random),
          stats::sample_toeplitz(classes.of_concept.mean, kPaperConceptRho, n_concept, stream)};
}

}  // namespace atcav::paper
