#pragma once

#include <Eigen/Core>
#include <string>
#include <utility>

#include "atcav/matrix.h"

// Where activation rows come from: an array file larger than memory, a generator, a network.
namespace atcav::pass {

class RowSource {
 public:
  virtual ~RowSource() = default;
  // What messages call it: "concept 'striped'".
  virtual std::string name() const = 0;
  virtual Index rows() const = 0;
  virtual Index columns() const = 0;
  // True when any rows may be read, in any order, again, and from several threads at once (a mapped
  // file). False when rows come once, first to last, from one thread (a network).
  virtual bool rereadable() const = 0;
  // Fills `rows` (count × columns) with rows first … first+count-1.
  virtual void read(Index first, Eigen::Ref<MatrixF> rows) = 0;
  // Row 0, when all rows lie in memory one after another; then they are used where they are, for as long as
  // the pass is, and read is not called. Else nullptr.
  virtual const float* data() const { return nullptr; }
};

// Rows already in memory.
class MatrixSource : public RowSource {
 public:
  MatrixSource(std::string name, MatrixF values) : name_(std::move(name)), values_(std::move(values)) {}
  std::string name() const override { return name_; }
  Index rows() const override { return values_.rows(); }
  Index columns() const override { return values_.cols(); }
  bool rereadable() const override { return true; }
  void read(Index first, Eigen::Ref<MatrixF> rows) override { rows = values_.middleRows(first, rows.rows()); }
  const float* data() const override { return values_.data(); }

 private:
  std::string name_;
  MatrixF values_;
};

}  // namespace atcav::pass
