#include "report/escape.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace atcav::report {
namespace {

TEST(EscapeHtml, LeavesNothingThatHtmlReads) {
  EXPECT_EQ(escape_html("</script><b a='1' c=\"2\">&amp;"),
            "&lt;/script&gt;&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;amp;");
  EXPECT_EQ(escape_html("plain ümläut α† 斑马 🦓\n"), "plain ümläut α† 斑马 🦓\n");
}

// Overlong '<', a surrogate, beyond U+10FFFF, cut short, a lone continuation, NUL and escape.
TEST(EscapeHtml, ReplacesWhatIsNotText) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(escape_html("\xC0\xBC"), bad + bad);
  EXPECT_EQ(escape_html("\xED\xA0\x80"), bad + bad + bad);
  EXPECT_EQ(escape_html("\xF4\x90\x80\x80"), bad + bad + bad + bad);
  EXPECT_EQ(escape_html("a\xE2\x82"), "a" + bad + bad);
  EXPECT_EQ(escape_html("\x80z"), bad + "z");
  EXPECT_EQ(escape_html(std::string_view("\0\x1b", 2)), bad + bad);
}

TEST(EscapeJsonForScript, IsTheSameJsonWithoutAngles) {
  const nlohmann::json json = {{"name", "</script><!--&"}};
  const std::string escaped = escape_json_for_script(json.dump());
  EXPECT_EQ(escaped.find_first_of("<>&"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(escaped), json);
}

TEST(EscapeCodeForScript, TouchesOnlyWhatEndsAScript) {
  EXPECT_EQ(escape_code_for_script("'</script>' '</ScRiPt>' '<!--'"), "'<\\/script>' '<\\/ScRiPt>' '<\\!--'");
  EXPECT_EQ(escape_code_for_script("a</b/.length; i<!c; x<y"), "a</b/.length; i<!c; x<y");
  EXPECT_EQ(escape_code_for_script("<"), "<");
}

TEST(Printable, KeepsTextAndDropsControls) {
  EXPECT_EQ(printable("größe 縞 <b>"), "größe 縞 <b>");
  EXPECT_EQ(printable("a\nb\tc\x1b[m\x7F"), "a�b�c�[m�");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m \xFF"),
            "�31m �")
      << "U+009B starts a command like ESC [";
}

// Marks, embeddings and isolates of direction, no width, ends of lines; the letters beside them stay.
TEST(Printable, ShowsWhatWouldBeInvisible) {
  for (const char* one : {"\u200E", "\u200F", "\u061C", "\u202A", "\u202E", "\u2066", "\u2069", "\u200B",
                          "\u200D", "\u2060", "\uFEFF", "\u2028", "\u00AD", "\U000E0041"}) {
    EXPECT_EQ(printable(std::string("a") + one + "b"), "a�b");
    EXPECT_EQ(printable_lines(std::string("a") + one + "\n"), "a�\n");
  }
  EXPECT_EQ(printable("שלום ‐ − ‖ 🦓 \u200A|\u2070"), "שלום ‐ − ‖ 🦓 \u200A|\u2070");
}

TEST(PrintableLines, KeepsLineEndsAlone) { EXPECT_EQ(printable_lines("a\nb\tc\x1b[m\r"), "a\nb�c�[m�"); }

TEST(FillTemplate, ReplacesNamesAndNothingElse) {
  EXPECT_EQ(fill_template("a {{x}} { } {{y}}{{x}}", {{"x", "1"}, {"y", "{{x}}"}}), "a 1 { } {{x}}1");
  EXPECT_EQ(fill_template("", {}), "");
}

TEST(FillTemplate, WantsEveryName) {
  EXPECT_THROW(fill_template("{{x}}", {}), std::invalid_argument);
  EXPECT_THROW(fill_template("{{x", {{"x", ""}}), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::report
