#include "report/escape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "core/check.h"
#include "core/utf8.h"

namespace atcav::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::string_view entity(char c) {
  constexpr std::array<std::pair<char, std::string_view>, 5> kEntities = {
      {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}}};
  const auto* found = std::ranges::find_if(kEntities, [c](const auto& e) { return e.first == c; });
  return found == kEntities.end() ? std::string_view() : found->second;
}

// "/script" in any case, behind a '<'.
bool ends_script(std::string_view rest) {
  constexpr std::string_view kEnd = "/script";
  return rest.size() >= kEnd.size() && std::equal(kEnd.begin(), kEnd.end(), rest.begin(), [](char a, char b) {
           return a == (b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b);
         });
}

// Each character as `shown` has it; empty for one that is not text.
template <typename Shown>
std::string each_character(std::string_view text, const Shown& shown) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view one = length == 0 ? std::string_view() : shown(text.substr(0, length));
    result += one.empty() ? kReplacement : one;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

// U+0080 to U+009F are controls too.
bool is_control(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(character[i]); };
  return byte(0) < 0x20 || byte(0) == 0x7F || (byte(0) == 0xC2 && byte(1) < 0xA0);
}

// Marks that take no room of their own: they turn the order of what is around them, or make different names
// look the same.
bool is_invisible(std::string_view character) {
  char32_t code = static_cast<std::uint8_t>(character[0]);
  if (character.size() > 1) code &= 0x7FU >> character.size();
  for (const char c : character.substr(1)) code = (code << 6U) | (static_cast<std::uint8_t>(c) & 0x3FU);
  constexpr std::array<std::pair<char32_t, char32_t>, 9> kRanges = {{{0xAD, 0xAD},
                                                                     {0x61C, 0x61C},
                                                                     {0x180E, 0x180E},
                                                                     {0x200B, 0x200F},
                                                                     {0x2028, 0x202E},
                                                                     {0x2060, 0x206F},
                                                                     {0xFEFF, 0xFEFF},
                                                                     {0xFFF9, 0xFFFB},
                                                                     {0xE0000, 0xE007F}}};
  return std::ranges::any_of(
      kRanges, [code](const auto& range) { return range.first <= code && code <= range.second; });
}

std::string printable_but(std::string_view text, std::string_view kept) {
  return each_character(text, [kept](std::string_view one) {
    const bool shown = kept.find(one) != kept.npos || !(is_control(one) || is_invisible(one));
    return shown ? one : std::string_view();
  });
}

}  // namespace

std::string escape_html(std::string_view text) {
  return each_character(text, [](std::string_view one) {
    const std::string_view name = entity(one.front());
    if (!name.empty()) return name;
    return is_control(one) && one != "\n" && one != "\t" ? std::string_view() : one;
  });
}

std::string printable(std::string_view text) { return printable_but(text, ""); }

std::string printable_lines(std::string_view text) { return printable_but(text, "\n"); }

std::string escape_json_for_script(std::string_view json) {
  std::string escaped;
  for (const char c : json) {
    const bool special = c == '<' || c == '>' || c == '&';
    escaped += special ? fmt::format("\\u00{:02x}", c) : std::string(1, c);
  }
  return escaped;
}

std::string escape_code_for_script(std::string_view code) {
  std::string escaped;
  for (std::size_t i = 0; i < code.size(); ++i) {
    escaped += code[i];
    const std::string_view rest = code.substr(i + 1);
    if (code[i] == '<' && (ends_script(rest) || rest.starts_with("!--"))) escaped += '\\';
  }
  return escaped;
}

std::string fill_template(std::string_view page, const std::map<std::string, std::string>& values) {
  std::string filled;
  while (true) {
    const std::size_t open = page.find("{{");
    filled += page.substr(0, open);
    if (open == std::string_view::npos) return filled;
    const std::size_t close = page.find("}}", open);
    if (close == std::string_view::npos) fail_argument("fill_template", "a {{ is not closed");
    const std::string name(page.substr(open + 2, close - open - 2));
    const auto value = values.find(name);
    if (value == values.end()) fail_argument("fill_template", fmt::format("'{}' has no value", name));
    filled += value->second;
    page.remove_prefix(close + 2);
  }
}

}  // namespace atcav::report
