#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "atcav/matrix.h"
#include "atcav/result.h"

// Directions in files: what `--save-cavs` writes and `--cavs` reads, or what any other tool made from a
// probe, a steering vector, a feature of a sparse autoencoder.
//
// A safetensors file with a tensor "LAYER/CONCEPT" for each, of any shape, with as many values as the layer
// has columns. In files of atcav a slash in the concept's name is written %2F (and % as %25), so the last
// slash ends the layer. Metadata "model" may hold the SHA-256 of the model they were found in.
namespace atcav {

// The decoder of a sparse autoencoder will do too, a direction per feature, named by its number (0042 of
// 5,000): the tensor W_dec (SAELens, sparsify), dictionary._weights (overcomplete), both a feature per row,
// or decoder.weight (a torch.nn.Linear), a feature per column. Features that are zero are left out. The file
// does not say of which layer: exactly one must be named.

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

// Those of `layers`, in this order; others are left alone. In files of other tools both parts of a name may
// have slashes in them: the longest of `layers` that fits is the layer. Without `layers` all are taken, the
// last slash ends the layer. std::runtime_error naming file and tensor where a layer has none or where
// directions of a layer differ in size, are zero, hold NaN or infinity, or integers.
Directions read_directions(const std::string& path, const std::vector<std::string>& layers);
// The same from the bytes of such a file; `name` is for messages.
Directions read_directions(std::string bytes, const std::string& name,
                           const std::vector<std::string>& layers);

// Of a file with a decoder its features; std::runtime_error for any other.
LayerDirections read_decoder(const std::string& path, const std::string& layer);

// What results must say about them, in a network with this hash.
std::vector<std::string> notes_about(const Directions& directions, const std::string& model_sha256);

// std::runtime_error unless each direction at `layer` has this many values.
void check_columns(const Directions& directions, const LayerDirections& layer, Index columns);

struct NamedDirection {
  std::string layer;
  std::string concept_name;
  std::span<const float> values;
};
// As such a file; result.cavs too.
std::string directions_file(const std::vector<NamedDirection>& directions,
                            std::map<std::string, std::string> metadata = {});
std::string cavs_file(const RunResult& result);

}  // namespace atcav
