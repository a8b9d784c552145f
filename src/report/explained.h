#pragma once

#include <string>
#include <vector>

#include "atcav/explained.h"
#include "report/json_parts.h"

// How much of a logit concepts explain, in results.json and on the page (atcav/words.h has the sentence).
namespace atcav::report {

Json explained_json(const Explained& explained);
Explained explained_in(const Json& json);

// A table with a row for each class and layer: the share, what as many random directions explain, the
// ceiling, and Shapley shares as bars. Empty without any.
std::string explained_html(const std::vector<Explained>& list);

}  // namespace atcav::report
