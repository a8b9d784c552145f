#include <fmt/format.h>

#include <filesystem>

#include "atcav/run.h"
#include "core/check.h"
#include "pipeline/pass_part.h"
#include "pipeline/share_parts.h"

namespace atcav {
namespace {

Index rows_of_part(const std::vector<Unit>& units, int part) {
  Index rows = 0;
  for (const Unit& unit : units) rows += unit.owner == part ? unit.rows : 0;
  return rows;
}

Index inputs_of(const OpenedRun& run) {
  Index rows = 0;
  for (const OpenedSet& set : run.classes) rows += set.rows();
  return rows;
}

// Complete, and of these examples as they are now: then a job that is started again has nothing to do.
bool is_there(OpenedRun& run, const std::string& path, const ShareFacts& facts) {
  if (!std::filesystem::exists(path)) return false;
  try {
    const ShareFile file = open_share(path);
    ShareFacts with_mark = facts;
    with_mark["atcav"] = file.facts.at("atcav");
    if (file.facts != with_mark) return false;
    hash_rows(run);  // otherwise they are known when they are read, which is as good
    return other_row(run, file).empty();
  } catch (const std::runtime_error&) {
    return false;  // damaged, or something else: it is replaced
  }
}

// All gradients, because every example is multiplied with each of them; or this part's.
Vector part_gradients(OpenedRun& run, const Part& part, const std::vector<ShareFile>& round, bool all) {
  if (!round.empty()) {
    for (const ShareFile& file : round) join_hashes(run, file);
    return take_gradients(run, round);
  }
  CollectOptions options = run.options;
  options.share = all ? Part{} : part;
  const auto begin_random = [&] {
    if (all) prepare(*run.session, run.sets.front(), run.session->batch);
  };
  return collect_gradients(*run.session, run.classes, run.targets, begin_random, options, run.layers);
}

void keep_pass(OpenedRun& run, const PassOfRun& of_run, const Part& part, ShareContent& content) {
  const MergeOptions units = pass_units(*run.session, of_run.sets, run.layers, of_run.options);
  for (std::size_t i = 0; i < run.layers.size(); ++i) {
    const pass::Pass& pass = *(run.layers[i].*of_run.into);
    const std::string name = fmt::format("{}/{}", of_run.name, i);
    keep_part(pass, {units, part.number, name}, content);
    content.keep(name + "/centre_products", Matrix(pass.centre_projection));
    if (part.number == 0) content.keep(name + "/centre", MatrixF(pass.centre.cast<float>()));
  }
  if (of_run.targets.empty()) return;
  const std::vector<Matrix>& logits = *run.layers.front().logits;
  for (Index s = 0; s < std::ssize(logits); ++s) {
    const RowRange own = own_rows(units.units, s, part.number);
    const Index rows = std::min(own.rows, logits[s].rows() - own.first);
    if (rows > 0) content.keep(fmt::format("logits/{}", s), Matrix(logits[s].middleRows(own.first, rows)));
  }
}

}  // namespace

ShareSummary share(const Config& config, const ShareOptions& options, const std::string& file,
                   const Progress& progress, const Given& given) {
  constexpr Index kMostParts = 100'000;
  check_within("share", "number of parts", options.part.of, 1, kMostParts);
  check_within("share", "part", options.part.number, 1, options.part.of);
  const Part part{options.part.number - 1, options.part.of};
  OpenedRun run = open_run(config, progress, given, part);
  const std::vector<PassOfRun> passes = options.gradients_only ? std::vector<PassOfRun>() : passes_of(run);
  const ShareFacts facts = share_facts(run, part, options.gradients_only ? kGradientsOnly : kWhole);
  ShareSummary summary;
  if (is_there(run, file, facts)) return {true, 0, 0, static_cast<Index>(std::filesystem::file_size(file))};
  std::vector<ShareFile> round;
  if (!options.gradients.empty()) {
    round = open_parts(options.gradients);
    check_same_run(round, facts);
  }
  const Vector hits = part_gradients(run, part, round, !passes.empty());
  CollectOptions own = run.options;
  if (round.empty())
    summary.gradients = passes.empty()
                            ? rows_of_part(gradient_units(*run.session, run.classes, own), part.number)
                            : inputs_of(run);
  ShareContent content;
  keep_gradients(run, hits, part, content);
  for (const PassOfRun& pass : passes) {
    collect_passes(
        *run.session, pass.sets, pass.targets, [] {}, pass.options, run.layers, pass.into);
    summary.examples +=
        rows_of_part(pass_units(*run.session, pass.sets, run.layers, pass.options).units, part.number);
    keep_pass(run, pass, part, content);
  }
  keep_hashes(run, part, !passes.empty() || !round.empty(), !passes.empty(), content);
  summary.bytes = content.write(file, facts);
  return summary;
}

}  // namespace atcav
