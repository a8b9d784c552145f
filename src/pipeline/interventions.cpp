#include "pipeline/interventions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "atcav/interval.h"
#include "core/long_products.h"
#include "data/file/sha256.h"
#include "pipeline/dose_response.h"
#include "pipeline/erasures.h"
#include "pipeline/example_groups.h"
#include "pipeline/placement.h"
#include "pipeline/warnings.h"

namespace atcav {
namespace {

constexpr double kShareOfRun = 0.25;
constexpr double kGradientCost = 3;  // forward and backward, in forwards
constexpr Index kDoseCount = std::ssize(kDoses);

// Sums over inputs of odd and even parts and their powers, by dose.
class Sums {
 public:
  explicit Sums(Index columns) {
    for (Matrix* sum : {&odd_, &odd_squares_, &odd_cubes_, &even_, &even_squares_})
      *sum = Matrix::Zero(kDoseCount, columns);
  }

  void add(Index dose, const MatrixF& up, const MatrixF& down, const MatrixF& base) {
    const Matrix odd = (up.cast<double>() - down.cast<double>()) / 2;
    const Matrix even = (up.cast<double>() + down.cast<double>()) / 2 - base.cast<double>();
    odd_.row(dose) += odd.colwise().sum();
    odd_squares_.row(dose) += odd.cwiseAbs2().colwise().sum();
    odd_cubes_.row(dose) += odd.array().cube().matrix().colwise().sum();
    even_.row(dose) += even.colwise().sum();
    even_squares_.row(dose) += even.cwiseAbs2().colwise().sum();
  }

  // odd, its error, even, its error, skewness of odd below each other: 5·doses × columns.
  Matrix result(Index inputs) const {
    const auto n = static_cast<double>(inputs);
    const auto error = [&](const Matrix& sum, const Matrix& squares) {
      if (inputs < 2) return Matrix(Matrix::Zero(sum.rows(), sum.cols()));
      return Matrix(((squares / n - (sum / n).cwiseAbs2()).cwiseMax(0) / (n - 1)).cwiseSqrt());
    };
    const Eigen::ArrayXXd mean = odd_ / n;
    const Eigen::ArrayXXd variance = odd_squares_.array() / n - mean.square();
    const Eigen::ArrayXXd third = odd_cubes_.array() / n - 3 * mean * variance - mean.cube();
    // Equal but for rounding: not skewed.
    const auto spread = variance > 1e-10 * mean.square();
    Matrix all(kBlocks * kDoseCount, odd_.cols());
    all << odd_ / n, error(odd_, odd_squares_), even_ / n, error(even_, even_squares_),
        spread.select(third / variance.max(1e-300).pow(1.5), 0).matrix();
    return all;
  }
  static constexpr Index kBlocks = 5;

 private:
  Matrix odd_, odd_squares_, odd_cubes_, even_, even_squares_;
};

// A direction added to one base: what became of the logits, and mean gradients there.
struct Tried {
  Moved moved;
  std::vector<std::size_t> classes;  // with gradients
  std::vector<Matrix> up;            // of each: doses × channels, at h + t·w
  std::vector<Matrix> down;          // at h − t·w
};

class Adding {
 public:
  Adding(Session& session, Base& base, std::size_t layer, bool gradients, int threads)
      : session_(session), base_(base), layer_(layer), threads_(threads) {
    if (gradients) classes_ = base.askable();
  }

  // Answers are kept in the cache as one row.
  Tried add(const Eigen::VectorXf& direction) {
    const std::span values(direction.data(), static_cast<std::size_t>(direction.size()));
    const std::string what = fmt::format("added, with skewness, doses {}, gradients of {}\ndirection {}\n{}",
                                         fmt::join(kDoses, " "), fmt::join(classes_, " "),
                                         data::sha256(values), base_.key(layer_));
    const Index logits = Sums::kBlocks * kDoseCount * base_.columns();
    const Index slopes = 2 * kDoseCount * direction.size();
    const MatrixF row =
        session_.cache.kept(what, 1, logits + std::ssize(classes_) * slopes, [&] { return run(direction); });
    const auto part = [&](Index first, Index rows, Index columns) {
      return Matrix(Eigen::Map<const MatrixF>(row.data() + first, rows, columns).cast<double>());
    };
    const Matrix all = part(0, Sums::kBlocks * kDoseCount, base_.columns());
    const auto block = [&](Index number) { return all.middleRows(number * kDoseCount, kDoseCount); };
    Tried tried{
        {base_.inputs(), base_.logits(), block(0), block(1), block(2), block(3), block(4)}, classes_, {}, {}};
    for (std::size_t k = 0; k < classes_.size(); ++k) {
      const Index first = logits + static_cast<Index>(k) * slopes;
      tried.up.push_back(part(first, kDoseCount, direction.size()));
      tried.down.push_back(part(first + slopes / 2, kDoseCount, direction.size()));
    }
    return tried;
  }

