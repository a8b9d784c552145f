#include "atcav/report/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace atcav::report {
namespace {

// Columns a text takes on a terminal: continuation bytes of UTF-8 take none.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<std::uint8_t>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string shortened(const std::string& text, std::size_t most) {
  if (width(text) <= most) return text;
  std::string cut;
  for (const char c : text) {
    const bool starts = (static_cast<std::uint8_t>(c) & 0xC0) != 0x80;
    if (starts && width(cut) == most - 1) break;
    cut += c;
  }
  return cut + "…";
}

std::string painted(const std::string& text, Tone tone, bool colour) {
  if (!colour || tone == Tone::kPlain) return text;
  const char* code = tone == Tone::kHead       ? "1"
                     : tone == Tone::kPositive ? "32"
                     : tone == Tone::kNegative ? "31"
                                               : "33";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(widths[i] - width(row[i]) + (i + 1 < row.size() ? 2 : 0), ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace atcav::report
