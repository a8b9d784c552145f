#include "report/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>

#include "core/check.h"

namespace atcav::report {
namespace {

// Continuation bytes of UTF-8 take no column.
bool starts_character(char c) { return (static_cast<std::uint8_t>(c) & 0xC0) != 0x80; }

// Bytes of the first `count` characters.
std::size_t bytes_of(const std::string& text, std::size_t count) {
  std::size_t at = 0;
  while (at < text.size() && (count > 0 || !starts_character(text[at])))
    count -= starts_character(text[at++]);
  return at;
}

std::vector<std::size_t> column_widths(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.empty() ? 0 : rows.front().size(), 0);
  for (const auto& row : rows) {
    check_same("aligned", "cells", "a row", std::ssize(row), "the first", std::ssize(widths));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  return widths;
}

// The last `tail` characters stay, and as many of the first as there is room for.
std::string cut(const std::string& text, std::size_t most, std::size_t tail) {
  const std::size_t columns = width(text);
  if (columns <= most) return text;
  return text.substr(0, bytes_of(text, most - 1 - tail)) + "…" + text.substr(bytes_of(text, columns - tail));
}

}  // namespace

std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, starts_character));
}

std::vector<std::string> shortened(const std::vector<std::string>& texts, std::size_t most) {
  const std::set<std::string> distinct(texts.begin(), texts.end());
  for (;; ++most) {
    for (std::size_t tail = 0; tail < most; ++tail) {
      std::set<std::string> short_ones;
      for (const std::string& text : distinct) short_ones.insert(cut(text, most, tail));
      if (short_ones.size() < distinct.size()) continue;
      std::vector<std::string> found;
      found.reserve(texts.size());
      for (const std::string& text : texts) found.push_back(cut(text, most, tail));
      return found;
    }
  }
}

std::vector<std::string> wrapped(const std::string& text, std::size_t most) {
  std::vector<std::string> lines;
  std::string rest = text;
  while (width(rest) > most) {
    const std::size_t cut = bytes_of(rest, most);
    const std::size_t space = rest.rfind(' ', cut);
    const bool fits = space != std::string::npos && space > 2;
    lines.push_back(rest.substr(0, fits ? space : cut));
    rest = "  " + rest.substr(fits ? space + 1 : cut);
  }
  lines.push_back(rest);
  return lines;
}

std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows, bool flush_right) {
  const std::vector<std::size_t> widths = column_widths(rows);
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width(row[i]), ' ');
      line += i == 0 ? "" : "  ";
      line += flush_right && i > 0 ? padding + row[i] : row[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string format_table(const TextTable& table) {
  std::vector<std::vector<std::string>> rows = {table.header};
  rows.insert(rows.end(), table.rows.begin(), table.rows.end());
  const std::vector<std::size_t> widths = column_widths(rows);
  std::vector<std::string> lines = aligned(rows, true);
  const std::size_t total = std::accumulate(widths.begin(), widths.end(), 2 * widths.size()) - 2;
  lines.insert(lines.begin() + 1, std::string(total, '-'));
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

std::string painted(const std::string& text, Tone tone, bool colour) {
  if (!colour || tone == Tone::kPlain) return text;
  const char* code = tone == Tone::kHead       ? "1"
                     : tone == Tone::kPositive ? "32"
                     : tone == Tone::kNegative ? "31"
                                               : "33";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

}  // namespace atcav::report
