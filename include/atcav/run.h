#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "atcav/config.h"
#include "atcav/examples.h"
#include "atcav/groups.h"
#include "atcav/matrix.h"
#include "atcav/model.h"
#include "atcav/options.h"
#include "atcav/ranks.h"
#include "atcav/result.h"

// Directions in files, as `--save-cavs` writes and `--cavs` reads them: CAVs, or another tool's probes,
// steering vectors and features of sparse autoencoders.
//
// A safetensors file with a tensor "LAYER/CONCEPT" for each, of any shape, with as many values as the layer
// has columns. In files of atcav a slash in the concept's name is written %2F (and % as %25), so the last
// slash ends the layer. Metadata "model" may hold the SHA-256 of the model they were found in.
//
// The decoder of a sparse autoencoder will do too, a direction per feature, named by its number (0042 of
// 5,000): the tensor W_dec (SAELens, sparsify), dictionary._weights (overcomplete), both a feature per row,
// or decoder.weight (a torch.nn.Linear), a feature per column. Features that are zero are left out. The file
// does not say of which layer: exactly one must be named.
namespace atcav {

struct LayerDirections {
  std::string layer;
  std::vector<std::string> concepts;  // sorted
  Matrix rows;                        // one per concept
};

struct Directions {
  std::string file;
  std::string sha256;        // of the file
  std::string model_sha256;  // empty when the file does not say
  std::vector<LayerDirections> layers;
  std::vector<std::string> notes = {};
};

// Those of `layers`, in this order. In files of other tools both parts of a name may contain slashes: the
// longest of `layers` that fits is the layer. Without `layers` all are read, and the last slash ends the
// layer. std::runtime_error naming file and tensor where a layer has none or where directions of a layer
// differ in size, are zero, hold NaN or infinity, or integers.
Directions read_directions(const std::string& path, const std::vector<std::string>& layers);
// The same from the bytes of such a file; `name` is for messages.
Directions read_directions(std::string bytes, const std::string& name,
                           const std::vector<std::string>& layers);

// Of a file with a decoder its features; std::runtime_error for any other.
LayerDirections read_decoder(const std::string& path, const std::string& layer);

struct NamedDirection {
  std::string layer;
  std::string concept_name;
  std::span<const float> values;
};
// As such a file; result.cavs too.
std::string directions_file(const std::vector<NamedDirection>& directions,
                            std::map<std::string, std::string> metadata = {});
std::string cavs_file(const RunResult& result);

// Scores from activations and gradients, in memory or in files.
//
//   RunResult found = score({{"striped", striped}}, random, {{"zebra", gradients}}, {});
//   found.results[0].score();      // α-TCAV with α†
//   found.results[0].interval();   // and its 95 % interval
//
// Rows are examples: n × d activations of concept and random examples, m × d gradients of a class's logit at
// the same layer, one row per class input.

struct NamedRows {
  std::string name;
  MatrixFRef rows;
};

// Throws std::invalid_argument for rows that do not fit together or are not finite.
RunResult score(const std::vector<NamedRows>& concepts, const MatrixFRef& random,
                const std::vector<NamedRows>& gradients, const Options& options,
                const std::string& layer = "", const Progress& progress = {}, bool keep_cavs = false);

// A pool of examples with labels as concepts, by itself or beside others.
struct LabelledRows {
  MatrixFRef rows;
  LabelTable labels;
};
struct Arrays {
  std::vector<NamedRows> concepts = {};
  std::optional<MatrixFRef> random = {};
  std::vector<NamedRows> gradients = {};
  std::optional<LabelledRows> pool = {};
};
// `config` holds everything but the arrays: options, groups, a name of the layer.
RunResult score(const Arrays& arrays, const Config& config, const Progress& progress = {},
                bool keep_cavs = false);

// The same from the files that config.concepts, config.random and config.gradients name (.npy,
// .safetensors[:tensor]), read in batches: what `atcav score` does. Besides: std::runtime_error for files
// that cannot be read.
RunResult score(const Config& config, const Progress& progress = {});

// From a network and folders of examples to results: what `atcav run` does.
//
//   Config config;
//   config.model = "resnet50.onnx";
//   config.layers = {"layer3"};
//   config.classes = {{"zebra", 340, "images/zebra"}};
//   config.concepts = {{"striped", "dtd/striped"}};
//   config.random = "images/random";
//   RunResult found = run(config);
//
// Gradients of the class inputs come first and stay; then every random and concept example goes through the
// network once, all layers in one pass. While a block is in the network the one before is multiplied into
// each layer's sums and the next is decoded.
//
// With config.cavs the directions are given: only class inputs go through the network,
// and without config.layers all layers of the file are taken.

// Objects in place of files; config then has the names that results.json shows for them.
struct Given {
  std::shared_ptr<model::Model> network = nullptr;  // instead of the file config.model
  // Instead of files and folders: of classes, concepts and random.
  std::map<Role, std::shared_ptr<model::ExampleSource>> examples = {};
  std::optional<Directions> directions = {};  // instead of the file config.cavs
  std::optional<LabelTable> labels = {};      // instead of the file config.labels
  std::shared_ptr<Ranks> ranks = nullptr;     // processes that share the run
  bool keep_cavs = false;                     // in the result, also where config.save_cavs names no file
};

// In a run of several ranks (atcav/ranks.h) all must call it; rank 0 gets the results, the others an empty
// RunResult. std::invalid_argument for unknown layers, class indices out of range, bad configurations;
// std::runtime_error for unreadable models and images.
RunResult run(const Config& config, const Progress& progress = {}, const Given& given = {});

// A run in independent parts: on any machines, in any order, restarted as often as they are killed.
//
//   for (int i = 1; i <= 8; ++i) share(config, {{i, 8}}, "share-" + std::to_string(i));  // anywhere, any
//   time RunResult found = merge(shared_config(files), files);  // as run(config), byte for byte
//
// A part runs its share of the examples, and what every part needs: the first 64 random examples, whose mean
// centres all rows, and all class inputs, since every example is multiplied by every gradient. With many
// classes a first round can share the gradients too (ShareOptions).
//
// For pattern and fast a file has projections (class inputs × examples), sums over folds and at most 200 rows
// of each set; for ridge, logistic and svm the rows of its examples. merge needs model and examples: stages
// after the analysis (interventions, erasures, maps) run there, and every example is read once to verify its
// hash.

struct ShareOptions {
  struct {
    int number = 1;  // from 1
    int of = 1;
  } part;
  bool gradients_only = false;
  // Files of a finished round of gradients, all its parts: then none are computed here.
  std::vector<std::string> gradients = {};
};

struct ShareSummary {
  bool was_there = false;  // the file was complete and of this run: nothing was computed
  Index gradients = 0;     // class inputs that the network ran or a cache had
  Index examples = 0;      // examples, likewise
  Index bytes = 0;         // of the file
};

// Writes the file, whole or not at all. Errors as run; std::invalid_argument for a part number out of range.
ShareSummary share(const Config& config, const ShareOptions& options, const std::string& file,
                   const Progress& progress = {}, const Given& given = {});

// The configuration behind these parts, from the first file. Threads, memory, cache and further output files
// may be changed.
Config shared_config(const std::vector<std::string>& files);

// The run from all its parts, in any order; duplicates are fine. std::runtime_error names a file that is
// damaged or of another run, program, network or set of examples, and missing parts.
RunResult merge(const Config& config, const std::vector<std::string>& files, const Progress& progress = {},
                const Given& given = {});

}  // namespace atcav
