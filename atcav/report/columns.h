#pragma once

#include <string>
#include <vector>

// Columns of text for a terminal. A character takes one column, whatever its bytes.
namespace atcav::report {

// At most so many columns, "…" the last of them where something was left out.
std::string shortened(const std::string& text, std::size_t most);
// A line a row, without its end: columns flush left, as wide as their widest cell, two spaces between. Rows
// are equally long and there is at least one.
std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows);

enum class Tone { kPlain, kHead, kPositive, kNegative, kWarning };
// As it is when `colour` is false.
std::string painted(const std::string& text, Tone tone, bool colour);

}  // namespace atcav::report
