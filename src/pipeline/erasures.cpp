#include "pipeline/erasures.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "core/parallel.h"
#include "data/file/sha256.h"
#include "fit/fit_rows.h"
#include "pipeline/interventions.h"
#include "pipeline/placement.h"
#include "pipeline/warnings.h"
#include "stats/erasure.h"
#include "stats/ridge_span.h"

namespace atcav {
namespace {

constexpr Index kControls = 8;

MeanAndSd mean_and_sd(const VectorRef& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = values.mean();
  return {mean, n > 1 ? std::sqrt((values.array() - mean).square().sum() / (n - 1)) : 0};
}

std::string hash_of(const Matrix& values) {
  return data::sha256(std::string_view(reinterpret_cast<const char*>(values.data()),
                                       sizeof(double) * static_cast<std::size_t>(values.size())));
}

bool is_largest(const MatrixF& logits, Index row, Index column, Index count) {
  return logits(row, column) >= logits.row(row).head(count).maxCoeff();
}

// Ridge's direction on all examples of both sets, and without each group.
Teller ridge_teller(const LayerData& data, std::pair<Index, Index> sets, const ExampleGroups& groups,
                    double lambda, int threads) {
  const auto [concept_set, random_set] = sets;
  const fit::FitRows rows = fit::fit_rows(*data.pass, data.gradients, random_set, concept_set, true, threads);
  const Matrix products = rows.by_products() ? rows.products : Matrix(rows.rows * rows.rows.transpose());
  const Index n = products.rows();
  const Index random = data.pass->sets[random_set].projections.columns();
  const Index variants = groups.means().rows();
  Matrix coefficients = Matrix::Zero(1 + variants, n);
  coefficients.row(0) = stats::ridge_coefficients(products, random, lambda).transpose();
  for (Index v = 0; v < variants; ++v) {
    const bool of_random = v < groups.random_groups();
    const Index group = of_random ? v : v - groups.random_groups();
    const Index count = of_random ? groups.random_groups() : groups.concept_groups();
    std::vector<Index> kept;
    Index kept_random = 0;
    for (Index i = 0; i < n; ++i) {
      const Index row = i < random ? i : i - random;
      if ((i < random) == of_random && row % count == group) continue;
      kept.push_back(i);
      kept_random += i < random ? 1 : 0;
    }
    const Vector own = stats::ridge_coefficients(products(kept, kept), kept_random, lambda);
    for (std::size_t i = 0; i < kept.size(); ++i) coefficients(1 + v, kept[i]) = own(static_cast<Index>(i));
  }
  Matrix directions;
  if (rows.by_products()) {
    Matrix whole(coefficients.rows(), fit::layer_coordinates(*data.pass));
    for (Index v = 0; v < whole.rows(); ++v)
      whole.row(v) =
          fit::in_layer(*data.pass, coefficients.row(v).transpose(), random_set, concept_set).transpose();
    directions = fit::expand(*data.pass, whole, threads);
  } else {
    directions = coefficients * rows.rows;
  }
  return {"ridge", directions.row(0).transpose(), directions.bottomRows(variants)};
}

}  // namespace

// One row per input.
struct Erasures::Erased {
  Index logits;
  Matrix changes;    // of each column
  Matrix hits;       // whether the class's logit was the largest, and is
  Matrix shares;     // inputs × concepts
  Matrix gradients;  // g_j · products
  Matrix inputs;     // (h_j − centre) · products
};

Erasures::Erasures(Session& session, const InterventionBases& bases, std::size_t number,
                   const AnalysedLayer& layer, const InterventionOptions& options)
    : session_(session), bases_(bases), number_(number), layer_(layer), options_(options) {}

Index Erasures::column_of(std::size_t of_class) const {
  const ClassTarget& target = bases_.targets[of_class];
  return target.is_plain() ? target.logits.front()
                           : session_.facts.logit_count + static_cast<Index>(of_class);
}

// `random_mean` around the pass's centre. Gradients and inputs are multiplied with `products`, if there are
// some.
Erasures::Erased Erasures::erased(Base& base, std::size_t of_class, const Matrix& differences,
                                  const Matrix& directions, const Vector& random_mean,
                                  const Matrix& products) {
  const Vector& centre = layer_.data.pass->centre;
  const Index concepts = differences.rows();
  const Index behind = 2 + concepts + 2 * products.rows();
  const int threads = options_.run.threads;
  const std::string what =
      !session_.cache ? ""
                      : fmt::format("erased\n{}\n{}\n{}\n{}\n{}", hash_of(differences), hash_of(directions),
                                    hash_of(random_mean.transpose() + centre.transpose()), hash_of(products),
                                    base.key(number_));
  const auto run = [&] {
    const auto eraser = stats::make_eraser(differences, directions, random_mean + centre);
    MatrixF rows = MatrixF::Zero(base.inputs(), base.columns() + behind);
    Index first = 0;
    for (const Base::Block& block : base.blocks(number_)) {
      const Rows& activations = base.activations(block, number_);
      const Placement place(activations, session_.layers[number_], session_.pool, block.mask);
      const Matrix shares = place.whole() ? stats::shares(*eraser, activations.host())
                                          : stats::shares(*eraser, place.pooled().cast<float>());
      steps_.resize(activations.rows(), activations.columns());
      for (Index c = 0; c < concepts; ++c) {
        const MatrixF placed = place.steps(differences.row(c).transpose().cast<float>());
        parallel_for(steps_.rows(), threads, [&](Index j) {
          const auto way = static_cast<float>(-shares(j, c)) * placed.row(placed.rows() == 1 ? 0 : j);
          if (c == 0)
            steps_.row(j) = way;
          else
            steps_.row(j) += way;
        });
      }
      const std::vector<std::size_t> wanted =
          products.rows() > 0 ? std::vector{of_class} : std::vector<std::size_t>{};
      const Base::Answer answer = base.run(block, number_, steps_, wanted);
      auto here = rows.middleRows(first, steps_.rows());
      here.leftCols(base.columns()) = answer.outputs - block.outputs;
      if (bases_.targets[of_class].is_plain()) {
        for (Index j = 0; j < steps_.rows(); ++j) {
          const auto hit = [&](const MatrixF& logits) {
            return is_largest(logits, j, column_of(of_class), base.logits()) ? 1.0F : 0.0F;
          };
          here(j, base.columns()) = hit(block.outputs);
          here(j, base.columns() + 1) = hit(answer.outputs);
        }
      }
      here.middleCols(base.columns() + 2, concepts) = shares.cast<float>();
      if (products.rows() > 0) {
        here.middleCols(base.columns() + 2 + concepts, products.rows()) =
            place.gradient_products(answer.gradients.front()->host(), products, threads).cast<float>();
        here.rightCols(products.rows()) =
            place.pooled_products(centre.transpose(), products, threads).cast<float>();
      }
      first += steps_.rows();
    }
    return rows;
  };
  const Matrix rows = session_.cache.kept(what, base.inputs(), base.columns() + behind, run).cast<double>();
  return {base.logits(),
          rows.leftCols(base.columns()),
          rows.middleCols(base.columns(), 2),
          rows.middleCols(base.columns() + 2, concepts),
          rows.middleCols(base.columns() + 2 + concepts, products.rows()),
          rows.rightCols(products.rows())};
}

Erasure Erasures::summary(const Erased& erased, std::size_t of_class) const {
  const Index column = column_of(of_class);
  Erasure found;
  found.inputs = erased.changes.rows();
  const MeanAndSd change = mean_and_sd(erased.changes.col(column));
  found.change = change.mean;
  found.error_inputs = change.sd / std::sqrt(static_cast<double>(found.inputs));
  found.skewness = skewness_of(erased.changes.col(column));
  found.share = mean_and_sd(erased.shares.col(0));
  if (!bases_.targets[of_class].is_plain()) return found;
  const Eigen::RowVectorXd means = erased.changes.leftCols(erased.logits).colwise().mean();
  found.rank = 1 + (means.array() < found.change).count();
  found.top1_before = erased.hits.col(0).mean();
  found.top1_after = erased.hits.col(1).mean();
  return found;
}

Teller Erasures::teller(std::size_t test, const ExampleGroups& groups) const {
  const stats::CavOptions& cav = options_.run.cav;
  const bool own = !options_.eraser.has_value();
  const bool ridge = options_.eraser == EraserChoice::kRidge ||
                     (own && cav.method == stats::CavMethod::kRidge && cav.centred);
  if (ridge) return ridge_teller(layer_.data, layer_.sets[test], groups, cav.lambda, options_.run.threads);
  if (!own || stats::is_mean_difference(cav.method)) return {"pattern", {}};
  Vector direction = layer_.direction(static_cast<Index>(test));
  return direction.size() == 0 ? Teller{"pattern", {}}
                               : Teller{std::string(stats::name(cav.method)), std::move(direction)};
}

// Differences between random halves tell nothing but noise; each is taken away along itself.
MeanAndSd Erasures::control(Base& base, std::size_t of_class, const ExampleGroups& groups, Index random_set) {
  const auto known = controls_.find({of_class, random_set});
  if (known != controls_.end()) return known->second;
  const Matrix differences = groups.halves(kControls, options_.run.seed) * groups.means();
  const Vector random_mean = groups.means().transpose() * groups.random_mean();
  Vector changes(kControls);
  for (Index i = 0; i < kControls; ++i) {
    const Matrix difference = differences.row(i);
    changes(i) = difference.norm() > 0 ? erased(base, of_class, difference, difference, random_mean, {})
                                             .changes.col(column_of(of_class))
                                             .mean()
                                       : 0;
  }
  return controls_[{of_class, random_set}] = mean_and_sd(changes);
}

std::vector<std::optional<Erasure>> Erasures::of_test(std::size_t test, std::span<Base> classes) {
  const auto [concept_set, random_set] = layer_.sets[test];
  const ExampleGroups groups(*layer_.data.pass, concept_set, random_set, options_.run.pairs);
  const Matrix& means = groups.means();
  const Vector random_mean = means.transpose() * groups.random_mean();
  const Matrix difference = groups.difference().transpose() * means;
  const Teller teller = this->teller(test, groups);
  const Matrix direction = teller.direction.size() > 0 ? Matrix(teller.direction.transpose()) : difference;
  std::vector<std::optional<Erasure>> results(classes.size());
  if (!stats::make_eraser(difference, direction, random_mean)) return results;
  // δ and μ without each group are combinations of group means, and so is w for pattern: products with those
  // are enough. Other w come behind them.
  const Index variants = means.rows();
  Matrix products(variants + (teller.direction.size() > 0 ? 1 + teller.without.rows() : 0), means.cols());
  products.topRows(variants) = means;
  if (teller.direction.size() > 0) {
    products.row(variants) = direction;
    products.bottomRows(teller.without.rows()) = teller.without;
  }
  const Matrix inner = products * means.transpose();
  const Matrix differences = groups.differences_without();
  const Matrix random_means = groups.random_means_without();
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const Erased found = erased(classes[k], k, difference, direction, random_mean, products);
    Erasure& erasure = results[k].emplace(summary(found, k));
    erasure.eraser = teller.method;
    // What the change would be less than now, to first order in the network, were a group not there.
    const Vector along = found.gradients.leftCols(variants) * groups.difference();
    const Vector now = found.shares.col(0).cwiseProduct(along);
    Vector changes(variants);
    for (Index v = 0; v < variants; ++v) {
      const Eigen::RowVectorXd own = differences.row(v);
      const Index other = variants + (teller.without.rows() > 0 ? 1 + v : 0);
      const bool pattern = teller.direction.size() == 0;
      const Eigen::RowVectorXd told =
          pattern ? Eigen::RowVectorXd(own * inner.topRows(variants)) : Eigen::RowVectorXd(inner.row(other));
      const Vector seen = pattern ? Vector(found.inputs.leftCols(variants) * own.transpose())
                                  : Vector(found.inputs.col(other));
      const Eigen::ArrayXd shares = (seen.array() - told.dot(random_means.row(v))) / told.dot(own);
      const Vector slopes = found.gradients.leftCols(variants) * own.transpose();
      changes(v) = (shares.matrix().cwiseProduct(slopes) - now).mean();
    }
    // A concept without one of its two examples may be where random examples are: then there is no direction
    // to compare with.
    if (erasure.inputs > 1 && changes.allFinite()) {
      std::vector<stats::VariancePart> parts = groups.jackknife(changes);
      erasure.error_examples = std::sqrt(stats::total_variance(parts));
      parts.push_back({erasure.error_inputs * erasure.error_inputs, static_cast<double>(erasure.inputs - 1)});
      erasure.interval = stats::t_interval(erasure.change, parts, options_.run.level);
      erasure.p = stats::two_sided_p(erasure.change, parts);
    }
    erasure.control = control(classes[k], k, groups, random_set);
  }
  return results;
}

