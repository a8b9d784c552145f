#include "pipeline/probe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/check.h"
#include "core/parallel.h"
#include "atcav/version.h"
#include "comm/comm.h"
#include "data/file/fail.h"
#include "data/array/open_array.h"
#include "data/file/sha256.h"
#include "atcav/config.h"
#include "pipeline/option_table.h"

namespace atcav {
namespace {

std::string shown(const Config& config, const char* key) {
  return std::get<std::string>(find_option(key).get(config));
}

// "cuda:0,cuda:1": examples go to them in turn, block after block.
std::vector<std::string> device_list(const std::string& devices) {
  std::vector<std::string> list;
  for (std::size_t first = 0; first <= devices.size();) {
    const std::size_t comma = std::min(devices.find(',', first), devices.size());
    list.push_back(devices.substr(first, comma - first));
    first = comma + 1;
  }
  // Of several ranks on a machine each has one.
  if (comm::size() > 1) return {list[static_cast<std::size_t>(comm::local_rank()) % list.size()]};
  return list;
}

model::InputOptions input_options(const Config& config, bool from_file) {
  model::InputOptions options;
  options.preprocess = io::preprocess_preset(shown(config, "preprocess"));
  if (config.resize) options.preprocess.resize = config.resize;
  if (config.crop) options.preprocess.crop = config.crop;
  if (config.scale) options.preprocess.scale = *config.scale;
  if (!config.mean.empty()) options.preprocess.mean = config.mean;
  if (!config.std.empty()) options.preprocess.std = config.std;
  if (config.bgr) options.preprocess.bgr = true;
  options.skip_bad = config.skip_bad;
  options.threads = config.options.threads;
  options.memory = config.options.memory;
  options.shape = config.shape;
  options.pixels = from_file && config.device != "cpu";
  return options;
}

std::string describe(const io::Preprocess& how, const Config& config) {
  const auto side = [](const std::optional<Index>& value) {
    return value ? fmt::format("{}", *value) : "auto";
  };
  return fmt::format(
      "resize {} crop {} fit {} scale {} mean {} std {} bgr {} shape {} pool {} device {} precision {}",
      side(how.resize), side(how.crop), how.fit, how.scale, fmt::join(how.mean, ","), fmt::join(how.std, ","),
      how.bgr, fmt::join(config.shape, ","), shown(config, "pool"), config.device,
      shown(config, "precision"));
}

Index most_at_once(const Config& config) { return config.device == "cpu" ? 32 : 256; }

std::shared_ptr<model::Model> open_network(const Config& config, const std::string& device) {
  const ExampleShapes shapes = example_shapes(config);
  return model::open_onnx(config.model, {.device = device,
                                         .threads = config.options.threads,
                                         .precision = config.precision,
                                         .output = config.output,
                                         .shapes = shapes.by_position,
                                         .named_shapes = shapes.by_name,
                                         .batch = config.batch.value_or(most_at_once(config)),
                                         .memory = config.options.memory,
                                         .local_rank = comm::local_rank()});
}

// A column with 1 where the target is the largest logit.
MatrixF top_class_hits(const Eigen::Map<const MatrixF>& logits, const std::vector<Index>& targets) {
  MatrixF hits(logits.rows(), 1);
  for (Index row = 0; row < logits.rows(); ++row) {
    Index top = 0;
    logits.row(row).maxCoeff(&top);
    hits(row, 0) = top == targets[targets.size() == 1 ? 0 : static_cast<std::size_t>(row)] ? 1.0F : 0.0F;
  }
  return hits;
}

// Of the file, and of the files its weights are in where those lie apart.
std::string hash_of_files(const std::string& own_hash, const std::vector<std::string>& others) {
  if (others.empty()) return own_hash;
  std::string all = own_hash;
  for (const std::string& file : others) all += io::sha256_file(file);
  return io::sha256(all);
}

// Sizes that the network does not leave open cannot be chosen.
void check_shape(const std::vector<Index>& asked, const std::vector<model::InputInfo>& inputs) {
  if (asked.empty() || inputs.empty() || inputs.front().shape.size() != asked.size() + 1) return;
  const std::span fixed = std::span(inputs.front().shape).subspan(1);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (fixed[i] > 0 && fixed[i] != asked[i])
      fail_argument("run",
                    fmt::format("shape is {}, and input '{}' of the network has size {} where that says {}",
                                fmt::join(asked, ","), inputs.front().name, fixed[i], asked[i]));
  }
}

}  // namespace

Input OpenedSet::describe() const {
  io::Sha256 all;
  for (const std::string& hash : hashes) all.update(hash);
  return {role, path, all.hex(), {rows()}};
}

