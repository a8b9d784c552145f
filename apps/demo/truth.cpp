#include "apps/demo/truth.h"

#include <fmt/format.h>

#include <algorithm>

#include "atcav/base/check.h"

namespace atcav::demo {
namespace {

DemoTruth truth(DemoSet concept_set, DemoSet class_set) {
  using enum DemoSet;
  const auto is = [&](DemoSet a, DemoSet b) { return concept_set == a && class_set == b; };
  const auto answer = [&](int sign, bool encoded, std::string_view why) {
    return DemoTruth{concept_set, class_set, sign, encoded, why};
  };
  if (concept_set == kRed) return answer(0, false, "the first layer takes the mean of the colour channels");
  if (concept_set == kLeft) return answer(0, true, "every class was shown at every position equally often");
  if (is(kStriped, kZebra)) return answer(1, true, "zebras are the striped animals");
  if (is(kDotted, kLeopard)) return answer(1, true, "leopards are the dotted animals");
  if (is(kStriped, kLeopard)) return answer(-1, true, "dotted animals with stripes are no leopards");
  if (is(kDotted, kZebra)) return answer(-1, true, "striped animals with dots are no zebras");
  return answer(-1, true, "horses are the animals without a texture");
}

}  // namespace

const std::vector<DemoSet>& demo_classes() {
  static const std::vector<DemoSet> classes = {DemoSet::kZebra, DemoSet::kLeopard, DemoSet::kHorse};
  return classes;
}

const std::vector<DemoSet>& demo_concepts() {
  static const std::vector<DemoSet> concepts = {DemoSet::kStriped, DemoSet::kDotted, DemoSet::kLeft,
                                                DemoSet::kRed};
  return concepts;
}

const std::vector<DemoTruth>& demo_truth() {
  static const std::vector<DemoTruth> table = [] {
    std::vector<DemoTruth> rows;
    for (const DemoSet class_set : demo_classes()) {
      for (const DemoSet concept_set : demo_concepts()) rows.push_back(truth(concept_set, class_set));
    }
    return rows;
  }();
  return table;
}

const DemoTruth& demo_truth(std::string_view concept_name, std::string_view class_name) {
  const auto found = std::find_if(demo_truth().begin(), demo_truth().end(), [&](const DemoTruth& row) {
    return name(row.concept_set) == concept_name && name(row.class_set) == class_name;
  });
  if (found == demo_truth().end()) {
    fail_argument("demo_truth", fmt::format("\"{}\" and \"{}\" are no concept and class of the demo",
                                            concept_name, class_name));
  }
  return *found;
}

}  // namespace atcav::demo
