#include "tests/simulation/use_process.h"

#include <cmath>

#include "atcav/theory.h"

namespace atcav::simulation {
namespace {

constexpr double kRho = 0.8;

double t3(Stream& stream) {
  double squares = 0;
  for (int k = 0; k < 3; ++k) {
    const double x = stream.normal();
    squares += x * x;
  }
  return stream.normal() / std::sqrt(squares / 3) / std::sqrt(3.0);
}

// Difference of two exponentials; every fifth is three times as wide. Variance 2(0.8 + 0.2·9) = 5.2.
double laplace_mixture(Stream& stream) {
  const double wide = stream.uniform() < 0.2 ? 3 : 1;
  const double laplace = std::log(1 - stream.uniform()) - std::log(1 - stream.uniform());
  return wide * laplace / std::sqrt(5.2);
}

double relu(Stream& stream) {
  const double pi = 3.14159265358979323846;
  const double mean = 1 / std::sqrt(2 * pi);
  return (std::max(0.0, stream.normal()) - mean) / std::sqrt(0.5 - mean * mean);
}

}  // namespace

std::string name(Rows rows) {
  switch (rows) {
    case Rows::kNormal:
      return "normal";
    case Rows::kT3:
      return "t3";
    case Rows::kRelu:
      return "ReLU";
    case Rows::kLaplaceMixture:
      return "Laplace mix";
    case Rows::kCorrelated:
      return "correlated";
  }
  return "";
}

Matrix draw_rows(Rows rows, Index n, Index dimension, Stream& stream) {
  if (rows == Rows::kNormal) return stream.normal_matrix(n, dimension);
  if (rows == Rows::kCorrelated) return stats::sample_toeplitz(Vector::Zero(dimension), kRho, n, stream);
  Matrix x(n, dimension);
  for (double& value : x.reshaped()) {
    value = rows == Rows::kT3 ? t3(stream) : rows == Rows::kRelu ? relu(stream) : laplace_mixture(stream);
  }
  return x;
}

Drawn draw(const Process& process, Stream& stream) {
  const Index d = process.dimension;
  Vector base = stream.normal_matrix(d, 1);
  base(0) = 0;
  Matrix covariance = Matrix::Identity(d, d);
  if (process.rows == Rows::kCorrelated) covariance = stats::toeplitz_covariance(d, kRho);
  const auto [n_concept, n_random, spread] = process.size;
  const auto n1 = static_cast<double>(n_random);
  const auto n2 = static_cast<double>(n_concept);
  const auto m = static_cast<double>(process.inputs);
  const double per_example = base.dot(covariance * base);
  const double of_examples = per_example * (1 / n1 + spread * spread / n2);
  const double of_inputs = process.alike ? 0 : process.shift * process.shift / m;
  base(0) = process.signal * std::sqrt(of_examples + of_inputs) / process.shift;

  Matrix gradients = stream.normal_matrix(process.inputs, d);
  if (process.alike) gradients.col(0).setZero();
  gradients.rowwise() += base.transpose();
  Matrix concept_rows = spread * draw_rows(process.rows, n_concept, d, stream);
  concept_rows.col(0).array() += process.shift;

  Drawn drawn;
  drawn.concept_rows = concept_rows.cast<float>();
  drawn.random_rows = draw_rows(process.rows, n_random, d, stream).cast<float>();
  drawn.gradients = gradients.cast<float>();
  drawn.logits = process.shift * base(0);
  drawn.d = drawn.logits / std::sqrt(base.dot(covariance * base));
  for (Index j = 0; j < process.inputs; ++j) drawn.signs.push_back(gradients(j, 0) > 0);
  drawn.positive = static_cast<double>((gradients.col(0).array() > 0).count()) / m;
  return drawn;
}

}  // namespace atcav::simulation
