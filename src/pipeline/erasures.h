#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "atcav/intervention.h"
#include "pipeline/analyse.h"
#include "pipeline/base_inputs.h"
#include "pipeline/example_groups.h"
#include "pipeline/placement.h"
#include "stats/erasure.h"

// Takes concepts away from class inputs at a layer and runs the network on (atcav/intervention.h has the
// formula, stats/erasure.h computes it). With a pool, what is taken away is what the pool sees, where it
// looks.
//
// The change of the logit has two errors: of the inputs, paired; and of the examples, by leaving out a group
// of either set at a time. Without a group δ, w and μ are others, and so are the shares, exactly; only the
// network is taken as its gradient at the erased activations, so that it need not run again.
namespace atcav {

struct InterventionOptions;

// What tells a concept: the CAV's own direction or another one.
struct Teller {
  std::string method;
  Vector direction;     // w; empty: the difference of means
  Matrix without = {};  // w without a group of examples, random groups first; empty where it is held fixed
};

class Erasures {
 public:
  Erasures(Session& session, const InterventionBases& bases, std::size_t number, const AnalysedLayer& layer,
           const InterventionOptions& options);

  // By class; nothing where the direction does not tell the concept. `groups`: those of the test's sets.
  std::vector<std::optional<Erasure>> of_test(std::size_t test, const ExampleGroups& groups,
                                              std::span<Base> classes);
  // All concepts that are held against random examples, at once.
  std::vector<JointErasure> together(std::span<Base> classes);

 private:
  struct Erased;
  // What is taken away, what it is read by and what else inputs and gradients are multiplied with.
  struct Asked;
  // Calls with every block of the base and where the pool looks there; rows so far.
  using OnBlock = std::function<void(const Base::Block&, const Placement&, Index first)>;
  void each_block(Base& base, const OnBlock& body);
  Asked asked(const stats::Eraser& eraser, const Matrix& others) const;
  Erased erased(Base& base, std::size_t of_class, const Asked& asked);
  Teller teller(std::size_t test, const ExampleGroups& groups) const;
  const std::vector<MeanAndSd>& controls(std::span<Base> classes, const ExampleGroups& groups,
                                         Index random_set);
  Matrix control_changes(Base& base, std::size_t of_class, const Asked& asked);
  Erasure summary(const Erased& erased, std::size_t of_class) const;
  Index column_of(std::size_t of_class) const;

  Session& session_;
  const InterventionBases& bases_;
  std::size_t number_;
  const AnalysedLayer& layer_;
  const InterventionOptions& options_;
  std::map<Index, std::vector<MeanAndSd>> controls_;  // by random set and class
};

}  // namespace atcav
