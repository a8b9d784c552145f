#include "atcav/run/check_config.h"

#include <fmt/format.h>

#include <cmath>

#include "atcav/base/check.h"

namespace atcav {
namespace {

void check_numbers(const Config& config) {
  if (config.resize) check_at_least("run", "resize", *config.resize, 1);
  if (config.crop) check_at_least("run", "crop", *config.crop, 1);
  if (config.scale && !(std::abs(*config.scale) > 0 && std::isfinite(*config.scale)))
    fail_argument("run", fmt::format("scale is {}, must be a number other than 0", *config.scale));
  for (const double value : config.mean) check_finite("run", "mean", value);
  for (const double value : config.std) check_positive("run", "std", value);
  double values = 1;
  for (const Index size : config.shape) {
    check_at_least("run", "shape", size, 1);
    values *= static_cast<double>(size);
  }
  constexpr double kMostValues = 2147483647;
  if (values > kMostValues)
    fail_argument("run", fmt::format("shape has {:.3g} values, must be at most {:.0f}", values, kMostValues));
  if (config.batch) check_at_least("run", "batch", *config.batch, 1);
  check_positive("run", "cache-gb", config.cache_gb);
}

void check_given(const Config& config) {
  const auto refuse = [](bool there, const char* option) {
    if (there)
      fail_argument(
          "cavs",
          fmt::format("--{} cannot be combined with --cavs: the directions are there already", option));
  };
  refuse(!config.concepts.empty(), "concept");
  refuse(!config.random.empty(), "random");
  refuse(!config.relative.empty(), "relative");
  refuse(!config.save_cavs.empty(), "save-cavs");
}

void check_intervention(const Config& config, bool directions) {
  if (config.intervene) check_at_least("run", "intervene", *config.intervene, 1);
  if (config.intervene && config.no_intervene)
    fail_argument("run", "--intervene and --no-intervene exclude each other");
  if (config.intervene && !directions && !stats::is_mean_difference(config.options.cav.method)) {
    fail_argument("run", fmt::format("intervene needs cav pattern or fast, not {}; save its directions with "
                                     "--save-cavs and give them with --cavs",
                                     stats::name(config.options.cav.method)));
  }
}

}  // namespace

void check_config(const Config& config, bool has_directions) {
  check_numbers(config);
  if (has_directions) check_given(config);
  check_intervention(config, has_directions);
}

}  // namespace atcav
