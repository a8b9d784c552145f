#include "model/inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "core/check.h"
#include "core/parallel.h"
#include "data/file/sha256.h"
#include "model/array_inputs.h"
#include "model/image_folder.h"

namespace atcav::model {

struct Inputs::Source {
  std::optional<ImageFolder> images;
  std::optional<ArrayInputs> arrays;
  std::shared_ptr<ExampleSource> given;
  int threads = 0;
  std::vector<BadFile> none;
  std::optional<Index> expected;  // the row that the next block begins at
  std::vector<Index> ahead_rows;
  std::future<std::vector<InputBatch>> ahead;  // the last member: whoever leaves waits for it first

  Index rows() const {
    if (given) return given->rows();
    return images ? images->rows() : arrays->rows();
  }

  std::string file(Index row) const {
    if (given) return "";
    return images ? images->file(row) : arrays->file(row);
  }

  std::vector<std::vector<Index>> groups(const std::vector<Index>& some) const {
    if (arrays) return arrays->groups(some);
    return {some};
  }

  std::vector<std::vector<Index>> groups(Index first, Index count) const {
    std::vector<Index> range(static_cast<std::size_t>(std::min(count, rows() - first)));
    std::iota(range.begin(), range.end(), first);
    return groups(range);
  }

  std::vector<InputBatch> read(const std::vector<Index>& group) const {
    const auto count = static_cast<Index>(group.size());
    if (images) return {images->read(group)};
    std::vector<InputBatch> batches = arrays ? arrays->read(group) : given->read(group.front(), count);
    std::vector<std::string>& hashes = batches.front().hashes;
    if (given && !batches.front().object) {
      hashes.resize(group.size());
      parallel_for(count, threads,
                   [&](Index row) { hashes[static_cast<std::size_t>(row)] = content_hash(batches, row); });
    }
    return batches;
  }

  // In the background, unless it differs in length.
  void read_ahead(Index first, Index count) {
    if (given || first >= rows()) return;
    const auto next = groups(first, count);
    if (next.size() > 1 || (ahead.valid() && ahead_rows == next.front())) return;
    ahead_rows = next.front();
    ahead = in_background([this, group = ahead_rows] { return read(group); });
  }
};

namespace {

bool holds_arrays(const std::string& folder) {
  const auto is_array = [](const auto& entry) { return entry.path().extension() == ".npy"; };
  const std::filesystem::directory_iterator entries(folder);
  return std::any_of(begin(entries), end(entries), is_array);
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

}  // namespace

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
  if (!std::filesystem::is_directory(path)) {
    source->arrays = ArrayInputs::open_arrays(array_specs(path, inputs), inputs, options.threads);
  } else if (holds_arrays(path)) {
    source->arrays = ArrayInputs::open_folder(path, inputs);
  } else {
    if (inputs.size() > 1)
      fail_argument("Inputs", fmt::format("{} is a folder, but the model has several inputs", path));
    source->images.emplace(path, image_format(inputs.front(), options.shape), options);
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
    throw std::runtime_error(
        fmt::format("[Inputs] a block of {} rows comes at row {}, expected {} rows", own, first, rows()));
  }
  return own;
}

std::string Inputs::name(Index row) const {
  const std::string path = file(row);
  return path.empty() ? fmt::format("row {}", row) : std::filesystem::path(path).filename().string();
}

std::string Inputs::file(Index row) const { return source_->file(row); }

std::vector<std::string> Inputs::hashes() {
  constexpr Index kBlock = 256;
  std::vector<std::string> hashes;
  if (is_given()) {
    hashes.resize(static_cast<std::size_t>(rows()));
  } else if (!file(0).empty()) {
    std::vector<std::string> files;
    for (Index row = 0; row < rows(); ++row) files.push_back(file(row));
    hashes = data::sha256_files(files, source_->threads);
  } else {
    for (Index first = 0; first < rows(); first += kBlock) {
      const std::vector<InputBatch> batches = read(first, kBlock);
      hashes.insert(hashes.end(), batches.front().hashes.begin(), batches.front().hashes.end());
    }
  }
  return hashes;
}

Index Inputs::folders() const { return source_->images ? source_->images->folders() : 0; }

const std::vector<BadFile>& Inputs::bad() const {
  return source_->images ? source_->images->bad() : source_->none;
}

std::vector<std::vector<Index>> Inputs::groups(Index first, Index count) const {
  if (first < 0 || first >= rows()) fail_argument("Inputs::read", fmt::format("row {} of {}", first, rows()));
  return source_->groups(first, count);
}

std::vector<std::vector<Index>> Inputs::groups(const std::vector<Index>& rows) const {
  return source_->groups(rows);
}

std::vector<InputBatch> Inputs::read(const std::vector<Index>& group) {
  const bool is_there = source_->ahead.valid() && source_->ahead_rows == group;
  std::vector<InputBatch> batches = is_there ? source_->ahead.get() : source_->read(group);
  source_->read_ahead(std::exchange(source_->expected, std::nullopt).value_or(group.back() + 1),
                      std::ssize(group));
  return batches;
}

void Inputs::expect(Index next) { source_->expected = next; }

void Inputs::prepare(Index count) { source_->read_ahead(0, count); }

std::vector<InputBatch> Inputs::read(Index first, Index count) {
  const auto all = groups(first, count);
  if (all.size() > 1) fail_argument("Inputs::read", "the rows differ in length");
  return read(all.front());
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
