#include "apps/cli/theory.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "apps/cli/command.h"
#include "atcav/version.h"
#include "data/file/atomic_file.h"

namespace atcav::cli {

void add_theory_command(CLI::App& app, const std::vector<std::string>& /*arguments*/) {
  add_theory_command(app, std::cout);
}

void add_theory_command(CLI::App& app, std::ostream& out) {
  CLI::App* theory = app.add_subcommand(
      "theory", "Predictions: moments of scores, r(s), ridge and logistic CAVs, sample sizes");
  theory->require_subcommand(1);
  add_theory_scores(*theory, out);
  add_theory_ratio(*theory, out);
  add_theory_ridge(*theory, out);
  add_theory_imbalanced(*theory, out);
  add_theory_plan(*theory, out);
}

void add_json_option(CLI::App& command, std::string& json_path) {
  command
      .add_option("--json", json_path,
                  "Write the answer as JSON too: a file, or - for the terminal instead of the table")
      ->check(not_empty())
      ->type_name("FILE|-");
}

void write_answer(std::ostream& out, const std::string& text, const std::string& command,
                  const nlohmann::ordered_json& fields, const std::string& json_path) {
  if (json_path != "-") out << text;
  if (json_path.empty()) return;
  nlohmann::ordered_json document{{"atcav", kVersion}, {"command", command}};
  for (const auto& [key, value] : fields.items()) document[key] = value;
  const std::string json = document.dump(2) + "\n";
  if (json_path == "-") {
    out << json;
    return;
  }
  data::write_file_atomically(json_path, json);
}

}  // namespace atcav::cli
