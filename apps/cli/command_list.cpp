#include "apps/cli/command_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "apps/cli/command.h"
#include "atcav/version.h"
#include "core/check.h"
#include "pipeline/option_table.h"

namespace atcav::cli {
namespace {

std::vector<std::string> words_of_option(const CLI::Option& option) {
  for (const Option& known : option_table()) {
    if (option.check_lname(known.key)) return known.words;
  }
  return {};
}

ListedOption listed_option(const CLI::Option& option) {
  ListedOption listed;
  for (const std::string& name : option.get_snames()) listed.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) listed.names.push_back("--" + name);
  listed.positional = listed.names.empty();
  if (listed.positional) listed.names = {option.get_single_name()};
  if (option.get_type_size() != 0) listed.type = option.get_type_name();
  listed.help = option.get_description();
  listed.fallback = option.get_default_str();
  listed.group = option.get_group();
  listed.words = words_of_option(option);
  return listed;
}

ListedCommand list_below(const CLI::App& app, const std::vector<std::string>& path) {
  ListedCommand listed{path, app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) listed.options.push_back(listed_option(*option));
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_group().empty()) continue;
    std::vector<std::string> below = path;
    below.push_back(command->get_name());
    listed.commands.push_back(list_below(*command, below));
  }
  return listed;
}

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

std::vector<std::string> names_of(const std::vector<ListedCommand>& commands) {
  std::vector<std::string> names;
  names.reserve(commands.size());
  for (const ListedCommand& one : commands) names.push_back(one.path.back());
  return names;
}

template <typename Visit>
void visit_commands(const ListedCommand& command, const Visit& visit) {
  visit(command);
  for (const ListedCommand& one : command.commands) visit_commands(one, visit);
}

// A command is known by its path joined with '/'. Where nothing fits, bash completes files.
std::string bash(const ListedCommand& program) {
  std::vector<std::string> known;
  std::vector<std::string> leaves;  // what takes files
  std::string values;
  std::string choices;
  visit_commands(program, [&](const ListedCommand& command) {
    const std::string path = fmt::format("{}", fmt::join(command.path, "/"));
    for (const std::string& name : names_of(command.commands))
      known.push_back(fmt::format("{}/{}", path, name));
    if (command.commands.empty()) leaves.push_back(path);
    std::vector<std::string> offered = names_of(command.commands);
    for (const ListedOption& option : command.options) {
      if (option.positional) continue;
      offered.insert(offered.end(), option.names.begin(), option.names.end());
      if (option.type.empty()) continue;
      for (const std::string& name : option.names) {
        values += fmt::format(
            "    \"{} {}\") {}; return ;;\n", path, name,
            option.words.empty()
                ? "return"
                : fmt::format("COMPREPLY=($(compgen -W \"{}\" -- \"$cur\"))", fmt::join(option.words, " ")));
      }
    }
    choices += fmt::format("    \"{}\") COMPREPLY=($(compgen -W \"{}\" -- \"$cur\")) ;;\n", path,
                           fmt::join(offered, " "));
  });
  return fmt::format(
      "# bash completion for atcav, printed by `atcav completion bash`.\n"
      "_atcav() {{\n"
      "  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command= i\n"
      "  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case \"$command/${{COMP_WORDS[i]}}\" in\n"
      "    {}) command=\"${{command:+$command/}}${{COMP_WORDS[i]}}\" ;;\n"
      "    esac\n"
      "  done\n"
      "  case \"$command $prev\" in\n{}  esac\n"
      "  case \"$command\" in {}) [[ $cur == -* ]] || return ;; esac\n"
      "  case \"$command\" in\n{}  esac\n"
      "}}\n"
      "complete -o default -F _atcav atcav\n",
      fmt::join(known, "|"), values, fmt::join(leaves, "|"), choices);
}

}  // namespace

ListedCommand listed_command(const CLI::App& app) { return list_below(app, {}); }

void add_completion_command(CLI::App& app, const std::vector<std::string>& /*arguments*/) {
  auto shell = std::make_shared<std::string>();
  CLI::App* completion =
      app.add_subcommand("completion", "Print what makes a shell complete atcav's options");
  completion->add_option("shell", *shell, "bash")->required()->type_name("SHELL");
  completion->footer("Example:\n  source <(atcav completion bash)");
  completion->callback([&app, shell] { fmt::print("{}", completion_script(listed_command(app), *shell)); });
  CLI::App* manual = app.add_subcommand("man", "Print the manual page");
  manual->footer("Example:\n  atcav man | man -l -");
  manual->callback([&app] { fmt::print("{}", manual_page(listed_command(app))); });
}

std::string manual_page(const ListedCommand& program) {
  return fmt::format(
      ".TH ATCAV 1 \"\" \"atcav {}\" \"User Commands\"\n"
      ".SH NAME\natcav \\- test what a neural network knows and uses\n"
      ".SH SYNOPSIS\n.B atcav\n.I COMMAND\n.RI [ OPTIONS ]\n"
      ".SH DESCRIPTION\n{}.SH OPTIONS\n{}.SH COMMANDS\n{}.SH EXAMPLES AND EXIT STATUS\n{}",
      kVersion, roff(program.help), options_of(program), sections(program), verbatim(program.footer));
}

std::string completion_script(const ListedCommand& program, const std::string& shell) {
  if (shell == "bash") return bash(program);
  fail_argument("completion", fmt::format("shell is '{}', must be bash", shell));
}

}  // namespace atcav::cli
