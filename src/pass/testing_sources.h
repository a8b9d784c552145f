#pragma once

#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "atcav/random.h"
#include "pass/source.h"

// Sources for tests.
namespace atcav::pass {

// Standard normal values plus `mean`, as float.
inline MatrixF normal_rows(std::uint64_t seed, Index rows, Index columns, double mean = 0) {
  return (Stream(seed).normal_matrix(rows, columns).array() + mean).cast<float>();
}

// Rows that come once, first to last, in one thread: as from a network. Anything else throws.
class OnceSource : public RowSource {
 public:
  OnceSource(std::string name, MatrixF values) : name_(std::move(name)), values_(std::move(values)) {}
  std::string name() const override { return name_; }
  Index rows() const override { return values_.rows(); }
  Index columns() const override { return values_.cols(); }
  bool rereadable() const override { return false; }
  void read(Index first, Eigen::Ref<MatrixF> rows) override {
    if (first != next_) throw std::logic_error("rows asked for out of order");
    if (std::this_thread::get_id() != reader_) throw std::logic_error("read from another thread");
    next_ += rows.rows();
    rows = values_.middleRows(first, rows.rows());
  }

 private:
  std::string name_;
  MatrixF values_;
  Index next_ = 0;
  std::thread::id reader_ = std::this_thread::get_id();
};

// Rows that may be read in any order but do not lie in memory: as from a file that is not mapped.
class FileLikeSource : public MatrixSource {
 public:
  using MatrixSource::MatrixSource;
  const float* data() const override { return nullptr; }
};

}  // namespace atcav::pass
