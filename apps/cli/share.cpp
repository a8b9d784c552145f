#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <utility>

#include "apps/cli/command.h"
#include "apps/cli/progress.h"
#include "atcav/run.h"
#include "core/check.h"
#include "data/file/reader.h"
#include "report/escape.h"

namespace atcav::cli {
namespace {

struct ShareCommand {
  std::string config;  // YAML
  std::string part;    // "3/8"
  std::string file;
  ShareOptions share;
  TypedOptions options;
  bool quiet = false;
};

struct MergeCommand {
  std::vector<std::string> files;
  TypedOptions options;
  Output output;
};

void read_part(const std::string& text, ShareOptions& options) {
  const char* end = text.data() + text.size();
  const auto [slash, bad_number] = std::from_chars(text.data(), end, options.part.number);
  const bool split = bad_number == std::errc() && slash != end && *slash == '/';
  const auto [stop, bad_of] =
      split ? std::from_chars(slash + 1, end, options.part.of) : std::from_chars_result{end, std::errc()};
  if (!split || bad_of != std::errc() || stop != end)
    fail_argument("options", fmt::format("part is '{}', must be a number of parts, such as 3/8", text));
}

void run_share(const ShareCommand& command) {
  Config config;
  if (!command.config.empty()) config = read_config(data::read_file(command.config));
  command.options.apply(config);
  ShareOptions options = command.share;
  read_part(command.part, options);
  check_output({}, config, {command.file});
  const ShareSummary done = share(config, options, command.file, progress_on_terminal(command.quiet));
  if (command.quiet) return;
  const std::string what = done.was_there
                               ? "was there already"
                               : fmt::format("{} gradients, {} examples", done.gradients, done.examples);
  fmt::print("part {} of {}: {}, {:.1f} MB in {}\n", options.part.number, options.part.of, what,
             static_cast<double>(done.bytes) / 1e6, report::printable(command.file));
}

void run_merge(const MergeCommand& command) {
  Config config = shared_config(command.files);
  command.options.apply(config);
  check_output(command.output, config, {config.save_cavs});
  const RunResult result = merge(config, command.files, progress_on_terminal(command.output.quiet));
  write_output(command.output, result, config.save_cavs);
}

}  // namespace

void add_share_command(CLI::App& app, const std::vector<std::string>& /*arguments*/) {
  auto command = std::make_shared<ShareCommand>();
  CLI::App* share = app.add_subcommand("share", "Compute one part of a run, anywhere and in any order");
  share->add_option("config", command->config, "YAML file, as for atcav run; flags win over it")
      ->type_name("CONFIG");
  command->options.add(*share, "run");
  share->add_option("--part", command->part, "which part of how many, from 1/N to N/N")
      ->type_name("I/N")
      ->required()
      ->group(kRunningGroup);
  share->add_option("-o", command->file, "the part's file")
      ->type_name("FILE")
      ->required()
      ->check(not_empty())
      ->group(kRunningGroup);
  share
      ->add_flag("--gradients-only", command->share.gradients_only,
                 "a first round, where classes are many: this part's gradients and no examples")
      ->group(kRunningGroup);
  share
      ->add_option("--gradients", command->share.gradients,
                   "files of a finished first round, which need not have as many parts")
      ->type_name("FILE")
      ->excludes("--gradients-only")
      ->group(kRunningGroup);
  share->add_flag("-q,--quiet", command->quiet, "no line, no progress")->group(kRunningGroup);
  share->footer(
      "A part that is killed leaves nothing behind; started again it begins anew, with --cache where it "
      "stopped, "
      "and if its\n"
      "file is there already it has nothing to do. Parts may differ in --threads, --memory and --cache.\n\n"
      "Example:\n"
      "  for i in 1 2 3 4; do atcav share run.yaml --part $i/4 -o share-$i; done\n"
      "  atcav merge share-* -o out");
  share->callback([command] { run_share(*command); });
}

void add_merge_command(CLI::App& app, const std::vector<std::string>& arguments) {
  auto command = std::make_shared<MergeCommand>();
  CLI::App* merge = app.add_subcommand("merge", "Put the parts of a run together: the results of atcav run");
  merge->add_option("files", command->files, "all parts, in any order")->required()->type_name("FILE");
  command->options.add(*merge, "run", {"threads", "memory", "cache", "cache-gb", "save-cavs", "influences"});
  add_output_options(*merge, command->output);
  command->output.command_line = quoted(arguments);
  merge->footer(
      "The configuration is the parts'; start it where they were started, with model and examples there.\n\n"
      "Example:\n"
      "  atcav merge share-* -o out");
  merge->callback([command] { run_merge(*command); });
}

}  // namespace atcav::cli
