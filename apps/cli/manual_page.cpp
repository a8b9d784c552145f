#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/cli/command_list.h"
#include "atcav/base/version.h"

namespace atcav::cli {
namespace {

// Text as roff shows it: a hyphen that can be copied, and no line that begins as a request would.
std::string roff(const std::string& text) {
  std::string shown;
  for (const char c : text) {
    if ((shown.empty() || shown.back() == '\n') && (c == '.' || c == '\'')) shown += "\\&";
    if (c == '\\') {
      shown += "\\e";
    } else if (c == '-') {
      shown += "\\-";
    } else {
      shown += c;
    }
  }
  return shown;
}

std::string entry(const ListedOption& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back("\\fB" + roff(name) + "\\fR");
  std::string text = fmt::format(".TP\n{}", fmt::join(names, ", "));
  if (!option.type.empty()) text += fmt::format(" \\fI{}\\fR", roff(option.type));
  text += "\n" + roff(option.help) + ".\n";
  if (!option.fallback.empty()) text += fmt::format("Default: {}.\n", roff(option.fallback));
  return text;
}

std::string options_of(const ListedCommand& command) {
  std::string text;
  std::string group;
  for (const ListedOption& option : command.options) {
    if (option.group != group && option.group != "Options" && option.group != "Positionals")
      text += fmt::format(".PP\n\\fI{}\\fR\n", roff(option.group));
    group = option.group;
    text += entry(option);
  }
  return text;
}

std::string verbatim(const std::string& text) {
  return text.empty() ? "" : fmt::format(".PP\n.nf\n{}\n.fi\n", roff(text));
}

std::string sections(const ListedCommand& command) {
  std::string text;
  for (const ListedCommand& one : command.commands) {
    text += fmt::format(".SS \"atcav {}\"\n{}.\n{}{}", fmt::join(one.path, " "), roff(one.help),
                        options_of(one), verbatim(one.footer));
    text += sections(one);
  }
  return text;
}

}  // namespace

std::string manual_page(const ListedCommand& program) {
  return fmt::format(
      ".TH ATCAV 1 \"\" \"atcav {}\" \"User Commands\"\n"
      ".SH NAME\natcav \\- test what a neural network knows and uses\n"
      ".SH SYNOPSIS\n.B atcav\n.I COMMAND\n.RI [ OPTIONS ]\n"
      ".SH DESCRIPTION\n{}.SH OPTIONS\n{}.SH COMMANDS\n{}.SH EXAMPLES AND EXIT STATUS\n{}",
      kVersion, roff(program.help), options_of(program), sections(program), verbatim(program.footer));
}

}  // namespace atcav::cli