std::vector<JointErasure> Erasures::together(std::span<Base> classes) {
  std::vector<JointErasure> results;
  std::vector<std::string> concepts;
  Matrix differences(0, layer_.data.pass->dimension);
  Matrix directions = differences;
  Vector random_mean;
  std::string method;
  for (std::size_t test = 0; test < layer_.data.names.concepts.size(); ++test) {
    const ExampleGroups groups(*layer_.data.pass, layer_.sets[test].first, layer_.sets[test].second,
                               options_.run.pairs);
    const Teller teller = this->teller(test, groups);
    const Index row = differences.rows();
    differences.conservativeResize(row + 1, Eigen::NoChange);
    directions.conservativeResize(row + 1, Eigen::NoChange);
    differences.row(row) = groups.difference().transpose() * groups.means();
    directions.row(row) =
        teller.direction.size() > 0 ? Eigen::RowVectorXd(teller.direction.transpose()) : differences.row(row);
    random_mean = groups.means().transpose() * groups.random_mean();
    concepts.push_back(layer_.data.names.concepts[test]);
    method = teller.method;
  }
  if (!stats::make_eraser(differences, directions, random_mean)) return results;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    Erasure erasure = summary(erased(classes[k], k, differences, directions, random_mean, {}), k);
    erasure.eraser = method;
    if (erasure.inputs > 1) {
      erasure.interval = stats::t_interval(
          erasure.change,
          {{erasure.error_inputs * erasure.error_inputs, static_cast<double>(erasure.inputs - 1)}},
          options_.run.level);
    }
    results.push_back({layer_.data.names.layer, layer_.data.names.classes[k].name, concepts, erasure});
  }
  return results;
}

}  // namespace atcav
