#pragma once

#include <optional>
#include <string>

#include "atcav/interval.h"

// Numbers and names as sentences have them (include/atcav/words.h says how they look).
namespace atcav {

std::string signed_number(std::optional<double> value);
std::string minus(double value);  // "−" where it is negative, before its absolute value
std::string signed_words(std::optional<double> value, const stats::Interval& interval);
std::string p_words(double p);
std::string p_number(double p);
std::string class_words(const std::string& class_name);

}  // namespace atcav
