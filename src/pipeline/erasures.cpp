#include "pipeline/erasures.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "core/long_products.h"
#include "data/file/sha256.h"
#include "fit/fit_rows.h"
#include "pipeline/interventions.h"
#include "pipeline/warnings.h"
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
  return data::sha256(std::span(values.data(), static_cast<std::size_t>(values.size())));
}

// Numbers that all that is asked depends on.
template <typename Asked>
std::string key_of(const Asked& asked) {
  return fmt::format("{} {} {} {}", hash_of(asked.directions.template cast<double>()), hash_of(asked.offset),
                     hash_of(asked.seen.rows()), hash_of(asked.at_centre));
}

bool is_largest(const MatrixF& logits, Index row, Index column, Index count) {
  return logits(row, column) >= logits.row(row).head(count).maxCoeff();
}

Vector mean_of_random(const ExampleGroups& groups) {
  return groups.means().transpose() * groups.random_mean() + groups.centre();
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

struct Erasures::Asked {
  MatrixF directions;
  Vector offset;        // of the eraser
  SentDirections seen;  // the eraser's readers, and below them the others
  Vector at_centre;     // what the others make of the pass's centre, around which their products are
};

// One row per input.
struct Erasures::Erased {
  Index logits;
  Matrix changes;    // of each column
  Matrix hits;       // whether the class's logit was the largest, and is
  Matrix shares;     // inputs × concepts
  Matrix gradients;  // g_j · others
  Matrix inputs;     // (h_j − centre) · others
};

Erasures::Erasures(Session& session, const InterventionBases& bases, std::size_t number,
                   const AnalysedLayer& layer, const InterventionOptions& options)
    : session_(session), bases_(bases), number_(number), layer_(layer), options_(options) {}

Index Erasures::column_of(std::size_t of_class) const {
  const ClassTarget& target = bases_.targets[of_class];
  return target.is_plain() ? target.logits.front()
                           : session_.facts.logit_count + static_cast<Index>(of_class);
}

void Erasures::each_block(Base& base, const OnBlock& body) {
  Index first = 0;
  for (const Base::Block& block : base.blocks(number_)) {
    const Rows& activations = base.activations(block, number_);
    body(block, Placement(activations, session_.layers[number_], session_.pool, block.mask), first);
    first += activations.rows();
  }
}

Erasures::Asked Erasures::asked(const stats::Eraser& eraser, const Matrix& others) const {
  Matrix seen(eraser.readers.rows() + others.rows(), eraser.readers.cols());
  seen.topRows(eraser.readers.rows()) = eraser.readers;
  seen.bottomRows(others.rows()) = others;
  return {eraser.directions.cast<float>(), eraser.offset, SentDirections(session_, std::move(seen)),
          others * layer_.data.pass->centre};
}

// Gradients are asked for where there are others.
Erasures::Erased Erasures::erased(Base& base, std::size_t of_class, const Asked& asked) {
  const Index concepts = asked.directions.rows();
  const Index others = asked.at_centre.size();
  const Index behind = 2 + concepts + 2 * others;
  const int threads = options_.run.threads;
  const std::string what =
      !session_.cache ? "" : fmt::format("erased, by products\n{}\n{}", key_of(asked), base.key(number_));
  const auto run = [&] {
    MatrixF rows = MatrixF::Zero(base.inputs(), base.columns() + behind);
    const std::vector<std::size_t> wanted = others > 0 ? std::vector{of_class} : std::vector<std::size_t>{};
    each_block(base, [&](const Base::Block& block, const Placement& place, Index first) {
      Matrix inputs = place.pooled_products(asked.seen, threads);
      inputs.leftCols(concepts).rowwise() -= asked.offset.transpose();
      inputs.rightCols(others).rowwise() -= asked.at_centre.transpose();
      const MatrixF taken = -inputs.leftCols(concepts).cast<float>();
      const Base::Answer answer =
          base.run(block, number_, {taken, place.all_steps(asked.directions)}, wanted);
      auto here = rows.middleRows(first, inputs.rows());
      here.leftCols(base.columns()) = answer.outputs - block.outputs;
      if (bases_.targets[of_class].is_plain()) {
        for (Index j = 0; j < here.rows(); ++j) {
          const auto hit = [&](const MatrixF& logits) {
            return is_largest(logits, j, column_of(of_class), base.logits()) ? 1.0F : 0.0F;
          };
          here(j, base.columns()) = hit(block.outputs);
          here(j, base.columns() + 1) = hit(answer.outputs);
        }
      }
      here.middleCols(base.columns() + 2, concepts) = -taken;
      if (others == 0) return;
      const Matrix gradients = answer.gradients.front().through(
          [&](const Rows& at) { return place.gradient_products(at, asked.seen, threads); });
      here.middleCols(base.columns() + 2 + concepts, others) = gradients.rightCols(others).cast<float>();
      here.rightCols(others) = inputs.rightCols(others).cast<float>();
    });
    return rows;
  };
  const Matrix rows = session_.cache.kept(what, base.inputs(), base.columns() + behind, run).cast<double>();
  return {base.logits(),
          rows.leftCols(base.columns()),
          rows.middleCols(base.columns(), 2),
          rows.middleCols(base.columns() + 2, concepts),
          rows.middleCols(base.columns() + 2 + concepts, others),
          rows.rightCols(others)};
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
const std::vector<MeanAndSd>& Erasures::controls(std::span<Base> classes, const ExampleGroups& groups,
                                                 Index random_set) {
  const auto [place, is_new] = controls_.try_emplace(random_set);
  if (!is_new) return place->second;
  const Index random = groups.random_groups();
  const Matrix differences =
      groups.halves(kControls, options_.run.seed).leftCols(random) * groups.means().topRows(random);
  const Vector squares = differences.rowwise().squaredNorm();
  // Halves that are alike are nothing to take away.
  const Vector scales = (squares.array() > 0).select(squares.cwiseInverse(), 0);
  stats::Eraser eraser{differences, scales.asDiagonal() * differences, {}};
  eraser.offset = eraser.readers * mean_of_random(groups);
  const Asked asked = this->asked(eraser, Matrix(0, differences.cols()));
  for (std::size_t k = 0; k < classes.size(); ++k)
    place->second.push_back(mean_and_sd(control_changes(classes[k], k, asked).colwise().mean().transpose()));
  return place->second;
}

// Of the class's column: inputs × controls.
Matrix Erasures::control_changes(Base& base, std::size_t of_class, const Asked& asked) {
  const std::string what = !session_.cache ? ""
                                           : fmt::format("controls of erasing, class {}\n{}\n{}", of_class,
                                                         key_of(asked), base.key(number_));
  const auto run = [&] {
    MatrixF changes(base.inputs(), kControls);
    each_block(base, [&](const Base::Block& block, const Placement& place, Index first) {
      const Matrix read = place.pooled_products(asked.seen, options_.run.threads);
      const MatrixF taken = (-(read.rowwise() - asked.offset.transpose())).cast<float>();
      for (Index i = 0; i < kControls; ++i) {
        const model::Steps steps{taken.col(i), place.steps(asked.directions.row(i).transpose())};
        const Base::Answer answer = base.run(block, number_, steps, {});
        changes.col(i).segment(first, taken.rows()) =
            answer.outputs.col(column_of(of_class)) - block.outputs.col(column_of(of_class));
      }
    });
    return changes;
  };
  return session_.cache.kept(what, base.inputs(), kControls, run).cast<double>();
}

std::vector<std::optional<Erasure>> Erasures::of_test(std::size_t test, const ExampleGroups& groups,
                                                      std::span<Base> classes) {
  const Index random_set = layer_.sets[test].second;
  const Matrix& means = groups.means();
  const Matrix difference = groups.difference().transpose() * means;
  const Teller teller = this->teller(test, groups);
  const bool pattern = teller.direction.size() == 0;
  std::vector<std::optional<Erasure>> results(classes.size());
  const auto eraser = stats::make_eraser(
      difference, pattern ? difference : Matrix(teller.direction.transpose()), mean_of_random(groups));
  if (!eraser) return results;
  // δ and μ without each group are combinations of group means, and so is w for pattern: products with those
  // are enough. Other w come behind them.
  const Index variants = means.rows();
  Matrix others(variants + (pattern ? 0 : 1 + teller.without.rows()), means.cols());
  others.topRows(variants) = means;
  if (!pattern) {
    others.row(variants) = teller.direction.transpose();
    others.bottomRows(teller.without.rows()) = teller.without;
  }
  const Matrix inner = long_products(others, means, options_.run.threads);
  const Asked asked = this->asked(*eraser, others);
  const Matrix differences = groups.differences_without();
  const Matrix random_means = groups.random_means_without();
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const Erased found = erased(classes[k], k, asked);
    Erasure& erasure = results[k].emplace(summary(found, k));
    erasure.eraser = teller.method;
    // What the change would be less than now, to first order in the network, were a group not there.
    const Vector along = found.gradients.leftCols(variants) * groups.difference();
    const Vector now = found.shares.col(0).cwiseProduct(along);
    Vector changes(variants);
    for (Index v = 0; v < variants; ++v) {
      const Eigen::RowVectorXd own = differences.row(v);
      const Index other = variants + (teller.without.rows() > 0 ? 1 + v : 0);
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
    erasure.control = controls(classes, groups, random_set)[k];
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
    random_mean = mean_of_random(groups);
    concepts.push_back(layer_.data.names.concepts[test]);
    method = teller.method;
  }
  const auto eraser = stats::make_eraser(differences, directions, random_mean);
  if (!eraser) return results;
  const Asked asked = this->asked(*eraser, Matrix(0, differences.cols()));
  for (std::size_t k = 0; k < classes.size(); ++k) {
    Erasure erasure = summary(erased(classes[k], k, asked), k);
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
