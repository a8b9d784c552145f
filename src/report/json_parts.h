#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "atcav/result.h"

// Parts of results.json (json.cpp, read_results.cpp).
namespace atcav::report {

using Json = nlohmann::ordered_json;

// In the order of IntervalKind.
inline constexpr std::array kIntervalNames = {"delta", "jackknife", "bootstrap", "bound", "inputs"};

// JSON has no infinity; null stands for it.
Json number_json(double value);
Json optional_json(const std::optional<double>& value);

// One of the results. Keys that need the examples behind a CAV are missing where there are none.
Json result_json(const Result& result, double level);

Json joint_json(const JointEffect& joint);
Json negatives_json(const stats::Negatives& negatives);
Json label_json(const LabelFacts& label);
Json groups_json(const GroupCounts& groups);
// One of results.json's `results`.
Json result_json(const Result& result, double level);
// Cells of a map as bytes from −127 to 127 in base64, behind what 127 stands for in this unit.
Json cells_json(const std::vector<double>& values, double unit);

Json reading_json(const Reading& reading);
Reading reading_in(const Json& json);

}  // namespace atcav::report
