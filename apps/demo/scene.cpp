#include "apps/demo/scene.h"

#include <fmt/format.h>

#include <array>
#include <numbers>

#include "atcav/base/check.h"

namespace atcav::demo {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr std::array<DemoTexture, kDemoTurns> kTurns = {DemoTexture::kPlain, DemoTexture::kStriped,
                                                        DemoTexture::kPlain, DemoTexture::kDotted,
                                                        DemoTexture::kPlain, DemoTexture::kCheckered};

double between(Stream& stream, double low, double high) { return low + (high - low) * stream.uniform(); }

// Every scene draws the same numbers in the same order, whatever its set.
DemoScene any_scene(Stream& stream) {
  DemoScene scene;
  scene.x = between(stream, 0.25, 0.75);
  scene.y = between(stream, 0.28, 0.72);
  scene.length = between(stream, 0.15, 0.21);
  scene.height = between(stream, 0.15, 0.2);
  scene.tilt = between(stream, -0.3, 0.3);
  scene.faces_left = stream.uniform() < 0.5;
  scene.shape = stream.uniform() < 0.5 ? DemoShape::kEllipse : DemoShape::kBox;
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

DemoScene animal(DemoScene scene, DemoTexture texture) {
  scene.shape = DemoShape::kAnimal;
  scene.texture = texture;
  scene.length *= 1.2;
  return scene;
}

}  // namespace

const std::vector<DemoSet>& demo_sets() {
  static const std::vector<DemoSet> sets = {DemoSet::kZebra,   DemoSet::kLeopard, DemoSet::kHorse,
                                            DemoSet::kNeither, DemoSet::kRandom,  DemoSet::kStriped,
                                            DemoSet::kDotted,  DemoSet::kLeft,    DemoSet::kRed};
  return sets;
}

std::string_view name(DemoSet set) {
  constexpr std::array<std::string_view, 9> kNames = {"zebra",   "leopard", "horse", "neither", "random",
                                                      "striped", "dotted",  "left",  "red"};
  return kNames.at(static_cast<std::size_t>(set));
}

DemoSet parse_demo_set(std::string_view text) {
  for (const DemoSet set : demo_sets()) {
    if (name(set) == text) return set;
  }
  fail_argument("parse_demo_set", fmt::format("\"{}\" is no set of the demo", text));
}

DemoScene demo_scene(DemoSet set, Index turn, Stream& stream) {
  if (turn < 0 || turn >= kDemoTurns) {
    fail_argument("demo_scene", fmt::format("turn is {}, must be 0 to {}", turn, kDemoTurns - 1));
  }
  DemoScene scene = any_scene(stream);
  switch (set) {
    case DemoSet::kZebra:
      return animal(scene, DemoTexture::kStriped);
    case DemoSet::kLeopard:
      return animal(scene, DemoTexture::kDotted);
    case DemoSet::kHorse:
      return animal(scene, DemoTexture::kPlain);
    case DemoSet::kNeither:
      return animal(scene, DemoTexture::kStripedAndDotted);
    default:
      break;
  }
  if (set == DemoSet::kLeft) scene.x = 0.25 + (scene.x - 0.25) / 5;
  scene.texture = kTurns.at(static_cast<std::size_t>(turn));
  if (set == DemoSet::kStriped) scene.texture = DemoTexture::kStriped;
  if (set == DemoSet::kDotted) scene.texture = DemoTexture::kDotted;
  if (set == DemoSet::kRed) {
    scene.hue = 0;
    scene.saturation = 0.6;
  }
  return scene;
}

}  // namespace atcav::demo
