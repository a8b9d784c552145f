#pragma once

#include <optional>
#include <string>

#include "atcav/interval.h"

// Numbers and names as sentences have them (src/report/words.h says how they look).
namespace atcav {

std::string signed_number(std::optional<double> value);
// With a minus sign, not a hyphen, and never "−0".
std::string plain_number(double value, int digits);
std::string signed_words(std::optional<double> value, const stats::Interval& interval);
std::string p_words(double p);
std::string p_number(double p);
std::string class_words(const std::string& class_name);

}  // namespace atcav
