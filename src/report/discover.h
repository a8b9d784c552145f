#pragma once

#include <map>
#include <string>

#include "atcav/discover.h"

// What `atcav discover` says of the concepts it found: for programs, for the terminal, for people.
namespace atcav::report {

std::string discover_json(const Discovered& found);
// A line per candidate, then what stands beside them and the notes. Names of the layer and class are there
// where there are several.
std::string discover_table(const Discovered& found);
// One page that needs nothing else: the candidates one below the other, each with the patches of held-out
// inputs that show it most. `pictures`: data:image/… by file; a file without one is shown by its name.
std::string discover_html(const Discovered& found, const std::map<std::string, std::string>& pictures,
                          const std::string& command_line);
// "mostly striped (cosine 0.80; the named concepts hold 71 % of its length)"; empty without named concepts.
std::string named_words(const Candidate& candidate);
// "zebra at layer3: 3 of 8 candidates are used. Beside them 8 clusters of random images move zebra by up to
// 0.4 logits, 8 random directions by up to 0.1." One for each class and layer.
std::string family_words(const Discovered& found, const Discovered::Family& family);

}  // namespace atcav::report
