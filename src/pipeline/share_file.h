#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "atcav/matrix.h"
#include "data/array/safetensors.h"

// Files that the parts of a run leave for the merge: safetensors, so any tool reads them. The metadata say
// what all parts must have in common, and which part this is; a last tensor, "~sha256", holds 64 digits over
// every byte before it.
namespace atcav {

using ShareFacts = std::map<std::string, std::string>;

// Numbers on their way into such a file.
class ShareContent {
 public:
  void keep(const std::string& name, Matrix values);
  void keep(const std::string& name, MatrixF values);
  void keep(const std::string& name, std::vector<std::int64_t> values);
  void keep(const std::string& name, std::string text);
  // Somebody else's, who keeps it until the file is written.
  void keep_view(const std::string& name, const data::TensorView& values);

  // Whole or not at all; returns the number of bytes.
  Index write(const std::string& path, const ShareFacts& facts) const;

 private:
  std::deque<std::variant<Matrix, MatrixF, std::vector<std::int64_t>, std::string>> owned_;
  std::map<std::string, data::TensorView> tensors_;
};

struct ShareFile {
  std::string path;
  ShareFacts facts;
  std::string checksum;
  data::Safetensors content;

  bool has(const std::string& name) const { return content.tensors.contains(name); }
  // std::runtime_error unless the tensor is there in this shape.
  Matrix doubles(const std::string& name, Index rows, Index columns) const;
  MatrixF floats(const std::string& name, Index rows, Index columns) const;
  const data::Array& array(const std::string& name, Index rows, Index columns) const;
  std::vector<std::int64_t> integers(const std::string& name) const;
  std::string text(const std::string& name) const;
};

// Reads all of it once, against its checksum. std::runtime_error for other files and damaged ones.
ShareFile open_share(const std::string& path);

// A line that says in what a file and what it must go together with differ first; empty if they do not. The
// part and the stage are not compared.
std::string difference(const ShareFacts& file, const ShareFacts& other, const std::string& other_name);

}  // namespace atcav
