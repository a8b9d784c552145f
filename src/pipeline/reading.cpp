#include "pipeline/reading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "atcav/random.h"
#include "core/check.h"
#include "core/parallel.h"
#include "pipeline/evidence.h"
#include "pipeline/score_concept.h"
#include "stats/variance_parts.h"

namespace atcav {
namespace {

// Smaller steps would look more often without reading much less; a network wants blocks of some size.
constexpr double kGrowth = 1.2;
constexpr Index kLeastStep = 16;
// Of a set whose part of the variance is below this share of the larger one, more rows are not worth reading.
// The same beside what more rows cannot change, where that alone is too wide.
constexpr double kSmallPart = 0.1;
// With fewer random rows than so many times their kurtosis, an interval's width says little.
constexpr double kRowsPerKurtosis = 10;

// A set on its way.
struct SetInHand {
  std::vector<Index> order;
  Index read = 0;

  Index rows() const { return std::ssize(order); }
  bool ended() const { return read == rows(); }
  // Rows that it has after its next block.
  Index next(Index first_rows) const {
    const auto grown = static_cast<Index>(std::ceil(kGrowth * static_cast<double>(read)));
    return std::min(rows(), read == 0 ? first_rows : std::max(read + kLeastStep, grown));
  }
};

// The interval of d of one test and class, as far as it is known.
struct Width {
  bool narrow = false;
  bool beyond_reach = false;
  bool needs_concept = false;
  bool needs_random = false;
};

Width width_of(const stats::Effect& effect, const Evidence& evidence, Index inputs, bool concept_ended,
               bool random_ended, const Options& options) {
  const double until = *options.until;
  const stats::Effect::DErrors& errors = effect.d_errors;
  Width width;
  if (!effect.d) {  // so far random examples have not moved the logit
    width.beyond_reach = evidence.zero_gradients == inputs || (concept_ended && random_ended);
    width.needs_concept = width.needs_random = !width.beyond_reach;
    return width;
  }
  const auto half = [](const stats::Interval& interval) { return (interval.high - interval.low) / 2; };
  const bool known =
      random_ended || static_cast<double>(evidence.n_random) >= kRowsPerKurtosis * evidence.spread.kurtosis;
  width.narrow = known && half(effect.d_interval) <= until;
  std::vector<stats::VariancePart> stays;
  const auto add = [&stays](double error, Index rows) {
    if (error > 0) stays.push_back({error * error, static_cast<double>(std::max<Index>(1, rows - 1))});
  };
  add(errors.inputs, inputs);
  if (concept_ended) add(errors.of_concept, evidence.n_concept);
  if (random_ended) add(errors.random, evidence.n_random);
  width.beyond_reach = (concept_ended && random_ended) ||
                       (!stays.empty() && half(stats::t_interval(0, stays, options.level)) > until);
  const double of_concept = errors.of_concept * errors.of_concept;
  const double random = errors.random * errors.random;
  width.needs_concept = options.pairs || random_ended || of_concept > kSmallPart * random;
  width.needs_random = !known || concept_ended || random > kSmallPart * of_concept;
  if (!width.beyond_reach) return width;
  const double staying = stats::total_variance(stays);
  width.needs_concept = width.needs_concept && of_concept > kSmallPart * staying;
  width.needs_random = width.needs_random && random > kSmallPart * staying;
  return width;
}

class Reader {
 public:
  Reader(std::span<LayerData> layers, const std::vector<SetToRead>& sets, const Options& options,
         const ProjectRows& project, Index first_rows)
      : layers_(layers), about_(sets), options_(options), project_(project), first_rows_(first_rows) {
    options_.cav.method = stats::CavMethod::kPattern;
    options_.moments_only = false;
    for (const SetToRead& set : sets) {
      const std::uint64_t key = key_word(options.pairs ? "pairs" : role_text(set.role));
      sets_.push_back({Stream(options.seed, {kTaskReading, key}).permutation(set.rows), 0});
    }
    reading_.until = options.until;
    reading_.budget = options.budget;
    for (LayerData& layer : layers_) {
      layer.pass.emplace().sets.resize(sets.size());
      for (pass::SetPass& set : layer.pass->sets) set.projections.values.resize(layer.gradients.rows(), 0);
    }
  }

