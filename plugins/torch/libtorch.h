#pragma once

// The plugin's precompiled header and the only place that includes LibTorch (12 seconds a file without it).
// Headers that a user of atcav sees never include this one.
#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/grad_mode.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>
