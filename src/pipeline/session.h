#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "atcav/config.h"
#include "atcav/model.h"
#include "model/find_layer.h"
#include "model/inputs.h"
#include "pipeline/run_cache.h"

// What stays the same while a run goes on: the network on its devices, what is known of it, the layers that
// are probed, how examples are read, and the cache.
namespace atcav {

// The network, once per device, each opened when it is first needed.
class Networks {
 public:
  using Open = std::function<std::shared_ptr<model::Model>(model::Device)>;
  explicit Networks(std::shared_ptr<model::Model> given);
  Networks(std::vector<model::Device> devices, Open open);

  model::Model& first() { return on(0); }
  // Blocks of examples go to the devices in turn.
  model::Model& next() { return on(turn_++ % opened_.size()); }
  // What happened on the devices without being an error.
  std::vector<std::string> remarks() const;

 private:
  model::Model& on(std::size_t device);

  std::vector<model::Device> devices_;
  Open open_;
  std::vector<std::shared_ptr<model::Model>> opened_;  // null until it is needed
  std::size_t turn_ = 0;
};

struct ProbedLayer {
  std::string name;   // as the user calls it
  std::string note;   // what must be said of that name; or empty
  model::Layer what;  // the tensor, not pooled
  Index columns = 0;  // that pooling leaves
  double depth = 0;   // where it comes in the network, from 0 to 1
};

struct Session {
  std::shared_ptr<Networks> networks;
  std::string engine;  // the library behind the numbers; may be empty
  model::Facts facts;
  std::vector<ProbedLayer> layers;
  std::vector<std::size_t> positions;  // of the layers in facts.layers
  model::Pool pool;
  model::InputOptions reading;
  Index batch = 1;  // examples to ask for at once
  int threads = 0;
  RunCache cache;
  bool reads_some = false;  // of the examples, maybe not all (pipeline/reading.h)
  Index examples_run = 0;   // that went through the network, not found in the cache

  // What went wrong, with the cache or on a device, without being an error.
  std::vector<std::string> remarks() const;
};

// How config.model is opened on a device.
model::OpenOptions open_options(const Config& config, model::Device device);

// `given`: the network itself, or null for the one in the file config.model, which is opened only if the
// cache does not know it. Finds the layers (config.layers may hold patterns); std::invalid_argument for an
// unknown one and for two names of one tensor. Sizes that the network leaves open are those of config.shape,
// or of the first array among the examples.
Session open_session(const Config& config, std::shared_ptr<model::Model> given);

}  // namespace atcav
