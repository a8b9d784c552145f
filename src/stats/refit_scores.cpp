#include "stats/refit_scores.h"

#include <algorithm>
#include <cmath>

#include "core/cpu_clones.h"
#include "stats/normal.h"

namespace atcav::stats {
namespace {

Vector gammas_of(const Matrix& refits) {
  Vector gammas(refits.rows());
  for (Index k = 0; k < gammas.size(); ++k) gammas(k) = root_mean_square(refits.row(k).transpose());
  return gammas;
}

Vector spreads_of(const Matrix& refits) {
  Vector spreads(refits.rows());
  for (Index k = 0; k < spreads.size(); ++k) spreads(k) = spread(refits.row(k).transpose());
  return spreads;
}

// What each row is scaled by. Without a scale (0) a row is a step, and scored by itself.
Vector scaled_scores(const Matrix& refits, const ScoreRule& rule, const Vector& scales, int threads) {
  if (std::isinf(rule.steepness)) {
    const auto m = static_cast<double>(refits.cols());
    return (refits.array() > 0).cast<double>().rowwise().sum() / m;
  }
  if (rule.per_input.size() == 0 && (scales.array() > 0).all())
    return mean_sigmoids(refits, rule.steepness / scales.array(), threads);
  Vector found(refits.rows());
  for (Index k = 0; k < found.size(); ++k) found(k) = score(refits.row(k).transpose(), rule);
  return found;
}

constexpr Index kFloats = 16;

// GCC makes one AVX-512 register of it, two of AVX2's, or four of SSE2's.
using FloatLanes [[gnu::vector_size(kFloats * sizeof(float)), gnu::aligned(4), gnu::may_alias]] = float;

// Σ_j tanh(factor · x_j/2) of each row by the continued fraction of tanh up to its seventh term, cut where
// that reaches 1. `width` is a multiple of kFloats.
ATCAV_CPU_CLONES
void add_tanhs(const float* x, Index rows, Index width, const float* factors, float* sums) {
  constexpr float kReach = 4.97F;
  const FloatLanes reach = FloatLanes{} + kReach;
  for (Index r = 0; r < rows; ++r) {
    FloatLanes total{};
    const float half = factors[r] / 2;
    for (Index j = 0; j < width; j += kFloats) {
      FloatLanes z = half * *reinterpret_cast<const FloatLanes*>(x + r * width + j);
      z = z > reach ? reach : z;
      z = z < -reach ? -reach : z;
      const FloatLanes s = z * z;
      total += z * (135135 + s * (17325 + s * (378 + s))) / (135135 + s * (62370 + s * (3150 + s * 28)));
    }
    float sum = 0;
    for (Index l = 0; l < kFloats; ++l) sum += total[l];
    sums[r] = sum;
  }
}

}  // namespace

Vector scores_of_rows(const Matrix& refits, const ScoreRule& rule, int threads) {
  switch (rule.scale) {
    case ScoreRule::Scale::kGamma:
      return scaled_scores(refits, rule, gammas_of(refits), threads);
    case ScoreRule::Scale::kSpread:
      return scaled_scores(refits, rule, spreads_of(refits), threads);
    case ScoreRule::Scale::kOne:
      break;
  }
  return scaled_scores(refits, rule, Vector::Ones(refits.rows()), threads);
}

RefitScores::RefitScores(const Matrix& refits)
    : refits_(refits),
      gammas_(gammas_of(refits)),
      spreads_(spreads_of(refits)),
      scaled_(MatrixF::Zero(refits.rows(), (refits.cols() + kFloats - 1) / kFloats * kFloats)) {
  for (Index k = 0; k < refits.rows(); ++k)
    scaled_.row(k).head(refits.cols()) = (1 / gammas_(k) * refits.row(k)).cast<float>();
  const auto m = static_cast<float>(refits.cols());
  const Vector means = (scaled_.rowwise().sum() / m).cast<double>();
  const Vector cubes = (scaled_.cwiseAbs().array().cube().rowwise().sum() / m).cast<double>();
  const auto count = static_cast<double>(refits.rows());
  mean_sd_ = std::sqrt((means.array() - means.mean()).square().sum() / std::max(1.0, count - 1));
  cubes_ = std::sqrt(cubes.squaredNorm() / std::max(1.0, count - 1));
}

double RefitScores::flat_sd(double alpha) const {
  constexpr double kRounding = 1.001;  // floats
  return kRounding * (alpha / 4 * mean_sd_ + alpha * alpha * alpha / 48 * cubes_) + kRoughError;
}

Vector RefitScores::of(const ScoreRule& rule) const {
  if (rule.scale == ScoreRule::Scale::kOne) return scores_of_rows(refits_, rule);
  return scaled_scores(refits_, rule, rule.scale == ScoreRule::Scale::kGamma ? gammas_ : spreads_, 1);
}

Vector RefitScores::roughly(const ScoreRule& rule) const {
  const bool by_gamma = rule.scale == ScoreRule::Scale::kGamma;
  if (rule.scale == ScoreRule::Scale::kOne || rule.per_input.size() > 0 || std::isinf(rule.steepness))
    return {};
  constexpr Index kMostInputs = 10'000;  // whose floats add up within kRoughError
  if (refits_.cols() > kMostInputs || (!by_gamma && !(spreads_.array() > 0).all())) return {};
  // More than this is a step anyway, and no float.
  constexpr double kSteepest = 1e6;
  Eigen::VectorXf factors =
      Eigen::VectorXf::Constant(gammas_.size(), static_cast<float>(std::min(rule.steepness, kSteepest)));
  if (!by_gamma) factors = (rule.steepness * gammas_.array() / spreads_.array()).min(kSteepest).cast<float>();
  Eigen::VectorXf sums(gammas_.size());
  add_tanhs(scaled_.data(), scaled_.rows(), scaled_.cols(), factors.data(), sums.data());
  return 0.5 + sums.cast<double>().array() / (2 * static_cast<double>(refits_.cols()));
}

}  // namespace atcav::stats