 private:
  MatrixF run(const Eigen::VectorXf& direction) {
    Sums sums(base_.columns());
    std::vector<Matrix> slopes(2 * classes_.size(), Matrix::Zero(kDoseCount, direction.size()));
    for (const Base::Block& block : base_.blocks(layer_)) {
      const Rows& activations = base_.activations(block, layer_);
      const Placement place(activations, session_.layers[layer_], session_.pool, block.mask);
      const Matrix steps = place.steps(direction).cast<double>();
      for (Index t = 0; t < kDoseCount; ++t) {
        const MatrixF at_dose = (kDoses[static_cast<std::size_t>(t)] * steps).cast<float>();
        const auto answer = [&](float sign, std::size_t side) {
          Base::Answer found = base_.run(block, layer_, {MatrixF::Constant(1, 1, sign), at_dose}, classes_);
          for (std::size_t k = 0; k < classes_.size(); ++k) {
            slopes[2 * k + side].row(t) += found.gradients[k].through([&](const Rows& gradients) {
              return place.sum_of_gradients(session_.networks->first(), gradients, threads_);
            });
          }
          return std::move(found.outputs);
        };
        const MatrixF up = answer(1, 0);
        sums.add(t, up, answer(-1, 1), block.outputs);
      }
    }
    const MatrixF moved = sums.result(base_.inputs()).cast<float>();
    MatrixF row(1, moved.size() + std::ssize(slopes) * kDoseCount * direction.size());
    row.leftCols(moved.size()) = Eigen::Map<const MatrixF>(moved.data(), 1, moved.size());
    Index place = moved.size();
    for (const Matrix& slope : slopes) {
      const MatrixF mean = (slope / static_cast<double>(base_.inputs())).cast<float>();
      row.middleCols(place, mean.size()) = Eigen::Map<const MatrixF>(mean.data(), 1, mean.size());
      place += mean.size();
    }
    return row;
  }

