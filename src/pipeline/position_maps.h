#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/analyse.h"
#include "pipeline/opened_set.h"
#include "pipeline/session.h"

// Maps over the positions of a layer (height and width of a convolution's result; tokens of a sequence), for
// the inputs that a report shows (pipeline/extremes.h). With the direction w of a CAV, the gradient z and the
// activations h of an input, all of them channels × positions,
//   sensitivity(p) = Σ_c z(c, p) · w(c, p)   where the sensitivity comes from: Σ_p sensitivity(p) = S = z · w
//   activation(p)  = Σ_c h(c, p) · w(c, p)   where the concept is found
// Both are for layers that are kept whole: pooled rows have no positions left.
namespace atcav {

// Positions of a layer that is not pooled; none where it has one at most, more than two dimensions of them,
// or more than kMostTokens in a row.
inline constexpr Index kMostTokens = 512;
struct PositionLayout {
  Index height = 1;
  Index width = 1;
  Index channels = 1;
  bool channels_first = true;
  bool tokens = false;  // one dimension: words, patches
};
std::optional<PositionLayout> position_layout(const model::Layer& layer, model::Pool pool);

// Of one input, `row` and `direction` of channels · positions numbers: the products summed over channels, and
// over square cells of positions where height or width is more than kMostCells. Row by row.
inline constexpr Index kMostCells = 14;
std::vector<double> position_products(const PositionLayout& layout,
                                      const Eigen::Ref<const Eigen::RowVectorXf>& row,
                                      const Eigen::Ref<const Eigen::VectorXf>& direction);

// Fills Result::maps of at most kMapped results, shared equally among the layers, those with the largest
// effects first.
//
//   PositionMapper maps(session, classes);
//   maps.map_sensitivities(0, layer);    // layer after layer, while its directions are at hand
//   maps.map_activations(results);       // of all layers
//
// Activations are computed at the end, all layers of an input at once and each input by itself: what they are
// does not depend on the others. In a run of several ranks that is done by the one that analyses, as with
// interventions. Examples from code are not asked for a second time: of those there are no maps of
// activations.
class PositionMapper {
 public:
  static constexpr Index kMapped = 100;
  // `sets`: the classes, and others behind them.
  PositionMapper(Session& session, std::vector<OpenedSet>& sets) : session_(session), sets_(sets) {}

  void map_sensitivities(std::size_t number, const AnalysedLayer& layer);
  void map_activations(std::vector<Result>& results);

 private:
  struct Direction {
    Eigen::VectorXf values;
    std::string sha256;
  };
  struct Mapped {
    std::size_t layer;
    std::size_t of_class;
    std::size_t result;  // its place among the results of all layers
    std::shared_ptr<const Direction> direction;
  };
  struct Wanted {
    const Mapped* mapped;
    PositionMap* map;
  };
  std::vector<std::vector<Index>> blocks_of(const OpenedSet& set, const std::vector<Wanted>& wanted) const;
  void map_activations(OpenedSet& set, const std::vector<Wanted>& wanted) const;

  Session& session_;
  std::vector<OpenedSet>& sets_;
  std::size_t results_ = 0;  // of the layers so far
  std::vector<Mapped> mapped_;
};

}  // namespace atcav