Probe::Probe(const Config& config, std::shared_ptr<model::Model> given)
    : model_(config.model),
      opener_([config](const std::string& device) { return open_network(config, device); }),
      devices_(given ? std::vector<std::string>{""} : device_list(config.device)),
      networks_(devices_.size()),
      engine_(given ? "" : model::onnx_engine()),
      cache_(config.cache.empty() ? nullptr : std::make_unique<io::Cache>(config.cache, config.cache_gb)),
      input_options_(input_options(config, given == nullptr)),
      pool_(config.pool),
      threads_(config.options.threads) {
  networks_.front() = std::move(given);
  facts_ = find_facts(config);
  check_shape(config.shape, facts_.inputs);
  preprocessing_ = fmt::format("{} output {}", describe(input_options_.preprocess, config), facts_.logits);
  for (const std::string& text : config.layers) {
    for (const model::FoundLayer& layer : model::find_layers(facts_, text)) {
      const auto known = std::ranges::find(layers_, layer.position);
      if (known != layers_.end()) {
        fail_argument("run", fmt::format("the layers '{}' and '{}' are the same tensor '{}'",
                                         found_[known - layers_.begin()].name, layer.name,
                                         facts_.layers[layer.position].name));
      }
      layers_.push_back(layer.position);
      found_.push_back(layer);
    }
  }
  batch_ = config.batch.value_or(fitting_batch(config));
}

// On a GPU, rows of all layers in about 2 GB, since a few blocks are there at a time. What a network needs
// inside is not known; where that is too much the model itself takes less at once (model::Model::remarks).
Index Probe::fitting_batch(const Config& config) const {
  constexpr Index kBytes = Index{2} << 30;
  const Index most = most_at_once(config);
  if (config.device == "cpu") return most;
  Index bytes = 0;
  for (std::size_t i = 0; i < layers_.size(); ++i) bytes += columns(i) * static_cast<Index>(sizeof(float));
  return std::clamp<Index>(kBytes / std::max<Index>(bytes, 1), 8, most);
}

// What is known of the network is kept beside its activations: with both there, nobody needs the network.
model::Facts Probe::find_facts(const Config& config) {
  if (networks_.front() || !cache_) return network(0).facts();
  const std::string own_hash = io::sha256_file(config.model);
  const std::string key = io::sha256(fmt::format(
      "atcav {}, {}\nmodel {}\nfacts\noutput {}\nshape {}\nbatch {}", kVersion, engine_, own_hash,
      config.output, shapes_text(example_shapes(config)), config.batch.value_or(most_at_once(config))));
  if (const auto text = cache_->find_text(key)) {
    try {
      model::Facts facts = model::read_facts(*text);
      if (facts.hash == hash_of_files(own_hash, facts.files)) return facts;
    } catch (const std::runtime_error&) {
      // Written by something else, or a file of weights has gone: the network will say.
    }
  }
  const model::Facts& facts = network(0).facts();
  // The key is of the file before the network was opened.
  if (facts.hash == hash_of_files(own_hash, facts.files)) cache_->store_text(key, model::write_facts(facts));
  return facts;
}

// Cached numbers are found and kept by the facts, so the network must be the one they speak of.
model::Model& Probe::network(std::size_t which) {
  if (networks_[which]) return *networks_[which];
  std::shared_ptr<model::Model> opened = opener_(devices_[which]);
  if (!facts_.hash.empty()) {
    if (opened->facts().hash != facts_.hash) io::fail_file("run", model_, "changed between reads");
    if (model::write_facts(opened->facts()) != model::write_facts(facts_))
      io::fail_file("run", model_, "is not as the cache describes it; remove the cache");
  }
  networks_[which] = std::move(opened);
  return *networks_[which];
}

Index Probe::columns(std::size_t layer) const {
  const model::Layer& found = facts_.layers[layers_[layer]];
  return pool_ == model::Pool::kNone ? found.size : found.pooled_size;
}

OpenedSet Probe::open(const std::string& role, const std::string& path,
                      std::shared_ptr<model::ExampleSource> given) const {
  model::Inputs inputs =
      given ? model::Inputs(std::move(given)) : model::Inputs::open(path, facts_.inputs, input_options_);
  // Keys of the cache need them before anything is read.
  std::vector<std::string> hashes =
      cache_ ? inputs.hashes() : std::vector<std::string>(static_cast<std::size_t>(inputs.rows()));
  return {role, path, std::move(inputs), std::move(hashes)};
}

void Probe::prepare(OpenedSet& set, Index rows) const {
  if (!cache_ && comm::size() == 1) set.inputs.prepare(std::min(rows, batch_));
}

