#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "atcav/config.h"
#include "atcav/model.h"
#include "atcav/options.h"
#include "atcav/result.h"

// Unnamed concepts, found in one half of the class inputs and tested on the other: what `atcav discover`
// does.
//
//   DiscoverConfig config;
//   config.run.model = "m.onnx";
//   config.run.layers = {"layer3"};
//   config.run.classes = {{"zebra", 340, "images/zebra"}};
//   config.run.random = "images/random";
//   Discovered found = discover(config);
//   found.candidates.front().use;   // Use::kFor: the class uses it
//
// The finding half of a class gives activations at positions (patches of a convolution's result, tokens of a
// sequence; whole rows where a layer has none). A finder puts them into candidates: k-means, nonnegative
// factors, or a sparse autoencoder (stats/sparse_autoencoder.h), trained where the network runs. A
// candidate's examples are its patches, of each input their mean; its direction goes from the mean of random
// images to the mean of these, and is added at every position, as with `--pooling mean`.
//
// The testing half, which the finder has not seen, says what the direction does: gradients at these inputs,
// adding it to random images of a half that was not used either, and taking it away. p-values are corrected
// over all candidates of all classes and layers. A candidate is called used when
//   1. adding or taking it away moves the logit (pipeline/verdict.h), and
//   2. it goes with the network more than its own values put at other channels do
//      (stats/permuted_directions.h), the largest of all candidates standing for each.
// As baselines, as many clusters of as many random images, found in the same way, and as many random
// directions of the same length show what discovery reports where there is nothing to discover.
namespace atcav {

enum class Finder { kKMeans, kNmf, kSae };
std::string_view name(Finder finder);  // "kmeans", "nmf", "sae"
Finder read_finder(const std::string& text);

struct DiscoverConfig {
  Config run;            // model, layers, classes, random, named concepts, groups of class inputs, options
  Index candidates = 8;  // of each class at each layer, before near-equal ones are merged
  Finder finder = Finder::kKMeans;
  // A file of directions instead of a finder (include/atcav/run.h), or FILE:TENSOR. Of more than 100 each
  // class tests those along which its logit changes most at the finding half.
  std::string dictionary;
  Index positions = 0;  // kept of a set at a layer, drawn at random; 0: 67 million numbers
  double merge = 0.95;  // candidates with a larger cosine are one
  // Test on the finding half too, as other tools do: for simulations of the bias.
  bool reuse = false;
};

inline constexpr Index kPatchesShown = 6;  // of each candidate, one an input

// The position at which a held-out input shows a candidate most.
struct ShownPatch {
  Index input = 0;            // of the class, in name order, from 0
  std::string file;           // empty for arrays
  Index position = 0;         // of the layer, row by row
  double strength = 0;        // along the direction, in lengths of it: 1 is as much as the candidate's mean
  std::vector<double> cells;  // of all positions; empty where not all were kept. Never in results.json
};

// A direction to compare candidates with.
struct Baseline {
  std::string kind;   // "random images": a cluster of these; "random direction"
  double logits = 0;  // first order, on the testing half of the class inputs
  double adding = 0;  // odd part at dose 1 on random inputs
};

struct Candidate {
  std::string name;  // "zebra 1": as Result::concept_name; the largest of a class is 1
  Result result;     // tests on the other half, as for any concept; its verdict is that of the network alone
  Use use = Use::kNoEvidence;  // of both conditions
  std::string text;            // the verdict in words
  // Of condition 2: corrected over the candidates of all classes and layers.
  double baseline_p = 1;
  double cosine = 0;         // the larger one of those with the mean gradients at class and random inputs
  double usual_cosine = 0;   // median of the largest among permuted candidates
  double random_images = 0;  // logits that adding a cluster of random images moves the class by, at most
  Vector direction;          // channels: from the mean of random images to that of its patches
  Index positions = 0;       // that it was found in, and in how many inputs of the finding half
  Index inputs = 0;
  double share = 0;           // of the finding half's positions
  Index held_out_inputs = 0;  // of the testing half that show it
  double held_out_share = 0;  // of its positions
  double agreement =
      0;  // cosine of its direction with that of the testing half's patches against other random images
  std::vector<Index> merged;  // near-equal candidates that went into it, by number
  // Compared with the run's named concepts, measured against other random images.
  std::optional<std::string> nearest;
  double nearest_cosine = 0;
  double explained = 0;  // share of its squared length in the span of the named ones
  std::vector<ShownPatch> shown;
  Index height = 1;  // of the maps
  Index width = 1;
  bool tokens = false;
};

struct Discovered : RunInfo {
  DiscoverConfig config;
  std::vector<Candidate> candidates;  // used ones first, then by what adding them does

  struct Family {
    std::string layer;
    std::string class_name;
    Index tested = 0;   // candidates, after merging
    Index dropped = 0;  // of fewer inputs than kLeastInputs
    std::vector<Baseline> baselines;
  };
  std::vector<Family> families;
};

// `network`: instead of the file config.run.model. std::invalid_argument for bad configurations and fewer
// inputs than can be halved; std::runtime_error for files.
Discovered discover(const DiscoverConfig& config, const Progress& progress = {},
                    std::shared_ptr<model::Model> network = nullptr);

// results.json, report.html (a gallery) and timings.json in this folder, as pairs of path and content.
std::vector<std::pair<std::string, std::string>> discover_files(const std::string& folder,
                                                                const Discovered& found,
                                                                const std::string& command_line);

}  // namespace atcav