  RowsRead read() {
    std::vector<bool> wanted(sets_.size(), true);
    while (grow(wanted)) {
      if (options_.until) wanted = look();
    }
    for (LayerData& layer : layers_) layer.pass.reset();
    RowsRead found;
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      std::vector<Index>& rows =
          found.rows.emplace_back(sets_[s].order.begin(), sets_[s].order.begin() + sets_[s].read);
      std::ranges::sort(rows);
      reading_.sets.push_back({role_text(about_[s].role), sets_[s].read, sets_[s].rows()});
    }
    found.reading = reading_;
    return found;
  }

 private:
  // Reads the next block of the sets that are wanted; false if there is none.
  bool grow(const std::vector<bool>& wanted) {
    std::vector<Index> counts(sets_.size());
    for (std::size_t s = 0; s < sets_.size(); ++s)
      counts[s] = wanted[s] ? sets_[s].next(first_rows_) - sets_[s].read : 0;
    keep_to_budget(counts);
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      if (counts[s] > 0) add(static_cast<Index>(s), counts[s]);
    }
    return std::ranges::any_of(counts, [](Index count) { return count > 0; });
  }

  // Each set gets its share of what the budget has left.
  void keep_to_budget(std::vector<Index>& counts) const {
    if (!options_.budget) return;
    Index left = *options_.budget;
    for (const SetInHand& set : sets_) left -= set.read;
    const Index asked = std::accumulate(counts.begin(), counts.end(), Index{0});
    if (asked <= left) return;
    for (Index& count : counts) count = count * left / asked;
    if (options_.pairs) std::ranges::fill(counts, std::ranges::min(counts));
  }

  void add(Index s, Index count) {
    SetInHand& set = sets_[s];
    std::vector<Index> rows(set.order.begin() + set.read, set.order.begin() + set.read + count);
    std::ranges::sort(rows);
    const std::vector<Matrix> found = project_(s, rows);
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      pass::Projections& own = layers_[l].pass->sets[s].projections;
      own.values.conservativeResize(Eigen::NoChange, set.read + count);
      own.values.rightCols(count) = found[l];
      own.weights = Vector::Ones(set.read + count);
    }
    set.read += count;
  }

  // Of all tests; says which sets are to be read on.
  std::vector<bool> look() {
    ++reading_.looks;
    reading_.reached = true;
    reading_.beyond_reach = 0;
    std::vector<bool> wanted(sets_.size(), false);
    for (const LayerData& layer : layers_) {
      const std::vector<Test> tests = tests_of(layer.names);
      const auto count = std::ssize(tests);
      std::vector<Width> widths(tests.size() * layer.names.classes.size());
      parallel_for(std::ssize(widths), options_.threads, [&](Index i) {
        widths[i] = width(layer, tests[i % count], static_cast<std::size_t>(i / count));
      });
      for (std::size_t i = 0; i < widths.size(); ++i) {
        const Test& test = tests[i % tests.size()];
        if (widths[i].narrow) continue;
        reading_.reached = false;
        if (widths[i].beyond_reach) ++reading_.beyond_reach;
        if (widths[i].needs_concept) wanted[test.concept_set] = true;
        if (widths[i].needs_random) wanted[test.random_set] = true;
      }
    }
    if (options_.pairs) wanted.assign(wanted.size(), std::ranges::find(wanted, true) != wanted.end());
    return wanted;
  }

  Width width(const LayerData& layer, const Test& test, std::size_t of_class) const {
    Options options = options_;
    options.threads = 1;
    const Evidence evidence = mean_evidence(layer, test, of_class, options);
    return width_of(effect_of_means(evidence, options), evidence, layer.names.classes[of_class].inputs,
                    sets_[test.concept_set].ended(), sets_[test.random_set].ended(), options);
  }

  std::span<LayerData> layers_;
  const std::vector<SetToRead>& about_;
  Options options_;
  const ProjectRows& project_;
  Index first_rows_;
  std::vector<SetInHand> sets_;
  Reading reading_;
};

