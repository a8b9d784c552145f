#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "atcav/model.h"

// Networks from ONNX files, run by LibTorch in the plugin libatcav_torch.so. It is opened (dlopen,
// RTLD_LOCAL) by the first call and never before: loading LibTorch costs up to half a second and 170 MB, and
// its symbols must not stand in for ours.
//
// The plugin is the file that the environment variable ATCAV_PLUGIN names; without it, it is looked for
// beside the program, in ../lib/atcav and ../lib (or what the installation calls lib), and in the same places
// seen from the shared library that this code is part of, if it is part of one; then where the linker looks.
// Programs that link the installed package have its folder in their rpath.
namespace atcav::model {

// How numbers are held and multiplied on the GPU; results are always float32. The CPU knows only fp32.
enum class Precision { kFp32, kTf32, kBf16 };

struct OpenOptions {
  std::string device = "cpu";  // or "cuda", "cuda:1"
  int threads = 0;             // on the CPU; 0: as many as the process may use
  Precision precision = Precision::kFp32;
  std::string output = {};  // tensor with the logits; empty: found
  // Of one example, per input, for models that leave sizes open; without: 224 × 224, 16 tokens.
  std::vector<std::vector<Index>> shapes = {};
  std::map<std::string, std::vector<Index>> named_shapes = {};  // the same, by the input's name
  Index batch = 32;    // examples run at once, which bounds the memory
  double memory = 0;   // gigabytes for tensors on the CPU; 0: nine tenths of what is available
  int local_rank = 0;  // which GPU "cuda" is: ranks on one machine take them in turn
};

// std::runtime_error for files that are damaged or use what is not supported (naming node and op), and when
// the plugin or LibTorch is not there; std::invalid_argument for a device that is not there.
std::unique_ptr<Model> open_onnx(const std::string& path, const OpenOptions& options);

// "LibTorch 1.13.1": the library behind open_onnx's numbers, part of cache keys. Known without loading it.
std::string onnx_engine();

}  // namespace atcav::model
