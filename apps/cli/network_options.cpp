#include "network_options.h"

namespace atcav::cli {

void add_network_options(CLI::App& app, Config& config, NamedSets& sets) {
  auto* what = app.add_option_group("What to test");
  what->add_option("--model", config.model, "ONNX file")->type_name("FILE");
  what->add_option("--layer", config.layers,
                   "tensor, node or module path (atcav layers lists them), repeatable")
      ->type_name("NAME");
  what->add_option("--class", sets.classes, "class inputs and the index of their logit, repeatable")
      ->type_name("NAME:INDEX=PATH");
  what->add_option("--concept", sets.concepts, "concept examples, repeatable")->type_name("NAME=PATH");
  what->add_option("--random", config.random, "random examples")->type_name("PATH");
  auto* network = app.add_option_group("Network and inputs");
  network->add_option("--preprocess", config.preprocess, "torchvision|caffe|tf|none")->capture_default_str();
  network->add_option("--resize", config.resize, "shorter side after resizing");
  network->add_option("--crop", config.crop, "side of the square cut from the centre");
  network->add_option("--scale", config.scale, "factor for pixels 0-255");
  network->add_option("--mean", config.mean, "subtracted per channel, e.g. 0.485,0.456,0.406")
      ->delimiter(',');
  network->add_option("--std", config.std, "divided by per channel")->delimiter(',');
  network->add_flag("--bgr", config.bgr, "channels as blue, green, red");
  network->add_option("--output", config.output_tensor,
                      "tensor with the logits (a final Softmax is skipped)");
  network
      ->add_option("--shape", config.shape, "of one example, where the model leaves it open, e.g. 3,224,224")
      ->delimiter(',');
  network->add_option("--pool", config.pool, "none, or mean over positions")->capture_default_str();
  network->add_option("--device", config.device, "cpu|cuda")->capture_default_str();
  network->add_option("--precision", config.precision, "fp32, on a GPU also tf32|bf16")
      ->capture_default_str();
  network->add_option("--batch", config.batch, "examples run at once")->capture_default_str();
  network->add_flag("--skip-bad", config.skip_bad, "leave unreadable images out instead of stopping");
  network
      ->add_option("--cache", config.cache,
                   "folder that keeps activations and gradients; interrupted runs resume")
      ->type_name("DIR");
  network->add_option("--cache-gb", config.cache_gb, "size limit of the cache")->capture_default_str();
}

void apply_named_sets(const NamedSets& sets, Config& config) {
  if (!sets.classes.empty()) config.classes.clear();
  for (const std::string& text : sets.classes) config.classes.push_back(parse_class(text));
  if (!sets.concepts.empty()) config.concepts.clear();
  for (const std::string& text : sets.concepts) {
    config.concepts.push_back(parse_example_set("--concept", text));
  }
}

}  // namespace atcav::cli
