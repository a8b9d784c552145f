#pragma once

#include <string>

#include "atcav/io/array.h"
#include "atcav/span/source.h"

// Rows of an array file as a source of the pass: read where they are, forgotten after their batch.
namespace atcav {

class ArraySource : public span::RowSource {
 public:
  ArraySource(std::string name, io::Array array) : name_(std::move(name)), array_(std::move(array)) {}
  std::string name() const override { return name_; }
  Index rows() const override { return array_.rows(); }
  Index columns() const override { return array_.columns(); }
  bool rereadable() const override { return true; }
  void read(Index first, Eigen::Ref<MatrixF> rows) override;

 private:
  std::string name_;
  io::Array array_;
};

}  // namespace atcav
