#include "atcav/report/escape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "atcav/base/check.h"

namespace atcav::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Bytes of the well-formed UTF-8 character that text starts with, 0 if there is none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and what lies beyond U+10FFFF show in the second byte.
  const bool bad = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ||
                   (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F);
  return bad ? 0 : length;
}

std::string_view entity(char c) {
  constexpr std::array<std::pair<char, std::string_view>, 5> kEntities = {
      {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}}};
  const auto* found =
      std::find_if(kEntities.begin(), kEntities.end(), [c](const auto& e) { return e.first == c; });
  return found == kEntities.end() ? std::string_view() : found->second;
}

// "/script" in any case, behind a '<'.
bool ends_script(std::string_view rest) {
  constexpr std::string_view kEnd = "/script";
  return rest.size() >= kEnd.size() && std::equal(kEnd.begin(), kEnd.end(), rest.begin(), [](char a, char b) {
           return a == (b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b);
         });
}

bool forbidden(char c) {
  const auto byte = static_cast<std::uint8_t>(c);
  return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const std::string_view name = entity(text.front());
    if (length == 0 || forbidden(text.front())) {
      escaped += kReplacement;
    } else {
      escaped += name.empty() ? text.substr(0, length) : name;
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return escaped;
}

std::string printable(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const auto first = static_cast<std::uint8_t>(text.front());
    // U+0080 to U+009F are controls too.
    const bool control = first < 0x20 || first == 0x7F ||
                         (length == 2 && first == 0xC2 && static_cast<std::uint8_t>(text[1]) < 0xA0);
    plain += length == 0 || control ? kReplacement : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return plain;
}

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
