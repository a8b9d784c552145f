#include "model/array_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>

#include "core/check.h"
#include "core/parallel.h"
#include "data/array/npy.h"
#include "data/array/open_array.h"
#include "data/file/fail.h"
#include "data/file/sha256.h"
#include "model/token_mask.h"

namespace atcav::model {
namespace {

// Whether `have`, from its size `first` on, is what the input wants behind the batch.
bool fits_input(const std::vector<Index>& have, std::size_t first, const InputInfo& info) {
  bool fits = have.size() - first + 1 == info.shape.size() && have.size() >= first;
  for (std::size_t i = first; fits && i < have.size(); ++i) {
    const Index wanted = info.shape[i - first + 1];
    fits = wanted <= 0 || wanted == have[i];
  }
  return fits;
}

void check_type(const data::Array& array, const std::string& spec, const InputInfo& info) {
  if (info.is_integer && !data::is_integer(array.dtype())) {
    data::fail_file("Inputs", spec, "has real numbers, but input '{}' of the model takes integers",
                    info.name);
  }
}

}  // namespace

ArrayInputs ArrayInputs::open_arrays(const std::vector<std::string>& specs,
                                     const std::vector<InputInfo>& inputs, int threads) {
  ArrayInputs opened(inputs);
  opened.threads_ = threads;
  for (std::size_t i = 0; i < inputs.size(); ++i) opened.add_array(specs[i], inputs[i]);
  return opened;
}

void ArrayInputs::add_array(const std::string& spec, const InputInfo& info) {
  data::Array array = data::open_array(spec);
  const auto& have = array.shape();
  if (have.empty() || !fits_input(have, 1, info)) {
    data::fail_file("Inputs", spec, "has the shape {}, but input '{}' of the model takes {}",
                    data::to_string(have), info.name, data::to_string(info.shape));
  }
  check_type(array, spec, info);
  if (!arrays_.empty() && arrays_.front().rows() != array.rows()) {
    data::fail_file("Inputs", spec, "has {} rows, '{}' has {}", array.rows(), arrays_.front().name(),
                    arrays_.front().rows());
  }
  if (!arrays_.empty() && is_mask(info.name) && have.size() == 2 && arrays_.front().shape().size() == 2 &&
      have[1] != arrays_.front().shape()[1]) {
    data::fail_file("Inputs", spec, "has {} tokens, '{}' has {}", have[1], arrays_.front().name(),
                    arrays_.front().shape()[1]);
  }
  integers_.push_back(info.is_integer ? array.read_int64() : std::vector<std::int64_t>());
  arrays_.push_back(std::move(array));
}

ArrayInputs ArrayInputs::open_folder(const std::string& folder, const std::vector<InputInfo>& inputs) {
  ArrayInputs opened(inputs);
  const auto others =
      std::ranges::count_if(inputs, [](const InputInfo& info) { return !is_mask(info.name); });
  if (others != 1)
    fail_argument("Inputs",
                  fmt::format("{} is a folder of arrays, but the model has {} inputs", folder, others));
  const InputInfo& info =
      *std::ranges::find_if(inputs, [](const InputInfo& each) { return !is_mask(each.name); });
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".npy" && !entry.path().filename().string().starts_with('.'))
      opened.files_.push_back(entry.path().string());
  }
  std::ranges::sort(opened.files_);
  for (const std::string& file : opened.files_) {
    const data::Array array = data::open_array(file);
    if (!fits_input(array.shape(), 0, info)) {
      data::fail_file("Inputs", file,
                      "has the shape {}, one example of input '{}' of the model is {} without its first "
                      "size",
                      data::to_string(array.shape()), info.name, data::to_string(info.shape));
    }
    check_type(array, file, info);
    opened.shapes_.push_back(array.shape());
  }
  return opened;
}

Index ArrayInputs::rows() const { return files_.empty() ? arrays_.front().rows() : std::ssize(files_); }

std::vector<std::vector<Index>> ArrayInputs::groups(const std::vector<Index>& rows) const {
  std::map<std::vector<Index>, std::vector<Index>> by_shape;
  for (const Index row : rows)
    by_shape[files_.empty() ? std::vector<Index>() : shapes_[static_cast<std::size_t>(row)]].push_back(row);
  std::vector<std::vector<Index>> groups;
  groups.reserve(by_shape.size());
  for (auto& [shape, alike] : by_shape) groups.push_back(std::move(alike));
  return groups;
}

