#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "atcav/examples.h"
#include "atcav/preprocess.h"

// Examples for a network: a folder of images in name order; an array with the network's input shape, or one
// per input; a folder of arrays, one per example, which may differ in length.
//
//   const InputOptions options{.preprocess = data::preprocess_preset(data::PreprocessPreset::kTorchvision)};
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
  bool subfolders = false;        // where a folder holds folders alone, take the pictures in these
};

struct BadFile {
  std::string path;
  std::string why;
};

// Files and folders beside the examples that were not used.
struct LeftOut {
  Index folders = 0;              // not searched
  Index members = 0;              // of archives: no images
  std::vector<BadFile> bad = {};  // because of skip_bad
};

// Examples in files: rows can be read in any order, repeatedly, and come with their hashes.
class StoredExamples : public ExampleSource {
 public:
  Index block(Index /*first*/, Index count) override { return count; }
  std::vector<InputBatch> read(Index first, Index count) override;
  // Rows of one group. A file that cannot be read ends in std::runtime_error that names and counts all such
  // files.
  virtual std::vector<InputBatch> read_rows(const std::vector<Index>& rows) const = 0;
  // These rows in groups of one length.
  virtual std::vector<std::vector<Index>> groups(const std::vector<Index>& rows) const { return {rows}; }
  // Of the row, for thumbnails; empty for arrays.
  virtual std::string file(Index row) const = 0;
  virtual LeftOut left_out() const { return {}; }
  // Of the content of these rows, where each is a file; else none.
  virtual std::vector<std::string> hashes(const std::vector<Index>& /*rows*/, int /*threads*/) const {
    return {};
  }
};

// `path` is a folder of images, where every file counts that is not hidden, and folders inside it do not; a
// folder of .npy files, one example each, without the batch (masks are then made: every token counts); tar
// archives with images, named as data/file/paths.h has it and ending in .tar; or an array as in
// data/array/open_array.h. A network with several inputs takes a .safetensors file with one
// tensor per input, named like it, or several arrays in the order of the inputs: "ids.npy,mask.npy". With
// skip_bad every image is decoded once here, to know which are left. std::runtime_error if nothing is.
std::shared_ptr<StoredExamples> open_examples(const std::string& path, const std::vector<InputInfo>& inputs,
                                              const InputOptions& options = {});

// Rows of other examples, by their numbers there, in this order.
std::shared_ptr<StoredExamples> chosen_examples(std::shared_ptr<const StoredExamples> all,
                                                std::vector<Index> rows);

// A source whose next block is read while this one is used.
class Inputs {
 public:
  static Inputs open(const std::string& path, const std::vector<InputInfo>& inputs,
                     const InputOptions& options = {}) {
    return Inputs(open_examples(path, inputs, options));
  }
  explicit Inputs(std::shared_ptr<StoredExamples> stored) : source_(stored), stored_(std::move(stored)) {}
  explicit Inputs(std::shared_ptr<ExampleSource> given) : source_(std::move(given)) {}

  Index rows() const { return source_->rows(); }
  // Null for examples that come from code: the content of a row is then known only once it was read.
  const std::shared_ptr<const StoredExamples>& stored() const { return stored_; }
  bool has_any_order() const { return stored_ || source_->has_any_order(); }
  // Rows to ask for at once from `first` on: `count` or what is left, unless a given source says otherwise.
  Index block(Index first, Index count) const;
  std::string file(Index row) const { return stored_ ? stored_->file(row) : ""; }

  // Rows first … first+count−1 (fewer at the end), one batch per network input, with their hashes.
  // std::invalid_argument where the rows differ in length: then
  std::vector<InputBatch> read(Index first, Index count);
  // gives these rows in groups of one length, to be read each by itself.
  std::vector<std::vector<Index>> groups(Index first, Index count) const;
  std::vector<InputBatch> read(const std::vector<Index>& group);
  // Any rows can be put into such groups, unless the source is given: that one goes forward only.
  std::vector<std::vector<Index>> groups(const std::vector<Index>& rows) const;
  // To be said before a block is read that another one follows than the one behind it: rows next …; none if
  // there are no such rows.
  void expect(Index next) { expected_ = next; }
  // Begins to read the first `count` rows in the background.
  void prepare(Index count) { read_ahead(0, count); }

 private:
  void read_ahead(Index first, Index count);

  std::shared_ptr<ExampleSource> source_;
  std::shared_ptr<const StoredExamples> stored_;  // the same, or null
  std::optional<Index> expected_;                 // the row that the next block begins at
  std::vector<Index> ahead_rows_;
  std::future<std::vector<InputBatch>> ahead_;  // the last member: destroyed, and waited for, first
};

// "zebra01.jpg", or "row 3" of an array.
std::string row_name(const Inputs& inputs, Index row);
// One per row, of the content: the file's bytes, or the numbers (content_hash). Reads everything. Empty ones
// where the source is given.
std::vector<std::string> content_hashes(Inputs& inputs, int threads = 0);

}  // namespace atcav::model
