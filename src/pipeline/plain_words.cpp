#include "pipeline/plain_words.h"

#include <fmt/format.h>

#include <cmath>

namespace atcav {

std::string plain_number(double value, int digits) {
  std::string text = fmt::format("{:.{}f}", std::abs(value), digits);
  const bool is_zero = text.find_first_not_of("0.") == std::string::npos;
  return value < 0 && !is_zero ? "−" + text : text;
}

std::string signed_number(std::optional<double> value) {
  if (!value) return "undefined";
  return fmt::format("{}{:.2f}", *value < 0 ? "−" : "+", std::abs(*value));
}

std::string signed_words(std::optional<double> value, const stats::Interval& interval) {
  if (!std::isfinite(interval.low)) return signed_number(value);
  return fmt::format("{} ({} to {})", signed_number(value), signed_number(interval.low),
                     signed_number(interval.high));
}

std::string p_number(double p) { return p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", p); }

std::string p_words(double p) { return (p < 0.001 ? "p " : "p = ") + p_number(p); }

std::string class_words(const std::string& class_name) {
  return class_name == "class" ? "this class" : class_name;
}

}  // namespace atcav
