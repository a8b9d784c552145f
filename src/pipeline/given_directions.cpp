#include "pipeline/given_directions.h"

#include <algorithm>
#include <cmath>

#include "atcav/effect.h"
#include "atcav/random.h"
#include "core/check.h"
#include "core/parallel.h"
#include "pipeline/score_concept.h"

namespace atcav {

GivenDirections::GivenDirections(const LayerData& data, const Options& options)
    : data_(data), options_(options) {
  check_same("analyse", "columns", "the directions", data.directions.cols(), "the gradients",
             data.gradients.cols());
  Index first = 0;
  for (const LayerNames::Class& of_class : data.names.classes) {
    const auto rows = data.gradients.middleRows(first, of_class.inputs).cast<double>();
    classes_.push_back({first, of_class.inputs, rows.colwise().mean().norm(), 0});
    first += of_class.inputs;
  }
  multiply();
  draw_random();
}

// In blocks of directions; each number is a product of its own, so threads change nothing.
void GivenDirections::multiply() {
  constexpr Index kBlock = 64;
  const Matrix& directions = data_.directions;
  products_.resize(data_.gradients.rows(), directions.rows());
  parallel_for((directions.rows() + kBlock - 1) / kBlock, options_.threads, [&](Index block) {
    const Index first = block * kBlock;
    const Index count = std::min(kBlock, directions.rows() - first);
    for (Index row = 0; row < products_.rows(); ++row) {
      const Vector gradient = data_.gradients.row(row).cast<double>();
      products_.row(row).segment(first, count).noalias() =
          (directions.middleRows(first, count) * gradient).transpose();
    }
  });
}

void GivenDirections::draw_random() {
  constexpr double kMostNumbers = 2e7;
  const Index d = data_.gradients.cols();
  drawn_ = std::clamp<Index>(static_cast<Index>(kMostNumbers / static_cast<double>(d)), 100, 1000);
  Matrix hits(drawn_, std::ssize(classes_));
  parallel_for(drawn_, options_.threads, [&](Index k) {
    Stream stream(options_.seed,
                  {kTaskDirections, key_word(data_.names.layer), static_cast<std::uint64_t>(k)});
    const Vector direction = stream.normal_matrix(d, 1);
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      Vector along(classes_[c].inputs);
      for (Index j = 0; j < along.size(); ++j)
        along(j) = data_.gradients.row(classes_[c].first + j).cast<double>().dot(direction.transpose());
      const double p = stats::measure_effect_of_direction(along, options_.level).p;
      hits(k, static_cast<Index>(c)) = p < 1 - options_.level ? 1 : 0;
    }
  });
  for (std::size_t c = 0; c < classes_.size(); ++c)
    classes_[c].significant = hits.col(static_cast<Index>(c)).mean();
}

Result GivenDirections::result(Index which, std::size_t of_class, Index zero_gradients) const {
  const OfClass& own = classes_[of_class];
  Result result =
      score_direction(products_.col(which).segment(own.first, own.inputs), zero_gradients, options_);
  const double size = data_.directions.row(which).norm() * own.mean_gradient;
  FromInputs::Baseline& baseline = result.given->baseline;
  baseline.logits = size / std::sqrt(static_cast<double>(data_.directions.cols()));
  if (size > 0) baseline.p = stats::random_direction_p(result.effect.logits / size, data_.directions.cols());
  baseline.drawn = drawn_;
  baseline.significant = own.significant;
  return result;
}

}  // namespace atcav
