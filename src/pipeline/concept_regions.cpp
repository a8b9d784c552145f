#include "pipeline/concept_regions.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "atcav/effect.h"
#include "atcav/interval.h"
#include "atcav/random.h"
#include "core/parallel.h"
#include "fit/fit_refitter.h"
#include "fit/inputs_refitter.h"
#include "fit/noise.h"
#include "pass/pass_products.h"
#include "pipeline/held_out_accuracy.h"
#include "pipeline/kept_rows.h"

namespace atcav {
namespace {

Index rows_of(const pass::Pass& pass, Index set) { return pass.sets[set].projections.columns(); }

Index first_row(const pass::Pass& pass, Index set) {
  Index first = 0;
  for (Index before = 0; before < set; ++before) first += rows_of(pass, before);
  return first;
}

// Activations play the gradients of a pass: some of them at a time with every row that it has kept.
Matrix products_with_inputs(const pass::Pass& pass, const KeptRows& inputs, int threads) {
  constexpr Index kRows = 64;
  constexpr Index kInputs = 128;
  const Eigen::VectorXf centre = pass.centre.cast<float>();
  pass::CarriedSums unused(Matrix::Zero(1, pass.dimension));
  Matrix products(inputs.rows(), first_row(pass, std::ssize(pass.sets)));
  for (Index begin = 0; begin < inputs.rows(); begin += kInputs) {
    MatrixF places = inputs.read(begin, std::min(kInputs, inputs.rows() - begin));
    places.rowwise() -= centre.transpose();
    pass::Projector projector(places, centre, pass.exact, threads);
    for (Index set = 0; set < std::ssize(pass.sets); ++set) {
      for (Index first = 0; first < rows_of(pass, set); first += kRows) {
        MatrixF rows(std::min(kRows, rows_of(pass, set) - first), pass.dimension);
        pass.backend->read_rows(set, first, rows);
        products.block(begin, first_row(pass, set) + first, places.rows(), rows.rows()) =
            projector.project(rows, 0, unused);
      }
    }
  }
  return products;
}

// What one tells right and the other does not, set by set, as accuracy is balanced.
struct Gain {
  double value = 0;
  stats::Interval interval{-1, 1};
};
Gain gain_of(const RightRows& region, const RightRows& direction, const Test& test, const LayerData& data,
             double level) {
  const auto of_set = [&](const std::vector<bool>& own, const std::vector<bool>& other, Index set) {
    const std::vector<Index>& scored = data.pass->sets[set].held_out.rows;
    const bool all = other.size() == own.size();
    double gained = 0;
    double lost = 0;
    for (std::size_t i = 0; i < other.size(); ++i) {
      const bool here = own[all ? i : static_cast<std::size_t>(scored[i])];
      gained += here && !other[i] ? 1 : 0;
      lost += !here && other[i] ? 1 : 0;
    }
    const auto trials = static_cast<double>(other.size());
    return Gain{(gained - lost) / trials, stats::paired_change_interval(gained, lost, trials, level)};
  };
  const Gain random = of_set(region.random, direction.random, test.random_set);
  const Gain positive = of_set(region.concept_rows, direction.concept_rows, test.concept_set);
  const double value = (random.value + positive.value) / 2;
  const double below =
      std::hypot(random.value - random.interval.low, positive.value - positive.interval.low) / 2;
  const double above =
      std::hypot(random.interval.high - random.value, positive.interval.high - positive.value) / 2;
  return {value, {value - below, value + above}};
}

}  // namespace

ConceptRegions::ConceptRegions(const LayerData& data, const Options& options)
    : data_(data), options_(options) {
  if (data.class_rows && !data.pass->features)
    products_ = products_with_inputs(*data.pass, *data.class_rows, options.threads);
}

// Around the same centre as fit::fit_rows has the examples.
std::optional<fit::InputPlaces> ConceptRegions::places(const Test& test) const {
  if (!data_.class_rows) return std::nullopt;
  const pass::Pass& pass = *data_.pass;
  const Index inputs = data_.class_rows->rows();
  const Index random = rows_of(pass, test.random_set);
  const Index positive = rows_of(pass, test.concept_set);
  fit::InputPlaces found;
  found.products.resize(inputs, random + positive);
  Vector centre = pass.centre;
  if (pass.features) {
    Matrix rows(random + positive, pass.dimension);
    rows << pass.features->middleRows(first_row(pass, test.random_set), random).cast<double>(),
        pass.features->middleRows(first_row(pass, test.concept_set), positive).cast<double>();
    centre = stats::centre(rows).transpose();
    const Matrix values = data_.class_rows->read(0, inputs).cast<double>().rowwise() - centre.transpose();
    found.products = values * rows.transpose();
  } else {
    found.products << products_.middleCols(first_row(pass, test.random_set), random),
        products_.middleCols(first_row(pass, test.concept_set), positive);
  }
  found.squares.resize(inputs);
  found.along.resize(inputs);
  parallel_for(inputs, options_.threads, [&](Index j) {
    const Eigen::RowVectorXd place = data_.class_rows->read(j, 1).cast<double>().row(0) - centre.transpose();
    found.squares(j) = place.squaredNorm();
    found.along(j) = data_.gradients.row(j).cast<double>().dot(place);
  });
  return found;
}

std::vector<Region> ConceptRegions::of_test(const Test& test, const pass::HeldOutScores& linear) const {
  const pass::Pass& pass = *data_.pass;
  const Index random = rows_of(pass, test.random_set);
  const std::optional<fit::InputPlaces> places = this->places(test);
  const fit::FitRows as_rows =
      fit::fit_rows(pass, data_.gradients, test.random_set, test.concept_set, true, options_.threads);
  const fit::RegionRows rows = fit::region_rows(as_rows, random, places ? &*places : nullptr);
  const stats::CavOptions svm{.method = stats::CavMethod::kSvm, .cost = options_.cav.cost};
  const auto refitter =
      std::make_shared<fit::FitRefitter>(rows.rows, random, svm, options_.threads, /*in_steps=*/true);
  const pass::HeldOutScores held_out =
      refitter->held_out_scores(pass.sets[0].held_out.folds, options_.threads);
  const Accuracy accuracy = held_out_accuracy(held_out, options_.level);
  const Gain gain = gain_of(right_rows(held_out), right_rows(linear), test, data_, options_.level);
  const Region region{rows.width,
                      accuracy.held_out,
                      accuracy.interval,
                      accuracy.auc,
                      accuracy.auc_interval,
                      gain.value,
                      gain.interval,
                      {}};
  std::vector<Region> regions(data_.names.classes.size(), region);
  if (!places) return regions;
  const Vector& coefficients = refitter->direction();
  const Vector of_rows = rows.rows.products * coefficients;
  const double middle = (of_rows.head(random).mean() + of_rows.tail(of_rows.size() - random).mean()) / 2;
  const Vector scores = (rows.at_inputs * coefficients).array() - middle;
  const Vector slopes = rows.slopes(coefficients, *places);
  const auto shared = std::make_shared<fit::SharedRefits>(refitter);
  for (std::size_t k = 0; k < regions.size(); ++k) {
    const Index first = data_.names.first_input(k);
    const Index count = data_.names.classes[k].inputs;
    RegionAtInputs& found = regions[k].inputs.emplace();
    const double above =
        static_cast<double>((scores.segment(first, count).array() > accuracy.threshold).count());
    found.inside = above / static_cast<double>(count);
    found.inside_interval = stats::share_interval(above, static_cast<double>(count), options_.level);
    const double slope = std::sqrt(slopes.segment(first, count).squaredNorm() / static_cast<double>(count));
    const double scale = slope > 0 ? rows.apart / slope : 0;
    const fit::InputsRefitter own(shared, first, count);
    const fit::JackknifeNoise noise(own, /*smooth=*/false,
                                    {options_.seed, key_word(test.name), options_.threads, options_.pairs});
    const Vector sensitivities = scale * own.full();
    const double error = scale * noise.error_along(Vector::Constant(count, 1 / static_cast<double>(count)));
    stats::MeanNoise of_mean;
    of_mean.examples = {error * error, noise.degrees()};
    const stats::Effect effect = stats::measure_effect(sensitivities, scale * noise.input_errors(), of_mean,
                                                       stats::RandomSpread{}, options_.level);
    found.sensitivities.assign(sensitivities.begin(), sensitivities.end());
    found.logits = effect.logits;
    found.interval = effect.interval;
    found.p = effect.p;
  }
  return regions;
}

void correct_regions(std::vector<Result>& results) {
  std::vector<double> p;
  const auto has = [](const Result& result) { return result.region && result.region->inputs; };
  for (const Result& result : results)
    if (has(result)) p.push_back(result.region->inputs->p);
  const std::vector<double> bonferroni = stats::bonferroni(p);
  const std::vector<double> hochberg = stats::benjamini_hochberg(p);
  std::size_t i = 0;
  for (Result& result : results) {
    if (!has(result)) continue;
    result.region->inputs->bonferroni = bonferroni[i];
    result.region->inputs->benjamini_hochberg = hochberg[i++];
  }
}

}  // namespace atcav
