#include "apps/demo/images.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/check.h"
#include "core/parallel.h"

namespace atcav::demo {
namespace {

constexpr double kMostGrey = 1 / 1.6;
constexpr double kNoise = 0.01;
constexpr double kPixel = 1.0 / kSide;

struct Point {
  double x;
  double y;
};

Point turned(Point p, double angle) {
  return {std::cos(angle) * p.x + std::sin(angle) * p.y, -std::sin(angle) * p.x + std::cos(angle) * p.y};
}

// 1 inside, 0 outside, and a slope one pixel wide between, from the distance to the edge.
double inside_share(double distance_outside) { return std::clamp(0.5 - distance_outside / kPixel, 0.0, 1.0); }

double ellipse(Point p, Point centre, double a, double b) {
  return (std::hypot((p.x - centre.x) / a, (p.y - centre.y) / b) - 1) * std::min(a, b);
}

double box(Point p, double a, double b) { return std::max(std::abs(p.x) - a, std::abs(p.y) - b); }

// A thick line with round ends.
double limb(Point p, Point from, Point to, double radius) {
  const Point along{to.x - from.x, to.y - from.y};
  const double share =
      ((p.x - from.x) * along.x + (p.y - from.y) * along.y) / (along.x * along.x + along.y * along.y);
  const double t = std::clamp(share, 0.0, 1.0);
  return std::hypot(p.x - from.x - t * along.x, p.y - from.y - t * along.y) - radius;
}

// Body length 2, y grows downwards, facing right.
double animal(Point p) {
  double distance = ellipse(p, {0, 0}, 1, 0.52);
  for (const double x : {-0.72, -0.45, 0.45, 0.72}) {
    distance = std::min(distance, limb(p, {x, 0.2}, {x, 1.0}, 0.11));
  }
  distance = std::min(distance, limb(p, {0.75, -0.15}, {1.1, -0.6}, 0.2));
  distance = std::min(distance, ellipse(p, {1.25, -0.68}, 0.32, 0.2));
  return std::min(distance, limb(p, {-0.95, -0.1}, {-1.25, 0.4}, 0.07));
}

double shape_coverage(const Scene& scene, Point p) {
  Point local = turned({p.x - scene.x, p.y - scene.y}, scene.tilt);
  if (scene.shape == Shape::kEllipse) return inside_share(ellipse(local, {0, 0}, scene.length, scene.height));
  if (scene.shape == Shape::kBox) return inside_share(box(local, scene.length, scene.height));
  if (scene.faces_left) local.x = -local.x;
  return inside_share(scene.length * animal({local.x / scene.length, local.y / scene.length}));
}

// In [-1, 1]; the edges are about a pixel wide, as a camera would have them.
double texture(const Scene& scene, Point p) {
  const Point q = turned(p, scene.direction);
  const double u = q.x / scene.period + scene.phase_u;
  const double v = q.y / scene.period + scene.phase_v;
  const auto wave = [](double t) { return std::sin(2 * std::numbers::pi * t); };
  const auto stripes = [&] { return std::tanh(2 * wave(u)); };
  const auto dots = [&] { return std::tanh(8 * (0.32 - std::hypot(u - std::round(u), v - std::round(v)))); };
  if (scene.texture == Texture::kPlain) return 0;
  if (scene.texture == Texture::kStriped) return stripes();
  if (scene.texture == Texture::kDotted) return dots();
  if (scene.texture == Texture::kCheckered) return std::tanh(4 * wave(u / 2) * wave(v / 2));
  return 0.7 * (stripes() + dots());
}

double grey(const Scene& scene, double inside, Point p) {
  const double slope = scene.ground_slope * ((p.x - 0.5) * std::cos(scene.ground_angle) +
                                             (p.y - 0.5) * std::sin(scene.ground_angle));
  return (1 - inside) * (scene.ground + slope) + inside * (scene.grey + scene.contrast * texture(scene, p));
}

double tint(Index channel, double hue, double saturation) {
  return 1 + saturation * std::cos(hue - static_cast<double>(channel) * 2 * std::numbers::pi / 3);
}

constexpr std::uint64_t kTurnKey = 1;

Stream stream_of(Set set, Index position, std::uint64_t seed) {
  return Stream(seed, {kTaskDemo, key_word(name(set)), static_cast<std::uint64_t>(position)});
}

Point centre_of(Index row, Index column) {
  return {(static_cast<double>(column) + 0.5) * kPixel, (static_cast<double>(row) + 0.5) * kPixel};
}

Index turn(Set set, Index position, std::uint64_t seed) {
  const auto block = static_cast<std::uint64_t>(position / kTurnCount);
  Stream stream(seed, {kTaskDemo, key_word(name(set)), block, kTurnKey});
  return stream.permutation(kTurnCount)[position % kTurnCount];
}

}  // namespace

MatrixF draw(const Scene& scene, Stream& stream) {
  MatrixF picture(3, kPixels);
  for (Index pixel = 0; pixel < kPixels; ++pixel) {
    const Index row = pixel / kSide;
    const Index column = pixel % kSide;
    const Point p = centre_of(row, column);
    const double inside = shape_coverage(scene, p);
    const double g = std::clamp(grey(scene, inside, p) + kNoise * stream.normal(), 0.0, kMostGrey);
    for (Index channel = 0; channel < 3; ++channel) {
      picture(channel, pixel) = static_cast<float>(g * (inside * tint(channel, scene.hue, scene.saturation) +
                                                        (1 - inside) * tint(channel, scene.ground_hue, 0.3)));
    }
  }
  return picture;
}

MatrixF images(Set set, Index count, std::uint64_t seed) {
  check_at_least("images", "count", count, 0);
  MatrixF images(count, 3 * kPixels);
  parallel_for(count, 0, [&](Index i) {
    Stream stream = stream_of(set, i, seed);
    const Scene scene = make_scene(set, turn(set, i, seed), stream);
    images.row(i) = draw(scene, stream).reshaped<Eigen::RowMajor>().transpose();
  });
  return images;
}

std::vector<Scene> scenes(Set set, Index count, std::uint64_t seed) {
  check_at_least("scenes", "count", count, 0);
  std::vector<Scene> found;
  for (Index i = 0; i < count; ++i) {
    Stream stream = stream_of(set, i, seed);
    found.push_back(make_scene(set, turn(set, i, seed), stream));
  }
  return found;
}

MatrixF coverage(Set set, Index position, std::uint64_t seed) {
  Stream stream = stream_of(set, position, seed);
  const Scene scene = make_scene(set, turn(set, position, seed), stream);
  MatrixF covered(kSide, kSide);
  for (Index row = 0; row < kSide; ++row) {
    for (Index column = 0; column < kSide; ++column)
      covered(row, column) = static_cast<float>(shape_coverage(scene, centre_of(row, column)));
  }
  return covered;
}

}  // namespace atcav::demo
