#include "apps/demo/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numbers>

#include "core/check.h"

namespace atcav::demo {
namespace {

// In the order of Set.
constexpr std::array<std::string_view, 10> kSetNames = {"zebra",   "leopard", "horse", "neither", "random",
                                                        "striped", "dotted",  "left",  "red",     "pool"};
constexpr double kTurn = 2 * std::numbers::pi;
constexpr std::array<Texture, kTurnCount> kTurns = {Texture::kPlain,  Texture::kStriped, Texture::kPlain,
                                                    Texture::kDotted, Texture::kPlain,   Texture::kCheckered};

double between(Stream& stream, double low, double high) { return low + (high - low) * stream.uniform(); }

// Every scene draws the same numbers in the same order, whatever its set.
Scene any_scene(Stream& stream) {
  Scene scene;
  scene.x = between(stream, 0.25, 0.75);
  scene.y = between(stream, 0.28, 0.72);
  scene.length = between(stream, 0.15, 0.21);
  scene.height = between(stream, 0.15, 0.2);
  scene.tilt = between(stream, -0.3, 0.3);
  scene.faces_left = stream.uniform() < 0.5;
  scene.shape = stream.uniform() < 0.5 ? Shape::kEllipse : Shape::kBox;
  scene.grey = between(stream, 0.2, 0.42);
  scene.contrast = between(stream, 0.1, 0.17) * (stream.uniform() < 0.5 ? -1 : 1);
  scene.period = between(stream, 0.11, 0.17);
  scene.direction = between(stream, 0, kTurn);
  scene.phase_u = stream.uniform();
  scene.phase_v = stream.uniform();
  scene.hue = between(stream, 0, kTurn);
  scene.saturation = between(stream, 0.3, 0.6);
  // Lighter or darker than the shape, never quite as grey: pictures are meant to be looked at, too.
  const double step = between(stream, 0.08, 0.17);
  scene.ground = stream.uniform() < 0.5 ? scene.grey - step : scene.grey + step;
  scene.ground_slope = between(stream, 0, 0.12);
  scene.ground_angle = between(stream, 0, kTurn);
  scene.ground_hue = between(stream, 0, kTurn);
  return scene;
}

void make_red(Scene& scene) {
  scene.hue = 0;
  scene.saturation = 0.6;
}

Scene animal(Scene scene, Texture texture) {
  scene.shape = Shape::kAnimal;
  scene.texture = texture;
  scene.length *= 1.2;
  return scene;
}

}  // namespace

std::string_view name(Set set) { return kSetNames.at(static_cast<std::size_t>(set)); }

Set parse_set(std::string_view text) {
  const auto* const found = std::ranges::find(kSetNames, text);
  if (found == kSetNames.end()) {
    fail_argument("parse_set", fmt::format("\"{}\" is not a set of the demo", text));
  }
  return static_cast<Set>(found - kSetNames.begin());
}

Scene make_scene(Set set, Index turn, Stream& stream) {
  if (turn < 0 || turn >= kTurnCount) {
    fail_argument("make_scene", fmt::format("turn is {}, must be 0 to {}", turn, kTurnCount - 1));
  }
  Scene scene = any_scene(stream);
  if (set == Set::kZebra) return animal(scene, Texture::kStriped);
  if (set == Set::kLeopard) return animal(scene, Texture::kDotted);
  if (set == Set::kHorse) return animal(scene, Texture::kPlain);
  if (set == Set::kNeither) return animal(scene, Texture::kStripedAndDotted);
  if (set == Set::kLeft) scene.x = 0.25 + (scene.x - 0.25) / 5;
  scene.texture = kTurns.at(static_cast<std::size_t>(turn));
  if (set == Set::kStriped) scene.texture = Texture::kStriped;
  if (set == Set::kDotted) scene.texture = Texture::kDotted;
  if (set == Set::kRed) make_red(scene);
  if (set == Set::kPool) {
    const bool striped = stream.uniform() < 0.4;
    const bool red = stream.uniform() < (striped ? kRedStripes : kRedOthers);
    if (striped)
      scene.texture = Texture::kStriped;
    else if (scene.texture == Texture::kStriped)
      scene.texture = Texture::kPlain;
    if (red) make_red(scene);
  }
  return scene;
}

}  // namespace atcav::demo
