#pragma once

#include <fmt/format.h>

#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "atcav/matrix.h"
#include "atcav/result.h"
#include "data/array/array.h"
#include "data/file/sha256.h"
#include "pass/source.h"
#include "pipeline/layer_data.h"

// The kinds of rows that `score` takes (arrays.cpp).
namespace atcav {

// Rows of an array file, read when they are asked for.
class FileSource : public pass::RowSource {
 public:
  FileSource(std::string name, data::Array array) : name_(std::move(name)), array_(std::move(array)) {}
  std::string name() const override { return name_; }
  Index rows() const override { return array_.rows(); }
  Index columns() const override { return array_.columns(); }
  bool rereadable() const override { return true; }
  void read(Index first, Eigen::Ref<MatrixF> rows) override { array_.read_rows(first, rows); }
  // What float32 could not hold of the rows that were read; empty where nothing was lost.
  std::string rounding_note() const {
    const data::Rounding lost = array_.rounding();
    if (lost.columns == 0) return "";
    return fmt::format(
        "{} was rounded to float32: {} of its {} columns lose more than 0.1 % of their spread (column "
        "{} loses {:.2g} %); subtract what all rows share before saving it",
        name_, lost.columns, columns(), lost.worst, 100 * lost.lost);
  }

 private:
  std::string name_;
  data::Array array_;
};

// Rows in memory, used where they are.
class ViewSource : public pass::RowSource {
 public:
  ViewSource(Role role, const MatrixFRef& rows) : role_(std::move(role)), values_(rows) {}
  std::string name() const override { return role_text(role_); }
  Index rows() const override { return values_.rows(); }
  Index columns() const override { return values_.cols(); }
  bool rereadable() const override { return true; }
  void read(Index first, Eigen::Ref<MatrixF> rows) override { rows = values_.middleRows(first, rows.rows()); }
  const float* data() const override {
    return values_.outerStride() == values_.cols() ? values_.data() : nullptr;
  }
  // There is no file: the hash is of the values.
  Input describe() const {
    data::Sha256 hash;
    for (Index i = 0; i < rows(); ++i)
      hash.update(std::as_bytes(std::span(values_.row(i).data(), static_cast<std::size_t>(columns()))));
    return {role_, "", hash.hex(), {rows(), columns()}};
  }

 private:
  Role role_;
  MatrixFRef values_;
};

// Some rows of another source, by their numbers there.
class ChosenSource : public pass::RowSource {
 public:
  ChosenSource(pass::RowSource* all, std::vector<Index> chosen) : all_(all), chosen_(std::move(chosen)) {}
  std::string name() const override { return all_->name(); }
  Index rows() const override { return std::ssize(chosen_); }
  Index columns() const override { return all_->columns(); }
  bool rereadable() const override { return all_->rereadable(); }
  void read(Index first, Eigen::Ref<MatrixF> rows) override {
    for (Index i = 0; i < rows.rows(); ++i)
      all_->read(chosen_[static_cast<std::size_t>(first + i)], rows.middleRows(i, 1));
  }

 private:
  pass::RowSource* all_;
  std::vector<Index> chosen_;
};

// Reads the sets, random first, as far as Options::until and budget say (pipeline/reading.h); what a pass is
// to be over. The layer's names and gradients are there.
std::deque<ChosenSource> read_some_rows(const std::vector<pass::RowSource*>& sets, LayerData& data,
                                        const Options& options, RunInfo& about, const Progress& progress);

// The same array as concept and as random says nothing. `inputs` start with random and the concepts.
void warn_of_equal_inputs(RunResult& result);

}  // namespace atcav
