#include "model/inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "core/check.h"
#include "core/parallel.h"
#include "data/file/fail.h"
#include "data/file/paths.h"
#include "data/file/sha256.h"
#include "model/array_inputs.h"
#include "model/image_folder.h"

namespace atcav::model {

namespace {

std::vector<Index> range(Index first, Index count) {
  std::vector<Index> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

bool holds_arrays(const std::string& folder) {
  const auto is_array = [](const auto& entry) { return entry.path().extension() == ".npy"; };
  const std::filesystem::directory_iterator entries(folder);
  return std::any_of(begin(entries), end(entries), is_array);
}

bool is_archive(const std::string& path) {
  const auto has = [&path](std::string_view end) { return path.ends_with(end); };
  if (has(".tar.gz") || has(".tgz") || has(".tar.bz2") || has(".tar.xz") || has(".tar.zst"))
    data::fail_file("Inputs", path, "is compressed, must be a plain .tar: images are not made smaller by it");
  return has(".tar") && !std::filesystem::is_directory(path);
}

// "ids.npy,mask.npy" → one array per input; a file that holds them all → its tensors by the inputs' names.
std::vector<std::string> array_specs(const std::string& path, const std::vector<InputInfo>& inputs) {
  std::vector<std::string> specs;
  if (inputs.size() == 1 || path.ends_with(".safetensors")) {
    for (const InputInfo& info : inputs) specs.push_back(inputs.size() == 1 ? path : path + ":" + info.name);
    return specs;
  }
  for (std::size_t first = 0; first <= path.size();) {
    const std::size_t comma = std::min(path.find(',', first), path.size());
    specs.push_back(path.substr(first, comma - first));
    first = comma + 1;
  }
  if (specs.size() != inputs.size()) {
    std::vector<std::string> names;
    names.reserve(inputs.size());
    for (const InputInfo& info : inputs) names.push_back("'" + info.name + "'");
    fail_argument("Inputs", fmt::format("{} is {} array{}, the model has {} inputs: {}", path, specs.size(),
                                        specs.size() == 1 ? "" : "s", inputs.size(), fmt::join(names, ", ")));
  }
  return specs;
}

class ChosenExamples : public StoredExamples {
 public:
  ChosenExamples(std::shared_ptr<const StoredExamples> all, std::vector<Index> rows)
      : all_(std::move(all)), rows_(std::move(rows)) {}

  Index rows() const override { return std::ssize(rows_); }
  std::vector<InputBatch> read_rows(const std::vector<Index>& rows) const override {
    return all_->read_rows(numbers_of(rows));
  }
  std::vector<std::vector<Index>> groups(const std::vector<Index>& rows) const override {
    std::vector<std::vector<Index>> groups = all_->groups(numbers_of(rows));
    if (groups.size() == 1) return {rows};
    std::map<Index, std::vector<Index>> own;  // a row may have been chosen twice
    for (const Index row : rows) own[rows_[static_cast<std::size_t>(row)]].push_back(row);
    for (std::vector<Index>& group : groups) {
      for (Index& row : group) {
        std::vector<Index>& left = own.at(row);
        row = left.front();
        left.erase(left.begin());
      }
    }
    return groups;
  }
  std::string file(Index row) const override { return all_->file(rows_[static_cast<std::size_t>(row)]); }
  LeftOut left_out() const override { return all_->left_out(); }
  std::vector<std::string> hashes(const std::vector<Index>& rows, int threads) const override {
    return all_->hashes(numbers_of(rows), threads);
  }

 private:
  std::vector<Index> numbers_of(const std::vector<Index>& rows) const {
    std::vector<Index> numbers;
    numbers.reserve(rows.size());
    for (const Index row : rows) numbers.push_back(rows_[static_cast<std::size_t>(row)]);
    return numbers;
  }

  std::shared_ptr<const StoredExamples> all_;
  std::vector<Index> rows_;
};

}  // namespace

std::shared_ptr<StoredExamples> chosen_examples(std::shared_ptr<const StoredExamples> all,
                                                std::vector<Index> rows) {
  return std::make_shared<ChosenExamples>(std::move(all), std::move(rows));
}

std::vector<InputBatch> StoredExamples::read(Index first, Index count) {
  return read_rows(range(first, count));
}

std::shared_ptr<StoredExamples> open_examples(const std::string& path, const std::vector<InputInfo>& inputs,
                                              const InputOptions& options) {
  if (inputs.empty()) fail_argument("Inputs", "the model has no inputs");
  if (is_archive(path)) {
    if (inputs.size() > 1)
      fail_argument("Inputs",
                    fmt::format("{} is an archive of images, but the model has several inputs", path));
    std::vector<std::string> archives;
    for (const std::string& part : data::split_list(path)) {
      for (std::string& archive : data::expand_pattern(part)) archives.push_back(std::move(archive));
    }
    return std::make_shared<ImageFolder>(archives, path, image_format(inputs.front(), options.shape),
                                         options);
  }
  if (!std::filesystem::is_directory(path)) {
    return std::make_shared<ArrayInputs>(
        ArrayInputs::open_arrays(array_specs(path, inputs), inputs, options.threads));
  }
  if (holds_arrays(path)) return std::make_shared<ArrayInputs>(ArrayInputs::open_folder(path, inputs));
  if (inputs.size() > 1)
    fail_argument("Inputs", fmt::format("{} is a folder, but the model has several inputs", path));
  return std::make_shared<ImageFolder>(path, image_format(inputs.front(), options.shape), options);
}

Index Inputs::block(Index first, Index count) const {
  count = std::min(count, rows() - first);
  const Index own = source_->block(first, count);
  if (own < 1 || own > rows() - first) {
    throw std::runtime_error(
        fmt::format("[Inputs] a block of {} rows comes at row {}, expected {} rows", own, first, rows()));
  }
  return own;
}

std::vector<InputBatch> Inputs::read(Index first, Index count) {
  const auto all = groups(first, count);
  if (all.size() > 1) fail_argument("Inputs::read", "the rows differ in length");
  return read(all.front());
}

std::vector<std::vector<Index>> Inputs::groups(Index first, Index count) const {
  if (first < 0 || first >= rows()) fail_argument("Inputs::read", fmt::format("row {} of {}", first, rows()));
  return groups(range(first, std::min(count, rows() - first)));
}

std::vector<std::vector<Index>> Inputs::groups(const std::vector<Index>& rows) const {
  if (stored_) return stored_->groups(rows);
  return {rows};
}

std::vector<InputBatch> Inputs::read(const std::vector<Index>& group) {
  const auto count = std::ssize(group);
  if (!stored_) {
    std::vector<InputBatch> batches = source_->read(group.front(), count);
    if (batches.front().object) return batches;  // which brings its own hashes
    std::vector<std::string>& hashes = batches.front().hashes;
    hashes.resize(group.size());
    parallel_for(count, 0,
                 [&](Index row) { hashes[static_cast<std::size_t>(row)] = content_hash(batches, row); });
    return batches;
  }
  const bool is_there = ahead_.valid() && ahead_rows_ == group;
  std::vector<InputBatch> batches = is_there ? ahead_.get() : stored_->read_rows(group);
  read_ahead(std::exchange(expected_, std::nullopt).value_or(group.back() + 1), count);
  return batches;
}

// Unless the rows differ in length.
void Inputs::read_ahead(Index first, Index count) {
  if (!stored_ || first >= rows()) return;
  const auto next = groups(first, count);
  if (next.size() > 1 || (ahead_.valid() && ahead_rows_ == next.front())) return;
  ahead_rows_ = next.front();
  ahead_ = in_background([stored = stored_, group = ahead_rows_] { return stored->read_rows(group); });
}

std::string row_name(const Inputs& inputs, Index row) {
  const std::string path = inputs.file(row);
  return path.empty() ? fmt::format("row {}", row) : std::filesystem::path(path).filename().string();
}

std::vector<std::string> content_hashes(Inputs& inputs, int threads) {
  constexpr Index kBlock = 256;
  if (!inputs.stored()) return std::vector<std::string>(static_cast<std::size_t>(inputs.rows()));
  std::vector<std::string> hashes = inputs.stored()->hashes(range(0, inputs.rows()), threads);
  if (!hashes.empty()) return hashes;
  for (Index first = 0; first < inputs.rows(); first += kBlock) {
    const std::vector<InputBatch> batches = inputs.read(first, kBlock);
    hashes.insert(hashes.end(), batches.front().hashes.begin(), batches.front().hashes.end());
  }
  return hashes;
}

std::string content_hash(const std::vector<InputBatch>& batches, Index row) {
  data::Sha256 hash;
  for (const InputBatch& batch : batches) {
    const auto part = [&](const auto& values) {
      const std::size_t each = values.size() / static_cast<std::size_t>(batch.rows());
      return std::as_bytes(std::span(values).subspan(static_cast<std::size_t>(row) * each, each));
    };
    hash.update(fmt::format("{}\n", fmt::join(std::span(batch.shape).subspan(1), "x")));
    hash.update(part(batch.reals));
    hash.update(part(batch.integers));
  }
  return hash.hex();
}

}  // namespace atcav::model