// Examples show their content here; at a second look it must be the same.
std::vector<model::InputBatch> Probe::read(OpenedSet& set, const std::vector<Index>& rows) {
  std::vector<model::InputBatch> inputs = set.inputs.read(rows);
  std::vector<std::string>& hashes = inputs.front().hashes;
  check_same("run", "rows", "a block of " + set.role, std::ssize(hashes), "what was asked for",
             std::ssize(rows));
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    std::string& known = set.hashes[rows[i]];
    if (!known.empty() && known != hashes[i]) {
      throw std::runtime_error(
          fmt::format("[run] {} of {} changed between reads{}", set.inputs.name(rows[i]), set.role,
                      set.inputs.is_given() ? "; it must come without shuffling and anything random" : ""));
    }
    known = std::move(hashes[i]);
  }
  return inputs;
}

std::vector<model::InputBatch> Probe::read(OpenedSet& set, Index first, Index count) {
  const auto groups = set.inputs.groups(first, count);
  if (groups.size() > 1) fail_argument("run", fmt::format("rows of {} differ in length", set.role));
  set.inputs.expect(set.rows());  // none
  return read(set, groups.front());
}

ClassTarget Probe::target(const ClassSet& set, Index inputs) const {
  ClassTarget target{{set.target.logit}, set.target.minus, set.target.negative};
  if (!set.target.file.empty()) {
    const std::vector<std::int64_t> indices = io::open_array(set.target.file).read_int64();
    check_same("run", "indices", set.target.file, std::ssize(indices), "class '" + set.name + "'", inputs);
    target.logits.assign(indices.begin(), indices.end());
  }
  const auto check = [&](Index logit) {
    if (logit < 0 || logit >= facts_.logit_count) {
      fail_argument("run", fmt::format("class '{}' has index {}, must be below {}, the number of logits",
                                       set.name, logit, facts_.logit_count));
    }
  };
  for (const Index logit : target.logits) check(logit);
  if (target.minus) check(*target.minus);
  if (target.negative && facts_.logit_count > 1) {
    fail_argument(
        "run", fmt::format("class '{}' has index -0, which is for networks with one logit; this one has {}",
                           set.name, facts_.logit_count));
  }
  return target;
}

std::vector<RowsPtr> Probe::activations(OpenedSet& set, Index first, Index count) {
  return cached(set, first, count, nullptr);
}

std::vector<RowsPtr> Probe::gradients(OpenedSet& set, Index first, Index count, const ClassTarget& target) {
  if (target.logits.size() == 1) return cached(set, first, count, &target);
  ClassTarget own = target;
  own.logits.assign(target.logits.begin() + first, target.logits.begin() + first + count);
  return cached(set, first, count, &own);
}

std::vector<RowsPtr> Probe::cached(OpenedSet& set, Index first, Index count, const ClassTarget* target) {
  std::vector<model::InputBatch> inputs;
  if (set.inputs.is_given()) inputs = read(set, first, count);
  std::vector<std::string> keys;
  if (cache_) {
    std::string what = "activations -1";
    if (target != nullptr) {
      what = fmt::format("gradients {}", fmt::join(target->logits, ","));
      if (target->minus) what += fmt::format(" minus {}", *target->minus);
      if (target->negative) what += " negative";
    }
    // The whole block is in the key: rounding in a network may depend on what shares its batch.
    const auto rows =
        std::span(set.hashes).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    const auto add_key = [&](const std::string& layer) {
      keys.push_back(io::sha256(fmt::format("atcav {}, {}\nmodel {}\nlayer {} {}\n{}\n{}\n{}", kVersion,
                                            engine_, facts_.hash, layer.size(), layer, what, preprocessing_,
                                            fmt::join(rows, "\n"))));
    };
    for (const std::size_t layer : layers_) add_key(facts_.layers[layer].name);
    if (target != nullptr) add_key("\ttop class");
    std::vector<RowsPtr> found(keys.size());
    parallel_for(std::ssize(keys), threads_, [&](Index i) {
      const auto layer = static_cast<std::size_t>(i);
      if (auto block = cache_->find(keys[layer], count, layer < layers_.size() ? columns(layer) : 1))
        found[layer] = std::make_shared<HostRows>(std::move(*block));
    });
    if (std::ranges::all_of(found, [](const RowsPtr& block) { return block != nullptr; })) return found;
  }
  examples_run_ += count;
  std::vector<RowsPtr> blocks =
      inputs.empty() ? computed(set, first, count, target) : asked(set.role, inputs, target);
  for (std::size_t i = 0; i < keys.size(); ++i) cache_->store(keys[i], blocks[i]->host());
  return blocks;
}

