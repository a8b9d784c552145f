#pragma once

#include <string>
#include <vector>

namespace atcav {

// What `atcav discover` and Python's discover() take of the options of `atcav run` (pipeline/option_table.h).
inline const std::vector<std::string> kOptionsOfDiscover = {
    "model",  "layer", "class",        "concept",    "random",    "class-groups", "intervene",
    "level",  "seed",  "permutations", "preprocess", "resize",    "crop",         "scale",
    "mean",   "std",   "bgr",          "output",     "shape",     "device",       "batch",
    "memory", "cache", "cache-gb",     "threads",    "precision", "skip-bad"};

}  // namespace atcav
