#include "apps/cli/text_table.h"

#include <algorithm>

#include "atcav/base/check.h"

namespace atcav::cli {
namespace {

// Characters, not bytes: α and ± are one column wide.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string format_row(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string padding(widths[i] - width(cells[i]), ' ');
    line += i == 0 ? cells[i] + padding : "  " + padding + cells[i];
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string format_table(const TextTable& table) {
  std::vector<std::size_t> widths;
  for (const std::string& cell : table.header) widths.push_back(width(cell));
  for (const auto& row : table.rows) {
    check_same("format_table", "cells", "a row", static_cast<Index>(row.size()), "the header",
               static_cast<Index>(widths.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::size_t total = widths.empty() ? 0 : 2 * (widths.size() - 1);
  for (const std::size_t w : widths) total += w;
  std::string text = format_row(table.header, widths) + std::string(total, '-') + "\n";
  for (const auto& row : table.rows) text += format_row(row, widths);
  return text;
}

}  // namespace atcav::cli
