#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/cli/command.h"

// Any words, one per line, are options of `run` or `score`, or a bad command line, nothing else; the
// configuration they make can be written and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
  std::vector<std::string> words;
  for (std::string word; std::getline(lines, word);)
    words.insert(words.begin(), word);  // CLI11 wants the last first
  for (const char* command : {"run", "score"}) {
    std::string written;
    try {
      CLI::App app;
      atcav::cli::TypedOptions options;
      atcav::cli::Output output;
      options.add(app, command);
      atcav::cli::add_output_options(app, output);
      std::vector<std::string> copy = words;
      app.parse(copy);
      atcav::Config config;
      options.apply(config);
      written = atcav::write_config(config);
    } catch (const CLI::Error&) {
      continue;
    } catch (const std::invalid_argument&) {
      continue;
    }
    if (atcav::write_config(atcav::read_config(written)) != written) std::abort();
  }
  return 0;
}
