#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

// What the program can be asked, as plain data. The manual page and bash's completion are made from it, so
// they say what --help says.
namespace atcav::cli {

struct ListedOption {
  std::vector<std::string> names;  // "-q", "--quiet"; "config" where it goes without a name
  std::string type;                // "FILE"; empty for a switch
  std::string help;
  std::string fallback;  // the default, where there is one to be shown
  std::string group;
  std::vector<std::string> words;  // what the value must be one of, where that is known
  bool positional = false;
};

struct ListedCommand {
  std::vector<std::string> path;  // {"theory", "plan"}; empty for the program itself
  std::string help;
  std::string footer;
  std::vector<ListedOption> options;
  std::vector<ListedCommand> commands;
};

// Without what --help hides.
ListedCommand listed_command(const CLI::App& app);

// A page for man(1), in roff.
std::string manual_page(const ListedCommand& program);
// Source for bash. std::invalid_argument for another shell.
std::string completion_script(const ListedCommand& program, const std::string& shell);

}  // namespace atcav::cli
