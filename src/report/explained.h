#pragma once

#include <string>
#include <vector>

#include "atcav/intervention.h"

// How much of a logit concepts explain, on the page (report/words.h has the sentence).
namespace atcav::report {

// A table with a row for each class and layer: the share, what as many random directions explain, the
// ceiling, and Shapley shares as bars. Empty without any.
std::string explained_html(const std::vector<Explained>& list);

}  // namespace atcav::report
