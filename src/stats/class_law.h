#pragma once

#include <string_view>

#include "atcav/theory.h"

namespace atcav::stats {

// What theory.h asks of laws. Throws std::invalid_argument in the name of `function`.
void check_class_law(std::string_view function, std::string_view name, const ClassLaw& law);
void check_two_classes(std::string_view function, const TwoClasses& classes);

}  // namespace atcav::stats
