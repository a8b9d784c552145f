#include "atcav/model/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "atcav/base/check.h"
#include "atcav/base/parallel.h"
#include "atcav/io/fail.h"
#include "atcav/io/open_array.h"
#include "atcav/model/image_folder.h"

namespace atcav::model {

struct Inputs::Source {
  std::optional<ImageFolder> images;
  std::vector<io::Array> arrays;  // one per network input
  std::vector<std::vector<std::int64_t>> integers;
  std::shared_ptr<ExampleSource> given;
  std::vector<BadFile> none;
  int threads = 0;

  Index rows() const {
    if (given) return given->rows();
    return images ? images->rows() : arrays.front().rows();
  }

  void add_array(const std::string& spec, const InputInfo& info) {
    io::Array array = io::open_array(spec);
    const auto& have = array.shape();
    bool fits = have.size() == info.shape.size() && !have.empty();
    for (std::size_t i = 1; fits && i < have.size(); ++i)
      fits = info.shape[i] <= 0 || info.shape[i] == have[i];
    if (!fits) {
      io::fail_file("Inputs", spec,
                    fmt::format("has the shape {}, input '{}' of the model wants {}", io::to_string(have),
                                info.name, io::to_string(info.shape)));
    }
    if (info.is_integer && !io::is_integer(array.dtype())) {
      io::fail_file("Inputs", spec,
                    fmt::format("has real numbers, input '{}' of the model wants integers", info.name));
    }
    if (!arrays.empty() && arrays.front().rows() != array.rows()) {
      io::fail_file("Inputs", spec,
                    fmt::format("has {} rows, '{}' has {}", array.rows(), arrays.front().name(),
                                arrays.front().rows()));
    }
    integers.push_back(info.is_integer ? array.read_int64() : std::vector<std::int64_t>());
    arrays.push_back(std::move(array));
  }

  InputBatch read_array(std::size_t which, Index first, Index count) const {
    const io::Array& array = arrays[which];
    InputBatch batch;
    batch.shape = array.shape();
    batch.shape[0] = count;
    const Index columns = array.columns();
    if (integers[which].empty()) {
      batch.reals.resize(static_cast<std::size_t>(count * columns));
      Eigen::Map<MatrixF> rows(batch.reals.data(), count, columns);
      constexpr Index kRows = 8;
      std::atomic<bool> finite{true};
      parallel_for((count + kRows - 1) / kRows, threads, [&](Index part) {
        auto own = rows.middleRows(part * kRows, std::min(kRows, count - part * kRows));
        array.read_rows(first + part * kRows, own);
        if (!own.allFinite()) finite = false;
      });
      // A network may swallow a NaN: gradients behind a ReLU or of a linear head know nothing of it.
      if (!finite) check_finite("Inputs", array.name(), MatrixFRef(rows), first);
    } else {
      const auto begin = integers[which].begin() + first * columns;
      batch.integers.assign(begin, begin + count * columns);
    }
    return batch;
  }
};

Inputs::Inputs(std::unique_ptr<Source> source) : source_(std::move(source)) {}
Inputs::Inputs(std::shared_ptr<ExampleSource> given) : source_(std::make_unique<Source>()) {
  source_->given = std::move(given);
}
Inputs::Inputs(Inputs&&) noexcept = default;
Inputs& Inputs::operator=(Inputs&&) noexcept = default;
Inputs::~Inputs() = default;

Inputs Inputs::open(const std::string& path, const std::vector<InputInfo>& inputs,
                    const InputOptions& options) {
  if (inputs.empty()) fail_argument("Inputs", "the model has no inputs");
  auto source = std::make_unique<Source>();
  source->threads = options.threads;
  if (std::filesystem::is_directory(path)) {
    if (inputs.size() > 1)
      fail_argument("Inputs", fmt::format("{} is a folder, but the model has several inputs", path));
    source->images.emplace(path, image_format(inputs.front(), options.shape), options);
  } else if (inputs.size() == 1) {
    source->add_array(path, inputs.front());
  } else {
    for (const InputInfo& info : inputs) source->add_array(path + ":" + info.name, info);
  }
  return Inputs(std::move(source));
}

Index Inputs::rows() const { return source_->rows(); }

bool Inputs::is_given() const { return source_->given != nullptr; }

Index Inputs::block(Index first, Index count) const {
  count = std::min(count, rows() - first);
  if (!source_->given) return count;
  const Index own = source_->given->block(first, count);
  if (own < 1 || own > rows() - first) {
    throw std::runtime_error(fmt::format(
        "[Inputs] a block of {} rows comes at row {}, there were to be {} rows", own, first, rows()));
  }
  return own;
}

std::string Inputs::name(Index row) const {
  return source_->images ? std::filesystem::path(file(row)).filename().string() : fmt::format("row {}", row);
}

std::string Inputs::file(Index row) const { return source_->images ? source_->images->file(row) : ""; }

const std::vector<BadFile>& Inputs::bad() const {
  return source_->images ? source_->images->bad() : source_->none;
}

std::vector<InputBatch> Inputs::read(Index first, Index count) {
  if (first < 0 || first >= rows()) fail_argument("Inputs::read", fmt::format("row {} of {}", first, rows()));
  count = std::min(count, rows() - first);
  if (source_->given) return source_->given->read(first, count);
  if (source_->images) return {source_->images->read(first, count)};
  std::vector<InputBatch> batches;
  for (std::size_t i = 0; i < source_->arrays.size(); ++i)
    batches.push_back(source_->read_array(i, first, count));
  return batches;
}

}  // namespace atcav::model
