#pragma once

#include <array>
#include <string_view>

#include "atcav/random.h"

// What is in a picture of the demo, before it is drawn.
//
// Classes are animals: zebra (striped), leopard (dotted), horse (plain). Training also shows animals with
// both textures as none of these, so dots speak against zebra by construction. Concepts are patches, not
// animals. A concept's scenes are random scenes with one attribute held fixed, so nothing else can
// explain what is found: `red` differs from `random` in hue alone, `left` in position alone.
namespace atcav::demo {

enum class Texture { kPlain, kStriped, kDotted, kCheckered, kStripedAndDotted };
enum class Shape { kAnimal, kEllipse, kBox };

enum class Set {
  kZebra,
  kLeopard,
  kHorse,
  kNeither,  // striped and dotted animals, shown in training as none of the three
  kRandom,   // patches: half of them plain; hue, position and size are drawn
  kStriped,  // random patches, but striped
  kDotted,
  kLeft,  // random patches, but at the left
  kRed,   // random patches, but red
  kPool,  // patches of which two in five are striped, and most of these red
};

// Lengths are in units of the picture's side, angles in radians, greys in [0, 1].
struct Scene {
  Shape shape = Shape::kEllipse;
  Texture texture = Texture::kPlain;
  double x = 0.5;  // centre
  double y = 0.5;
  double length = 0.25;  // half of the extent along the shape's axis
  double height = 0.2;   // half of the extent across; animals have their own proportions
  double tilt = 0;
  bool faces_left = false;  // animals
  double grey = 0.3;        // of the shape
  double contrast = 0.1;    // of the texture; negative: dark dots
  double period = 0.14;     // of the texture
  double direction = 0;     // of the texture
  double phase_u = 0;       // shift of the texture in periods
  double phase_v = 0;
  double hue = 0;           // 0 is red
  double saturation = 0.5;  // 0 is grey
  double ground = 0.3;      // grey of the background
  double ground_slope = 0;  // how much the background's grey changes over the picture
  double ground_angle = 0;
  double ground_hue = 0;
};

// The network's classes in the order of its logits, and the concepts in the order they are shown.
inline constexpr std::array<Set, 3> kClasses = {Set::kZebra, Set::kLeopard, Set::kHorse};
inline constexpr std::array<Set, 4> kConcepts = {Set::kStriped, Set::kDotted, Set::kLeft, Set::kRed};

std::string_view name(Set set);
// The set of this name. Throws std::invalid_argument.
Set parse_set(std::string_view text);

// Where textures vary they take turns: of every six scenes three are plain and one each is striped, dotted
// and checkered. By chance alone a red set could otherwise have more stripes than the random one.
inline constexpr Index kTurnCount = 6;

// Of the pool: striped pictures are red in kRedStripes of all cases, others in kRedOthers.
inline constexpr double kRedStripes = 0.85;
inline constexpr double kRedOthers = 0.15;

// A scene of the set; `turn` is in 0 … kTurnCount-1. Patches lie wholly inside the picture: one at the left
// that is cut off would have fewer dots.
Scene make_scene(Set set, Index turn, Stream& stream);

}  // namespace atcav::demo
