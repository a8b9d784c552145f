#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "atcav/matrix.h"

// From pixels (0 … 255, RGB) to what a network was trained on:
//   resize and crop → channel order → (pixel · scale − mean) / std
//
// Resizing is Pillow's, bit for bit (data/image/resize.h), sizes and offsets are rounded as torchvision does.
namespace atcav::data {

struct Preprocess {
  // Shorter side after resizing (bilinear, antialiased, aspect ratio kept), as torchvision's Resize(int).
  std::optional<Index> resize = {};
  // Side of the square cut from the centre, as torchvision's CenterCrop(int); smaller images get black edges.
  std::optional<Index> crop = {};
  // When neither is given: an image that has the network's size is taken as it is, any other is resized to
  // 256/224 of it and cropped. false: any other is an error.
  bool fit = true;
  double scale = 1;
  std::vector<double> mean = {0, 0, 0};  // in the network's channel order
  std::vector<double> std = {1, 1, 1};
  bool bgr = false;
};

enum class PreprocessPreset { kTorchvision, kCaffe, kTf, kNone };
// torchvision: scale 1/255, mean 0.485 0.456 0.406, std 0.229 0.224 0.225
// caffe:       BGR, 0 … 255, mean 104 117 123
// tf:          scale 1/127.5, mean 1: −1 … 1
// none:        pixels 0 … 255 as they are, never resized
Preprocess preprocess_preset(PreprocessPreset preset);

// The images a network takes, from the shape of its input: N×C×H×W, or N×H×W×C as TensorFlow has it.
struct ImageFormat {
  Index channels = 3;  // or 1: luminance 0.299 R + 0.587 G + 0.114 B
  Index height = 224;
  Index width = 224;
  bool channels_last = false;
};

// The last step, (pixel · scale − mean) / std, with one mean and std per channel.
struct Normalisation {
  float scale = 1;
  std::vector<float> mean;
  std::vector<float> std;
};
Normalisation normalisation(const Preprocess& how, Index channels);

}  // namespace atcav::data
