#include "apps/cli/theory_output.h"

#include <nlohmann/json.hpp>
#include <ostream>

#include "atcav/base/version.h"
#include "atcav/io/atomic_file.h"

namespace atcav::cli {

void add_json_option(CLI::App& command, std::string& json_path) {
  command
      .add_option("--json", json_path,
                  "Write the answer as JSON too: a file, or - for the terminal instead of the table")
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
  io::write_file_atomically(json_path, json);
}

}  // namespace atcav::cli
