#pragma once

#include <memory>
#include <string>
#include <vector>

#include "atcav/examples.h"
#include "atcav/preprocess.h"

// Examples for a network: a folder of images in name order; an array with the network's input shape, or one
// per input; a folder of arrays, one per example, which may differ in length.
//
//   const InputOptions options{.preprocess = data::preprocess_preset("torchvision")};
//   Inputs inputs = Inputs::open("images/zebra", model->facts().inputs, options);
//   for (Index first = 0; first < inputs.rows(); first += 32) use(inputs.read(first, 32));
//
// While one block is used by the network the next is read in the background. What was read is hashed at once:
// examples that are asked for again must be the same.
namespace atcav::model {

struct InputOptions {
  data::Preprocess preprocess = {};
  bool skip_bad = false;          // leave unreadable images out instead of failing
  int threads = 0;                // for reading; 0: as many as the process may use
  double memory = 0;              // gigabytes; 0: nine tenths of what is available
  bool pixels = false;            // images as InputBatch::pixels
  std::vector<Index> shape = {};  // of one example, for models that leave sizes open
};

struct BadFile {
  std::string path;
  std::string why;
};

class Inputs {
 public:
  // `path` is a folder of images, where every file counts that is not hidden, and folders inside it do not; a
  // folder of .npy files, one example each, without the batch (masks are then made: every token counts); or
  // an array as in data/array/open_array.h. A network with several inputs takes a .safetensors file with one
  // tensor per input, named like it, or several arrays in the order of the inputs: "ids.npy,mask.npy". With
  // skip_bad every image is decoded once here, to know which are left. std::runtime_error if nothing is.
  static Inputs open(const std::string& path, const std::vector<InputInfo>& inputs,
                     const InputOptions& options = {});
  explicit Inputs(std::shared_ptr<ExampleSource> given);
  Inputs(Inputs&&) noexcept;
  Inputs& operator=(Inputs&&) noexcept;
  ~Inputs();

  Index rows() const;
  // Whether the content of a row is known only once it was read.
  bool is_given() const;
  // Rows to ask for at once from `first` on: `count` or what is left, unless a given source says otherwise.
  Index block(Index first, Index count) const;
  // "zebra01.jpg", or "row 3" of an array.
  std::string name(Index row) const;
  // The file of the row, for thumbnails; empty for arrays.
  std::string file(Index row) const;
  // One per row, of the content: the file's bytes, or the numbers (content_hash). Reads everything. Empty
  // ones where the content is known only once it was read.
  std::vector<std::string> hashes();
  // How many folders lie among the images; nobody looks into them.
  Index folders() const;
  // What was left out because of skip_bad.
  const std::vector<BadFile>& bad() const;

  // Rows first … first+count−1 (fewer at the end), one batch per network input, with their hashes. A file
  // that cannot be read ends in std::runtime_error that names and counts all such files.
  // std::invalid_argument where the rows differ in length: then
  std::vector<InputBatch> read(Index first, Index count);
  // gives these rows in groups of one length, to be read each by itself.
  std::vector<std::vector<Index>> groups(Index first, Index count) const;
  std::vector<InputBatch> read(const std::vector<Index>& group);
  // Any rows can be put into such groups, unless the source is given: that one goes forward only.
  std::vector<std::vector<Index>> groups(const std::vector<Index>& rows) const;
  // The block behind the one that is read is read ahead. To be said before a block is read that another one
  // follows: rows next …; none if there are no such rows.
  void expect(Index next);
  // Begins to read the first `count` rows in the background.
  void prepare(Index count);

 private:
  struct Source;
  explicit Inputs(std::unique_ptr<Source> source);
  std::unique_ptr<Source> source_;
};

}  // namespace atcav::model
