#include "atcav/run/probe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "atcav/base/check.h"
#include "atcav/base/parallel.h"
#include "atcav/base/version.h"
#include "atcav/io/sha256.h"
#include "atcav/model/facts.h"
#include "plugins/torch/onnx/parse_model.h"

namespace atcav {
namespace {

// What computes the activations is part of what they depend on.
std::string maker() { return fmt::format("atcav {}, LibTorch {}", kVersion, ATCAV_LIBTORCH_VERSION); }

nn::Pool parse_pool(const std::string& text) {
  if (text == "none") return nn::Pool::none;
  if (text == "mean") return nn::Pool::mean;
  fail_argument("run", fmt::format("pool is '{}', must be none or mean", text));
}

nn::Precision parse_precision(const std::string& text) {
  if (text == "fp32") return nn::Precision::fp32;
  if (text == "tf32") return nn::Precision::tf32;
  if (text == "bf16") return nn::Precision::bf16;
  fail_argument("run", fmt::format("precision is '{}', must be fp32, tf32 or bf16", text));
}

nn::InputOptions input_options(const Config& config) {
  nn::InputOptions options;
  options.preprocess = nn::preprocess_preset(config.preprocess);
  if (config.resize) options.preprocess.resize = config.resize;
  if (config.crop) options.preprocess.crop = config.crop;
  if (config.scale) options.preprocess.scale = *config.scale;
  if (!config.mean.empty()) options.preprocess.mean = config.mean;
  if (!config.std.empty()) options.preprocess.std = config.std;
  if (config.bgr) options.preprocess.bgr = true;
  options.skip_bad = config.skip_bad;
  options.threads = config.options.threads;
  options.shape = config.shape;
  return options;
}

std::unique_ptr<io::Cache> open_cache(const Config& config) {
  if (config.cache.empty()) return nullptr;
  check_positive("run", "cache-gb", config.cache_gb);
  return std::make_unique<io::Cache>(config.cache, static_cast<std::uint64_t>(config.cache_gb * 1e9));
}

// Of the file, and of the files its weights are in where those lie apart.
std::string hash_of_model(const std::string& path) {
  const auto files = onnx::model_files(path);
  if (files.size() == 1) return io::sha256_file(path);
  io::Sha256 all;
  for (const auto& file : files) all.update(io::sha256_file(file.string()));
  return all.hex();
}

// What is known of the model is kept beside its activations: with both there, nobody needs the network.
nn::Model load(const Config& config, io::Cache* cache, const std::string& model_hash) {
  nn::LoadOptions options;
  options.device = config.device;
  options.threads = config.options.threads;
  options.precision = parse_precision(config.precision);
  options.output = config.output_tensor;
  options.shape = config.shape;
  options.batch = config.batch;
  const std::string key =
      io::sha256(fmt::format("{}\nmodel {}\nfacts\noutput {}\nshape {}\nbatch {}", maker(), model_hash,
                             config.output_tensor, fmt::join(config.shape, ","), config.batch));
  if (cache != nullptr) options.facts = cache->find_text(key).value_or("");
  nn::Model model = nn::Model::load(config.model, options);
  if (cache != nullptr && options.facts.empty()) cache->store_text(key, nn::write_facts(nn::facts_of(model)));
  return model;
}

std::string describe(const nn::Preprocess& how, const std::vector<Index>& shape) {
  const auto side = [](const std::optional<Index>& value) {
    return value ? fmt::format("{}", *value) : "auto";
  };
  return fmt::format("resize {} crop {} fit {} scale {} mean {} std {} bgr {} shape {}", side(how.resize),
                     side(how.crop), how.fit, how.scale, fmt::join(how.mean, ","), fmt::join(how.std, ","),
                     how.bgr, fmt::join(shape, ","));
}

}  // namespace

Probe::Probe(const Config& config)
    : input_options_(input_options(config)),
      pool_(parse_pool(config.pool)),
      cache_(open_cache(config)),
      model_hash_(hash_of_model(config.model)),
      model_(load(config, cache_.get(), model_hash_)),
      batch_(config.batch),
      threads_(config.options.threads) {
  check_at_least("run", "batch", batch_, 1);
  for (const std::string& layer : config.layers) {
    layers_.push_back(model_.find_layer(layer));
    names_.push_back(layer);
  }
  preprocessing_ = fmt::format("{} pool {} device {} precision {} output {}",
                               describe(input_options_.preprocess, config.shape), config.pool, config.device,
                               config.precision, model_.logits());
}

ExampleFiles Probe::open(const std::string& role, const std::string& path) const {
  return {role, path, nn::Inputs::open(path, model_.inputs(), input_options_)};
}

std::vector<MatrixF> Probe::activations(ExampleFiles& set, Index first, Index count) {
  return cached(set, first, count, "activations", -1);
}

std::vector<MatrixF> Probe::gradients(ExampleFiles& set, Index first, Index count, Index target) {
  return cached(set, first, count, "gradients", target);
}

std::vector<MatrixF> Probe::cached(ExampleFiles& set, Index first, Index count, const std::string& what,
                                   Index target) {
  std::vector<std::string> keys;
  if (cache_) {
    // The whole block is in the key: rounding in a network may depend on what shares its batch.
    const auto rows =
        std::span(set.hashes()).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    for (const std::size_t layer : layers_) {
      keys.push_back(io::sha256(fmt::format("{}\nmodel {}\nlayer {}\n{} {}\n{}\n{}", maker(), model_hash_,
                                            model_.layers()[layer].name, what, target, preprocessing_,
                                            fmt::join(rows, "\n"))));
    }
    std::vector<std::optional<MatrixF>> found(keys.size());
    parallel_for(static_cast<Index>(keys.size()), threads_,
                 [&](Index i) { found[i] = cache_->find(keys[i]); });
    if (std::all_of(found.begin(), found.end(), [](const auto& block) { return block.has_value(); })) {
      std::vector<MatrixF> blocks;
      blocks.reserve(found.size());
      for (auto& block : found) blocks.push_back(std::move(*block));
      return blocks;
    }
  }
  const std::vector<nn::InputBatch> inputs = set.inputs().read(first, count);
  examples_run_ += count;
  std::vector<MatrixF> blocks = what == "gradients" ? model_.gradients(layers_, inputs, {target}, pool_)
                                                    : model_.forward_to(layers_, inputs, pool_);
  for (std::size_t i = 0; i < keys.size(); ++i) cache_->store(keys[i], blocks[i]);
  return blocks;
}

}  // namespace atcav
