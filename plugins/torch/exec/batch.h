#pragma once

#include "plugins/torch/import/plan.h"

// Many exporters write the batch they saw into the graph: Reshape to [1, 768], a class token of shape
// [1, 1, 768] joined to the patches, elements of the flattened tensor picked by number. Here the network is
// run side by side on one batch and on one twice as large; where a constant does not follow, the step gets a
// BatchScale, and at the end the results for two inputs together are compared with those for each alone. A
// graph that passes this test as it is stays as it is.
namespace atcav::plugin {

struct SlotShape {
  Sizes shape;                  // with `base` examples
  std::int64_t batch_dim = -1;  // the size that grows with the batch; −1: none, or more than one
  at::ScalarType type = at::kFloat;
  // Where tokens and batch were made one dimension, tokens outside: how many of them. That dimension is
  // left × batch × what comes after.
  std::int64_t left = 1;

  std::size_t batch_at() const { return batch_dim < 0 ? 0 : static_cast<std::size_t>(batch_dim); }
};

struct BatchStudy {
  std::int64_t base = 1;             // examples the model was exported for
  std::vector<SlotShape> shapes;     // by slot; empty where the slot was not computed
  bool batchable = false;            // any number of examples can be run at once
  std::string obstacle;              // if not, why
  std::vector<std::string> adapted;  // titles of the steps that were given a BatchScale
};

// Made-up inputs: numbers between 0 and 1 (0 or 1 for integers, 1 for masks) that differ with `seed`. Sizes
// the model leaves open are `base` for the first, 224 for height and width of 4-d inputs, 16 elsewhere,
// unless `shapes` (one per input, without the batch) say otherwise; sizes with the same symbol are equal,
// std::invalid_argument where `shapes` have it otherwise.
Tensors example_inputs(const Network& network, const std::vector<Sizes>& shapes, std::int64_t base, int seed);

// `output` must be computable. A graph that takes any batch is left as it is; otherwise scaled_dim of steps
// changes. Throws only if not even one example runs.
BatchStudy study_batch(Network& network, Slot output, const std::vector<Sizes>& input_shapes = {});

}  // namespace atcav::plugin