std::vector<InputBatch> ArrayInputs::read_rows(const std::vector<Index>& rows) const {
  if (files_.empty()) return read_arrays(rows);
  const InputBatch values = read_files(rows);
  std::vector<InputBatch> batches;
  for (const InputInfo& info : infos_) {
    InputBatch& batch = batches.emplace_back(values);
    if (!is_mask(info.name)) continue;
    const std::size_t size = values.integers.size() + values.reals.size();
    const std::int64_t all = mask_of_all(info.name);
    batch.integers.assign(info.is_integer ? size : 0, all);
    batch.reals.assign(info.is_integer ? 0 : size, static_cast<float>(all));
  }
  return batches;
}

std::vector<std::string> ArrayInputs::hashes(const std::vector<Index>& rows, int threads) const {
  if (files_.empty()) return {};
  std::vector<std::string> files;
  files.reserve(rows.size());
  for (const Index row : rows) files.push_back(file(row));
  return data::sha256_files(files, threads);
}

std::vector<InputBatch> ArrayInputs::read_arrays(const std::vector<Index>& rows) const {
  const auto count = static_cast<Index>(rows.size());
  std::vector<InputBatch> batches;
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    const Index columns = arrays_[i].columns();
    InputBatch& batch = batches.emplace_back();
    batch.shape = arrays_[i].shape();
    batch.shape[0] = count;
    if (infos_[i].is_integer) {
      for (const Index row : rows) {
        const auto begin = integers_[i].begin() + row * columns;
        batch.integers.insert(batch.integers.end(), begin, begin + columns);
      }
    } else {
      batch.reals.resize(static_cast<std::size_t>(count * columns));
    }
  }
  std::vector<std::string> hashes(static_cast<std::size_t>(count));
  std::vector<std::atomic<bool>> bad(infos_.size());
  const auto rows_of = [&](std::size_t i) {
    return Eigen::Map<MatrixF>(batches[i].reals.data(), count, arrays_[i].columns());
  };
  parallel_for(count, threads_, [&](Index row) {
    for (std::size_t i = 0; i < infos_.size(); ++i) {
      if (infos_[i].is_integer) continue;
      auto own = rows_of(i).middleRows(row, 1);
      arrays_[i].read_rows(rows[static_cast<std::size_t>(row)], own);
      if (!all_finite({own.data(), static_cast<std::size_t>(own.size())})) bad[i] = true;
    }
    hashes[static_cast<std::size_t>(row)] = content_hash(batches, row);
  });
  // A network may swallow a NaN: gradients behind a ReLU or of a linear head know nothing of it.
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    for (Index row = 0; bad[i] && row < count; ++row) {
      check_finite("Inputs", arrays_[i].name(), MatrixFRef(rows_of(i).middleRows(row, 1)),
                   rows[static_cast<std::size_t>(row)]);
    }
  }
  batches.front().hashes = std::move(hashes);
  return batches;
}

// Each file whole, so that the hash is that of the numbers.
InputBatch ArrayInputs::read_files(const std::vector<Index>& rows) const {
  const auto& info = *std::ranges::find_if(infos_, [](const InputInfo& each) { return !is_mask(each.name); });
  InputBatch batch;
  batch.shape = shapes_[static_cast<std::size_t>(rows.front())];
  batch.shape.insert(batch.shape.begin(), std::ssize(rows));
  for (const Index row : rows) {
    const std::string& path = files_[static_cast<std::size_t>(row)];
    std::string bytes = data::read_file(path);
    batch.hashes.push_back(data::sha256(bytes));
    const data::Array array = data::read_npy(data::read_memory(std::move(bytes), path));
    if (array.shape() != shapes_[static_cast<std::size_t>(row)])
      data::fail_file("Inputs", path, "changed between reads");
    check_type(array, path, info);
    if (info.is_integer) {
      const std::vector<std::int64_t> values = array.read_int64();
      batch.integers.insert(batch.integers.end(), values.begin(), values.end());
      continue;
    }
    const MatrixF values = array.read_float();
    check_finite("Inputs", path, MatrixFRef(values));
    batch.reals.insert(batch.reals.end(), values.data(), values.data() + values.size());
  }
  return batch;
}

}  // namespace atcav::model
