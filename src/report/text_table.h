#pragma once

#include <string>
#include <vector>

// Tables and paragraphs for a terminal. A character takes one column, whatever its bytes.
namespace atcav::report {

// Columns that it takes.
std::size_t width(const std::string& text);
// Each in at most `most` columns, "…" where something was left out: at the end, or further in front where
// texts that differ would otherwise look alike. Where no place will do, all get as many columns as it takes.
std::vector<std::string> shortened(const std::vector<std::string>& texts, std::size_t most);
// Lines of at most `most` columns, broken at spaces; every line but the first starts with two spaces. A word
// that is longer than a line is cut.
std::vector<std::string> wrapped(const std::string& text, std::size_t most);

// One line per row, without its end: columns as wide as their widest cell, two spaces between. The first is
// flush left, and the others too unless `flush_right`. Throws std::invalid_argument when rows differ in
// length.
std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows, bool flush_right = false);

struct TextTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // each as long as the header
};
// Numbers under their names, flush right but for the first column, and a line under the header.
std::string format_table(const TextTable& table);

enum class Tone { kPlain, kHead, kPositive, kNegative, kWarning };
// As it is when `colour` is false.
std::string painted(const std::string& text, Tone tone, bool colour);

}  // namespace atcav::report