RowsPtr Probe::whole_activations(std::size_t layer, const std::vector<model::InputBatch>& inputs) {
  return network().activations(std::array{layers_[layer]}, inputs, model::Pool::kNone).front();
}

std::vector<RowsPtr> Probe::whole_activations(const std::vector<model::InputBatch>& inputs) {
  return network().activations(layers_, inputs, model::Pool::kNone);
}

MatrixF Probe::logits_moved(std::size_t layer, const Rows& activations, const MatrixF& steps,
                            const std::vector<model::InputBatch>& inputs) {
  return network().logits_moved(layers_[layer], activations, steps, inputs)->host();
}

MatrixF Probe::kept(const std::string& what, Index rows, Index columns,
                    const std::function<MatrixF()>& compute) {
  if (!cache_) return compute();
  const std::string key = io::sha256(
      fmt::format("atcav {}, {}\nmodel {}\n{}\n{}", kVersion, engine_, facts_.hash, preprocessing_, what));
  if (auto found = cache_->find(key, rows, columns)) return std::move(*found);
  MatrixF computed = compute();
  cache_->store(key, computed);
  return computed;
}

// Rows of different lengths go through the network in groups.
std::vector<RowsPtr> Probe::computed(OpenedSet& set, Index first, Index count, const ClassTarget* target) {
  const std::vector<std::vector<Index>> groups = set.inputs.groups(first, count);
  if (groups.size() == 1) return asked(set.role, read(set, groups.front()), target);
  std::vector<MatrixF> joined;
  for (const std::vector<Index>& group : groups) {
    std::optional<ClassTarget> own;
    if (target != nullptr) own = *target;
    if (own && own->logits.size() > 1) {
      own->logits.clear();
      for (const Index row : group) own->logits.push_back(target->logits[row - first]);
    }
    const std::vector<RowsPtr> blocks = asked(set.role, read(set, group), own ? &*own : nullptr);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const auto rows = blocks[i]->host();
      if (joined.size() == i) joined.emplace_back(count, rows.cols());
      for (std::size_t j = 0; j < group.size(); ++j)
        joined[i].row(group[j] - first) = rows.row(static_cast<Index>(j));
    }
  }
  std::vector<RowsPtr> result;
  result.reserve(joined.size());
  for (MatrixF& rows : joined) result.push_back(std::make_shared<HostRows>(std::move(rows)));
  return result;
}

std::vector<RowsPtr> Probe::asked(const std::string& role, const std::vector<model::InputBatch>& inputs,
                                  const ClassTarget* target) {
  model::Model& next = network(turn_++ % networks_.size());
  std::vector<RowsPtr> blocks;
  if (target == nullptr) {
    blocks = next.activations(layers_, inputs, pool_);
  } else {
    model::Gradients found = next.gradients_with_logits(layers_, inputs, target->logits, pool_);
    blocks = std::move(found.layers);
    if (target->minus) {
      const std::vector<RowsPtr> other = next.gradients(layers_, inputs, {*target->minus}, pool_);
      for (std::size_t i = 0; i < blocks.size(); ++i)
        blocks[i] = std::make_shared<HostRows>(MatrixF(blocks[i]->host() - other[i]->host()));
    }
    if (target->negative) {
      for (RowsPtr& block : blocks) block = std::make_shared<HostRows>(MatrixF(-block->host()));
    }
    blocks.push_back(std::make_shared<HostRows>(top_class_hits(found.logits->host(), target->logits)));
  }
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (blocks[i]->columns() != columns(i)) {
      fail_argument("run",
                    fmt::format("{} has {} columns at layer '{}', other examples have {}: sequences of "
                                "different lengths need --pool",
                                role, blocks[i]->columns(), found_[i].name, columns(i)));
    }
  }
  return blocks;
}

std::vector<std::string> Probe::remarks() const {
  std::vector<std::string> remarks;
  if (cache_ && cache_->damaged() > 0) {
    remarks.push_back(fmt::format("{} cache entries were damaged or another user's and were computed again",
                                  cache_->damaged()));
  }
  if (cache_ && cache_->not_kept() > 0) {
    remarks.push_back(fmt::format("{} blocks could not be kept in the cache, the first because: {}",
                                  cache_->not_kept(), cache_->why_not_kept()));
  }
  for (const auto& network : networks_) {
    if (!network) continue;
    for (std::string& remark : network->remarks()) remarks.push_back(std::move(remark));
  }
  return remarks;
}

}  // namespace atcav
