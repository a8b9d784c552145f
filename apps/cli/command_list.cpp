#include "apps/cli/command_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/cli/command.h"
#include "atcav/run/option_table.h"

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

}  // namespace

ListedCommand listed_command(const CLI::App& app) { return list_below(app, {}); }

void add_completion_command(CLI::App& app, const std::vector<std::string>& /*arguments*/) {
  auto shell = std::make_shared<std::string>();
  CLI::App* completion =
      app.add_subcommand("completion", "Print what makes a shell complete atcav's options");
  completion->add_option("shell", *shell, "bash, zsh or fish")->required()->type_name("SHELL");
  completion->footer("Example:\n  source <(atcav completion bash)");
  completion->callback([&app, shell] { fmt::print("{}", completion_script(listed_command(app), *shell)); });
  CLI::App* manual = app.add_subcommand("man", "Print the manual page");
  manual->footer("Example:\n  atcav man | man -l -");
  manual->callback([&app] { fmt::print("{}", manual_page(listed_command(app))); });
}

}  // namespace atcav::cli