std::string sets_text(const Reading& reading) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> parts;
  Index read = 0;
  Index of = 0;
  std::size_t others = 0;
  for (const Reading::Set& set : reading.sets) {
    if (parts.size() < kNamed) {
      parts.push_back(parts.empty() ? fmt::format("{} of {} {} examples", set.read, set.of, set.name)
                                    : fmt::format("{} of {} of {}", set.read, set.of, set.name));
      continue;
    }
    read += set.read;
    of += set.of;
    ++others;
  }
  if (others > 0) parts.push_back(fmt::format("{} of {} of {} other concepts", read, of, others));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::string> notes_of(const Reading& reading, const Options& options, Index tests) {
  std::vector<std::string> notes;
  const std::string sets = sets_text(reading);
  if (!reading.until)
    return {fmt::format("read {}: the rule was the budget of {} examples", sets, *reading.budget)};
  notes.push_back(fmt::format("read {}: the rule was width, not significance (d ± {} or narrower)", sets,
                              *reading.until));
  if (reading.beyond_reach > 0) {
    notes.push_back(
        fmt::format("{} of {} intervals of d stay wider than ±{}, however many more examples are read: the "
                    "class inputs, or "
                    "sets that were read to their end, are too few",
                    reading.beyond_reach, tests, *reading.until));
  }
  Index read = 0;
  for (const Reading::Set& set : reading.sets) read += set.read;
  if (!reading.reached && reading.budget && read >= *reading.budget - std::ssize(reading.sets)) {
    notes.push_back(fmt::format("the budget of {} examples ended before all intervals of d were ±{}",
                                *reading.budget, *reading.until));
  }
  if (!stats::is_mean_difference(options.cav.method)) {
    notes.push_back(fmt::format("--until went by the width of pattern's d; that of {} may be wider",
                                stats::name(options.cav.method)));
  }
  return notes;
}

}  // namespace

ExampleProjector::ExampleProjector(std::span<const LayerData> layers, int threads)
    : layers_(layers), threads_(threads), projectors_(layers.size()) {}

Matrix ExampleProjector::project(std::size_t layer, const MatrixFRef& rows, const std::string& set,
                                 std::span<const Index> numbers) {
  std::unique_ptr<pass::Projector>& projector = projectors_[layer];
  const MatrixF& gradients = layers_[layer].gradients;
  if (!projector) {
    const Eigen::VectorXf centre = rows.colwise().mean().transpose();
    projector = std::make_unique<pass::Projector>(gradients, centre, false, threads_);
  }
  pass::CarriedSums sums(Matrix::Zero(1, rows.cols()));
  Matrix products = projector->project(rows, 0, sums);
  if (products.allFinite()) return products;
  for (Index i = 0; i < rows.rows(); ++i) check_finite("run", set, rows.middleRows(i, 1), numbers[i]);
  fail_argument("run", set + " has a value too large for its products with the gradients");
}

RowsRead read_until(std::span<LayerData> layers, const std::vector<SetToRead>& sets, const Options& options,
                    const ProjectRows& project, Index first_rows) {
  if (options.budget && *options.budget < 2 * std::ssize(sets)) {
    fail_argument("run", fmt::format("budget is {}, must be at least {}: 2 examples for each of {} sets",
                                     *options.budget, 2 * std::ssize(sets), sets.size()));
  }
  RowsRead found = Reader(layers, sets, options, project, first_rows).read();
  Index tests = 0;
  for (const LayerData& layer : layers)
    tests += std::ssize(tests_of(layer.names)) * std::ssize(layer.names.classes);
  found.notes = notes_of(found.reading, options, tests);
  return found;
}

}  // namespace atcav
