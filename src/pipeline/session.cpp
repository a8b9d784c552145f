#include "pipeline/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>

#include "atcav/version.h"
#include "comm/comm.h"
#include "core/check.h"
#include "data/file/fail.h"
#include "data/file/sha256.h"
#include "pipeline/example_shapes.h"
#include "pipeline/option_table.h"

namespace atcav {
namespace {

std::string shown(const Config& config, const char* key) {
  return std::get<std::string>(find_option(key).get(config));
}

// Of several ranks on a machine each has one.
std::vector<model::Device> own_devices(const std::vector<model::Device>& devices) {
  if (comm::size() == 1) return devices;
  return {devices[static_cast<std::size_t>(comm::local_rank()) % devices.size()]};
}

model::InputOptions input_options(const Config& config, bool from_file) {
  model::InputOptions options;
  options.preprocess = data::preprocess_preset(config.preprocess);
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
  options.pixels = from_file && config.on_gpu();
  return options;
}

// Everything about inputs that changes activations.
std::string describe(const data::Preprocess& how, const Config& config) {
  const auto side = [](const std::optional<Index>& value) {
    return value ? fmt::format("{}", *value) : "auto";
  };
  return fmt::format(
      "resize {} crop {} fit {} scale {} mean {} std {} bgr {} shape {} pool {} device {} precision {}",
      side(how.resize), side(how.crop), how.fit, how.scale, fmt::join(how.mean, ","), fmt::join(how.std, ","),
      how.bgr, fmt::join(config.shape, ","), shown(config, "pooling"), model::device_text(config.devices),
      shown(config, "precision"));
}

Index most_at_once(bool on_device) { return on_device ? 256 : 32; }
Index most_at_once(const Config& config) { return most_at_once(config.on_gpu()); }

// Of the file, and of the files its weights are in where those lie apart.
std::string hash_of_files(const std::string& own_hash, const std::vector<std::string>& others) {
  if (others.empty()) return own_hash;
  std::string all = own_hash;
  for (const std::string& file : others) all += data::sha256_file(file);
  return data::sha256(all);
}

// Cached numbers are found and kept by the facts, so a network that is opened later must be the one they
// speak of.
void check_is(const model::Facts& facts, const model::Model& opened, const std::string& file) {
  if (opened.facts().hash != facts.hash) data::fail_file("run", file, "changed between reads");
  if (model::write_facts(opened.facts()) != model::write_facts(facts))
    data::fail_file("run", file, "is not as the cache describes it; remove the cache");
}

// What is known of the network is kept beside its activations: with both there, nobody needs the network.
model::Facts find_facts(const Config& config, const std::string& engine, Networks& networks,
                        data::Cache* cache) {
  if (cache == nullptr) return networks.first().facts();
  const std::string own_hash = data::sha256_file(config.model);
  const std::string key = data::sha256(fmt::format(
      "atcav {}, {}\nmodel {}\nfacts\noutput {}\nshape {}\nbatch {}", kVersion, engine, own_hash,
      config.output, shapes_text(example_shapes(config)), config.batch.value_or(most_at_once(config))));
  if (const auto text = cache->find_text(key)) {
    try {
      model::Facts facts = model::read_facts(*text);
      if (facts.hash == hash_of_files(own_hash, facts.files)) return facts;
    } catch (const std::runtime_error&) {
      // Written by something else, or a file of weights has gone: the network will say.
    }
  }
  const model::Facts& facts = networks.first().facts();
  // The key is of the file before the network was opened.
  if (facts.hash == hash_of_files(own_hash, facts.files)) cache->store_text(key, model::write_facts(facts));
  return facts;
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

void find_layers(Session& session, const std::vector<std::string>& names) {
  const std::vector<model::Layer>& all = session.facts.layers;
  for (const std::string& text : names) {
    for (const model::FoundLayer& layer : model::find_layers(session.facts, text)) {
      const model::Layer& what = all[layer.position];
      const auto known = std::ranges::find(session.positions, layer.position);
      if (known != session.positions.end()) {
        fail_argument("run", fmt::format("the layers '{}' and '{}' are the same tensor '{}'",
                                         session.layers[known - session.positions.begin()].name, layer.name,
                                         what.name));
      }
      session.positions.push_back(layer.position);
      session.layers.push_back({layer.name, layer.note, what,
                                session.pool == model::Pool::kNone ? what.size : what.pooled_size,
                                static_cast<double>(layer.position) / static_cast<double>(all.size())});
    }
  }
}

// On a GPU, rows of all layers in about 2 GB, since a few blocks are there at a time. What a network needs
// inside is not known; where that is too much the model itself takes less at once (model::Model::remarks).
Index fitting_batch(const Session& session, bool on_device) {
  constexpr Index kBytes = Index{2} << 30;
  const Index most = most_at_once(on_device);
  if (!on_device) return most;
  Index bytes = 0;
  for (const ProbedLayer& layer : session.layers) bytes += layer.columns * static_cast<Index>(sizeof(float));
  return std::clamp<Index>(kBytes / std::max<Index>(bytes, 1), 8, most);
}

}  // namespace

Networks::Networks(std::shared_ptr<model::Model> given) : devices_(1), opened_{std::move(given)} {}

Networks::Networks(std::vector<model::Device> devices, Open open)
    : devices_(std::move(devices)), open_(std::move(open)), opened_(devices_.size()) {}

model::Model& Networks::on(std::size_t device) {
  if (!opened_[device]) opened_[device] = open_(devices_[device]);
  return *opened_[device];
}

std::vector<std::string> Networks::remarks() const {
  std::vector<std::string> remarks;
  for (const auto& network : opened_) {
    if (!network) continue;
    for (std::string& remark : network->remarks()) remarks.push_back(std::move(remark));
  }
  return remarks;
}

std::vector<std::string> Session::remarks() const {
  std::vector<std::string> all = cache.remarks();
  for (std::string& remark : networks->remarks()) all.push_back(std::move(remark));
  return all;
}

model::OpenOptions open_options(const Config& config, model::Device device) {
  const ExampleShapes shapes = example_shapes(config);
  return {.device = device,
          .threads = config.options.threads,
          .precision = config.precision,
          .output = config.output,
          .shapes = shapes.by_position,
          .named_shapes = shapes.by_name,
          .batch = config.batch.value_or(most_at_once(config)),
          .memory = config.options.memory,
          .local_rank = comm::local_rank()};
}

Session open_session(const Config& config, std::shared_ptr<model::Model> given) {
  Session session;
  session.reading = input_options(config, given == nullptr);
  session.pool = config.pool;
  session.threads = config.options.threads;
  session.reads_some = !config.options.reads_all();
  std::shared_ptr<data::Cache> cache;
  if (!config.cache.empty()) cache = std::make_shared<data::Cache>(config.cache, config.cache_gb);
  const bool on_device = config.on_gpu() || (given && given->on_device());
  if (given) {
    session.facts = given->facts();
    session.networks = std::make_shared<Networks>(std::move(given));
  } else {
    session.engine = model::onnx_engine();
    const auto known = std::make_shared<model::Facts>();  // empty until they are found
    session.networks =
        std::make_shared<Networks>(own_devices(config.devices), [config, known](model::Device device) {
          std::shared_ptr<model::Model> opened = model::open_onnx(config.model, open_options(config, device));
          if (!known->hash.empty()) check_is(*known, *opened, config.model);
          return opened;
        });
    session.facts = find_facts(config, session.engine, *session.networks, cache.get());
    *known = session.facts;
  }
  check_shape(config.shape, session.facts.inputs);
  session.cache = RunCache(
      cache, fmt::format("atcav {}, {}\nmodel {}\n{} output {}", kVersion, session.engine, session.facts.hash,
                         describe(session.reading.preprocess, config), session.facts.logits));
  find_layers(session, config.layers);
  session.batch = config.batch.value_or(fitting_batch(session, on_device));
  return session;
}

}  // namespace atcav