  Session& session_;
  Base& base_;
  std::size_t layer_;
  int threads_;
  std::vector<std::size_t> classes_;
};

// odd has the gradient t·(up + down)/2 in w, even t·(up - down)/2.
MovedByExamples moved_by_examples(const Tried& tried, std::size_t of_class, const ExampleGroups& groups,
                                  int threads) {
  MovedByExamples found;
  const auto place = std::ranges::find(tried.classes, of_class);
  if (place == tried.classes.end()) return found;
  const auto k = static_cast<std::size_t>(place - tried.classes.begin());
  Matrix gradients(2 * kDoseCount, tried.up[k].cols());
  for (Index t = 0; t < kDoseCount; ++t) {
    const double half = kDoses[static_cast<std::size_t>(t)] / 2;
    gradients.row(t) = half * (tried.up[k].row(t) + tried.down[k].row(t));
    gradients.row(kDoseCount + t) = half * (tried.up[k].row(t) - tried.down[k].row(t));
  }
  // Means of groups are long: all doses read them at once.
  const Matrix along = long_products(groups.means(), gradients, threads);
  for (Index t = 0; t < kDoseCount; ++t) {
    found.odd.push_back(groups.variance_along(along.col(t)));
    found.even.push_back(groups.variance_along(along.col(kDoseCount + t)));
  }
  return found;
}

// Corrects every p that `each` hands out as one family.
struct TestedP {
  double p;
  double* bonferroni;
  double* benjamini_hochberg;
};
void correct(const std::vector<TestedP>& tests) {
  std::vector<double> p;
  p.reserve(tests.size());
  for (const TestedP& test : tests) p.push_back(test.p);
  const std::vector<double> bonferroni = stats::bonferroni(p);
  const std::vector<double> hochberg = stats::benjamini_hochberg(p);
  for (std::size_t i = 0; i < tests.size(); ++i) {
    *tests[i].bonferroni = bonferroni[i];
    *tests[i].benjamini_hochberg = hochberg[i];
  }
}

}  // namespace

Index tried_inputs(const InterventionCost& cost) {
  const auto tails = static_cast<double>(2 * Index{kDoses.size()} * cost.directions);
  double each = 0;
  for (const double depth : cost.depths) each += 1 + tails * (1 - depth);
  each *= static_cast<double>(cost.bases);
  const double run =
      static_cast<double>(cost.examples) + kGradientCost * static_cast<double>(cost.class_inputs);
  const double affordable = each > 0 ? kShareOfRun * run / each : kMostTried;
  return std::clamp(static_cast<Index>(affordable), kLeastTried, kMostTried);
}

Interventions::Interventions(Session& session, InterventionBases bases, InterventionOptions options)
    : session_(session), bases_(std::move(bases)), options_(std::move(options)) {
  for (std::size_t b = 0; bases_.inputs > 0 && b < bases_.sets.size(); ++b)
    inputs_.emplace_back(session_, bases_, b);
}

void Interventions::try_out(std::size_t number, const AnalysedLayer& layer) {
  if (inputs_.empty()) return;
  const std::span<Base> classes = std::span(inputs_).first(bases_.targets.size());
  const MatrixF steps = layer.steps();
  const bool has_examples = layer.data.pass.has_value();
  std::optional<Erasures> erasures;
  if (options_.erase && has_examples) erasures.emplace(session_, bases_, number, layer, options_);
  for (std::size_t test = 0; test < static_cast<std::size_t>(steps.rows()); ++test) {
    std::optional<ExampleGroups> groups;
    if (has_examples)
      groups.emplace(*layer.data.pass, layer.sets[test].first, layer.sets[test].second, options_.run.pairs);
    add_direction(number, layer, test, steps, groups);
    if (erasures) erase_concept(layer, test, erasures->of_test(test, *groups, classes));
  }
  if (erasures && options_.together)
    std::ranges::move(erasures->together(classes), std::back_inserter(together_));
}

void Interventions::add_direction(std::size_t number, const AnalysedLayer& layer, std::size_t test,
                                  const MatrixF& steps, const std::optional<ExampleGroups>& groups) {
  const std::size_t classes = bases_.targets.size();
  const bool has_random = bases_.sets.size() > classes;
  const Eigen::VectorXf direction = steps.row(static_cast<Index>(test)).transpose();
  std::vector<Tried> tried;  // by base
  for (Base& base : inputs_)
    tried.push_back(Adding(session_, base, number, groups.has_value(), options_.run.threads).add(direction));
  for (std::size_t k = 0; k < classes; ++k) {
    const ClassTarget& target = bases_.targets[k];
    const Index logits = tried[k].moved.classes;
    const Index column = target.is_plain() ? target.logits.front() : logits + static_cast<Index>(k);
    const auto response = [&](const Tried& on) {
      return dose_response(
          on.moved, column,
          groups ? moved_by_examples(on, k, *groups, options_.run.threads) : MovedByExamples{},
          options_.run.level);
    };
    Result& result = layer.results[k * static_cast<std::size_t>(steps.rows()) + test];
    Intervention& found = result.intervention.emplace();
    found.classes = target.is_plain() ? logits : 1;
    found.of_class = response(tried[k]);
    if (has_random && !target.per_input()) found.random = response(tried.back());
    found.ratio = found.of_class.odd.front() / kDoses.front() / layer.first_order(k, direction);
    for (std::string& warning : intervention_warnings(result, 1 - options_.run.level))
      result.warnings.push_back(std::move(warning));
  }
  if (!has_random) return;
  SpeaksFor& speaking = speaking_.emplace_back(speaks_for(tried.back().moved, bases_.labels));
  speaking.concept_name = layer.results[test].concept_name;
  speaking.layer = layer.data.names.layer;
}

void Interventions::erase_concept(const AnalysedLayer& layer, std::size_t test,
                                  std::vector<std::optional<Erasure>> by_class) {
  for (std::size_t k = 0; k < by_class.size(); ++k) {
    Result& result = layer.results[k * layer.sets.size() + test];
    result.erasure = std::move(by_class[k]);
    for (std::string& warning : erasure_warnings(result, 1 - options_.run.level))
      result.warnings.push_back(std::move(warning));
  }
}

void correct_interventions(std::vector<Result>& results) {
  std::vector<TestedP> erasures;
  for (Result& result : results) {
    if (result.erasure)
      erasures.push_back(
          {result.erasure->p, &result.erasure->bonferroni, &result.erasure->benjamini_hochberg});
  }
  correct(erasures);
  for (const bool on_random : {false, true}) {
    for (std::size_t t = 0; t < kDoses.size(); ++t) {
      std::vector<TestedP> tests;
      for (Result& result : results) {
        if (!result.intervention || (on_random && !result.intervention->random)) continue;
        DoseResponse& response = on_random ? *result.intervention->random : result.intervention->of_class;
        tests.push_back({response.p[t], &response.bonferroni[t], &response.benjamini_hochberg[t]});
      }
      correct(tests);
    }
  }
}

}  // namespace atcav
