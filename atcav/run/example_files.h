#pragma once

#include <span>
#include <string>
#include <vector>

#include "atcav/run/result.h"
#include "atcav/model/inputs.h"

// A set of examples opened for a run, with the content behind each row known: that is what cache keys,
// duplicate warnings and results.json are made of.
namespace atcav {

class ExampleFiles {
 public:
  // `role` is what messages and results.json call it: "concept 'striped'".
  ExampleFiles(std::string role, std::string path, nn::Inputs inputs);

  const std::string& role() const { return role_; }
  Index rows() const { return inputs_.rows(); }
  nn::Inputs& inputs() { return inputs_; }
  const nn::Inputs& inputs() const { return inputs_; }
  // One hash a row: of the image file, or of the array and the row's number.
  const std::vector<std::string>& hashes() const { return hashes_; }
  Input describe() const;

 private:
  std::string role_;
  std::string path_;
  nn::Inputs inputs_;
  std::vector<std::string> hashes_;
};

// A sentence about files of `set` whose content, under whatever name, is in one of the others too; one
// about copies within a set. Empty when there are none.
std::vector<std::string> shared_files(std::span<const ExampleFiles> others, const ExampleFiles& set);
std::vector<std::string> copies_within(const ExampleFiles& set);

}  // namespace atcav
