#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/cli/command_list.h"
#include "core/check.h"

namespace atcav::cli {
namespace {

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

std::string completion_script(const ListedCommand& program, const std::string& shell) {
  if (shell == "bash") return bash(program);
  fail_argument("completion", fmt::format("shell is '{}', must be bash", shell));
}

}  // namespace atcav::cli
