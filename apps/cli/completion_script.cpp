#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/cli/command_list.h"
#include "atcav/base/check.h"

namespace atcav::cli {
namespace {

std::vector<std::string> names_of(const std::vector<ListedCommand>& commands) {
  std::vector<std::string> names;
  names.reserve(commands.size());
  for (const ListedCommand& one : commands) names.push_back(one.path.back());
  return names;
}

// For a single-quoted string: with every character of `marks` behind a backslash, and an apostrophe that does
// not end the string.
std::string marked(const std::string& text, const std::string& marks) {
  std::string safe;
  for (const char c : text) {
    if (marks.find(c) != std::string::npos) safe += '\\';
    safe += c == '\'' ? "’" : std::string(1, c);
  }
  return safe;
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

std::string zsh_value(const ListedOption& option) {
  if (option.type.empty()) return "";
  const std::string action =
      option.words.empty() ? "_files" : fmt::format("({})", fmt::join(option.words, " "));
  return fmt::format(":{}:{}", marked(option.type, ":\\"), action);
}

std::string zsh(const ListedCommand& program) {
  std::string functions;
  visit_commands(program, [&](const ListedCommand& command) {
    functions += fmt::format("_atcav{}{}() {{\n  local line state\n  _arguments -C \\\n",
                             command.path.empty() ? "" : "_", fmt::join(command.path, "_"));
    for (const ListedOption& option : command.options) {
      if (option.positional) continue;
      for (const std::string& name : option.names)
        functions +=
            fmt::format("    '*{}[{}]{}' \\\n", name, marked(option.help, "[]:\\"), zsh_value(option));
    }
    if (command.commands.empty()) {
      functions += "    '*:file:_files'\n}\n";
      return;
    }
    std::string described;
    std::string calls;
    for (const ListedCommand& one : command.commands) {
      described += fmt::format(" {}\\:\"{}\"", one.path.back(), marked(one.help, ":\\\"()"));
      calls += fmt::format("  {}) _atcav_{} ;;\n", one.path.back(), fmt::join(one.path, "_"));
    }
    functions += fmt::format(
        "    '1:command:(({} ))' '*:: :->rest'\n  [[ $state == rest ]] || return\n  case $words[1] in\n{}  "
        "esac\n}}\n",
        described, calls);
  });
  return "#compdef atcav\n# zsh completion for atcav, printed by `atcav completion zsh`.\n" + functions +
         "if [[ $funcstack[1] == _atcav ]]; then _atcav \"$@\"; else compdef _atcav atcav; fi\n";
}

std::string fish(const ListedCommand& program) {
  std::string text = "# fish completion for atcav, printed by `atcav completion fish`.\n";
  visit_commands(program, [&](const ListedCommand& command) {
    std::string where;
    for (const std::string& name : command.path)
      where += fmt::format("{}__fish_seen_subcommand_from {}", where.empty() ? "" : "; and ", name);
    if (!command.commands.empty()) {
      const std::string names = fmt::format("{}", fmt::join(names_of(command.commands), " "));
      const std::string before =
          command.path.empty() ? "__fish_use_subcommand"
                               : fmt::format("{}; and not __fish_seen_subcommand_from {}", where, names);
      for (const ListedCommand& one : command.commands)
        text += fmt::format("complete -c atcav -f -n '{}' -a {} -d '{}'\n", before, one.path.back(),
                            marked(one.help, "\\"));
    }
    const std::string here = where.empty() ? "__fish_use_subcommand" : where;
    for (const ListedOption& option : command.options) {
      if (option.positional) continue;
      text += fmt::format("complete -c atcav -n '{}'", here);
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.words.empty()) text += fmt::format(" -x -a '{}'", fmt::join(option.words, " "));
      if (option.words.empty() && !option.type.empty()) text += " -r";
      text += fmt::format(" -d '{}'\n", marked(option.help, "\\"));
    }
  });
  return text;
}

}  // namespace

std::string completion_script(const ListedCommand& program, const std::string& shell) {
  if (shell == "bash") return bash(program);
  if (shell == "zsh") return zsh(program);
  if (shell == "fish") return fish(program);
  fail_argument("completion", fmt::format("shell is '{}', must be bash, zsh or fish", shell));
}

}  // namespace atcav::cli
