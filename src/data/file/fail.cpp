#include "data/file/fail.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace atcav::data {
namespace {

// Levenshtein's distance, one row of the table at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  constexpr std::size_t kLongest = 200;  // enough for names, and absurd ones cost nothing
  a = a.substr(0, kLongest);
  b = b.substr(0, kLongest);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

void fail_file(std::string_view function, std::string_view file, std::string_view message) {
  throw std::runtime_error(fmt::format("[{}] {}: {}", function, file, message));
}

void fail_system(std::string_view function, std::string_view file, std::string_view message, int error) {
  fail_file(function, file, "{}: {}", message, std::generic_category().message(error));
}

std::string quote(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string result = "'";
  for (const char character : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += character;
    }
  }
  result += text.size() > kLongest ? "…'" : "'";
  return result;
}

std::string closest_names(std::string_view wanted, std::span<const std::string> names, std::size_t most) {
  if (names.empty()) return "none";
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  ranked.reserve(names.size());
  for (const std::string& name : names) ranked.emplace_back(edit_distance(wanted, name), name);
  std::ranges::sort(ranked);

  std::string list;
  const std::size_t shown = std::min(most, ranked.size());
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) list += ", ";
    list += quote(ranked[i].second);
  }
  if (shown < ranked.size()) list += fmt::format(" and {} more", ranked.size() - shown);
  return list;
}

}  // namespace atcav::data
