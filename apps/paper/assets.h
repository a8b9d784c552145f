#pragma once

#include <string_view>

// The page of `atcav paper` (apps/paper/assets/), compiled in by cmake/EmbedFiles.cmake. Style and scripts come
// behind those of report/assets.h.
namespace atcav::paper::assets {

extern const std::string_view page;    // paper.html
extern const std::string_view style;   // paper.css
extern const std::string_view script;  // paper.js

}  // namespace atcav::paper::assets
