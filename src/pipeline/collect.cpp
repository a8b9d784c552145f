#include "pipeline/collect.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "comm/comm.h"
#include "model/image_folder.h"
#include "pipeline/directions.h"
#include "pipeline/kept_inputs.h"
#include "pipeline/label_tables.h"
#include "pipeline/option_table.h"
#include "pipeline/read_examples.h"

namespace atcav {
namespace {

std::vector<Index> of_all_ranks(Index own) {
  std::vector<Index> all(static_cast<std::size_t>(comm::size()), own);
  for (int rank = 0; rank < comm::size(); ++rank)
    comm::broadcast_values(std::span(all).subspan(static_cast<std::size_t>(rank), 1), rank);
  return all;
}

// The files behind the rows, where there are some, and what they held.
std::vector<std::string> files_of(const OpenedSet& set, RunInfo& about) {
  std::vector<std::string> files;
  for (Index row = 0; row < set.rows(); ++row) {
    files.push_back(set.inputs.file(row));
    about.file_hashes[files.back()] = set.hashes[static_cast<std::size_t>(row)];
  }
  return files.front().empty() ? std::vector<std::string>{} : files;
}

void describe_pictures(OpenedRun& run) {
  RunInfo& about = run.about;
  for (std::size_t k = 0; k < run.classes.size(); ++k) {
    std::vector<std::string> files = files_of(run.classes[k], about);
    if (files.empty()) continue;
    if (!files.front().ends_with(".npy")) {
      const model::InputOptions& reading = run.session->reading;
      about.view = {reading.preprocess,
                    model::image_format(run.session->facts.inputs.front(), reading.shape)};
    }
    about.class_files[run.config.classes[k].name] = std::move(files);
  }
  for (std::size_t i = 0; i < run.sets.size(); ++i) {
    std::vector<std::string> files = files_of(run.sets[i], about);
    if (files.empty() || i >= run.folders().size()) continue;
    if (i == 0)
      about.random_files = std::move(files);
    else
      about.concept_files[run.config.concepts[i - 1].name] = std::move(files);
  }
}

RowGroups hashes_of(const OpenedRun& run) {
  RowGroups hashes;
  for (const OpenedSet& set : run.folders()) hashes.sets.push_back(set.hashes);
  if (run.has_pool()) hashes.pool = run.sets.back().hashes;
  for (const OpenedSet& set : run.classes) hashes.classes.push_back(set.hashes);
  return hashes;
}

// Everything about the run that is no number.
void describe(OpenedRun& run) {
  const Session& session = *run.session;
  RunInfo& about = run.about;
  const auto add_notes = [&about](const std::vector<std::string>& notes) {
    about.notes.insert(about.notes.end(), notes.begin(), notes.end());
  };
  if (!session.engine.empty()) {
    const std::size_t space = session.engine.find(' ');
    about.libraries[session.engine.substr(0, space)] = session.engine.substr(space + 1);
  }
  if (run.config.on_gpu()) {
    about.libraries["device"] =
        fmt::format("{} ({} in the network, fp32 in the statistics)", model::device_text(run.config.devices),
                    std::get<std::string>(find_option("precision").get(run.config)));
  }
  about.setup = write_config(reproducible_config(run.config));
  const std::vector<Index> run_by = of_all_ranks(session.examples_run);
  about.examples_run = std::accumulate(run_by.begin(), run_by.end(), Index{0});
  if (comm::size() > 1) about.bytes_sent = of_all_ranks(comm::bytes_sent());
  about.remarks = session.remarks();
  about.inputs.push_back({Role::Kind::kModel, run.config.model, session.facts.hash, {}});
  for (const auto* list : {&run.sets, &run.classes}) {
    for (const OpenedSet& set : *list) about.inputs.push_back(set.describe());
  }
  if (run.labels) {
    about.inputs.push_back(run.labels_file);
    add_notes(run.labels->notes);
  }
  if (run.directions) {
    about.inputs.push_back({Role::Kind::kCavs, run.config.cavs, run.directions->sha256, {}});
    add_notes(notes_about(*run.directions, session.facts.hash));
  }
  add_notes(session.facts.notes);
  for (const ProbedLayer& layer : session.layers)
    if (!layer.note.empty()) add_notes({layer.note});
  add_notes(notes_about(run.sets, run.classes));
  describe_pictures(run);
}

// Sets are then as if they had the rows alone that were read.
void read_some(OpenedRun& run) {
  RowsRead found = read_examples(*run.session, run.folders(), run.options, run.layers);
  run.about.reading = std::move(found.reading);
  run.about.notes = std::move(found.notes);
  plan_rows(run);
}

}  // namespace

CollectedRun collect(const Config& config, const Progress& progress, const Given& given) {
  Stopwatch watch;
  OpenedRun run = open_run(config, progress, given);
  Session& session = *run.session;
  watch.lap("open");
  const auto begin_random = [&] {
    if (!run.sets.empty() && run.options.run.reads_all()) prepare(session, run.sets.front(), session.batch);
  };
  const Vector hits =
      collect_gradients(session, run.classes, run.targets, begin_random, run.options, run.layers);
  note_top_shares(session, run.classes, hits, run.layers);
  watch.lap("gradients");
  if (!run.options.run.reads_all()) read_some(run);
  // Other classes are read when it is their turn: there may be too many for memory.
  const auto begin_again = [&] {
    if (run.tried == 0) return;
    prepare(session, run.classes.front(), run.tried);
    prepare(session, run.sets.front(), run.tried);
  };
  for (const PassOfRun& pass : passes_of(run)) {
    const bool of_pool = pass.into == &LayerData::pool;
    collect_passes(session, pass.sets, pass.targets, of_pool ? ReadOn([] {}) : begin_again, pass.options,
                   run.layers, pass.into);
    if (of_pool && pass.options.rows) multiply_pool(run.layers);
  }
  for (OpenedSet& set : run.sets) set.kept.reset();
  collect_class_rows(session, run.classes, run.options, run.layers);
  watch.lap("activations");
  return describe_run(std::move(run), watch);
}

void multiply_pool(std::vector<LayerData>& layers) {
  for (LayerData& layer : layers) {
    if (layer.pool) layer.pool_products = pool_products(*layer.pool);
  }
}

CollectedRun describe_run(OpenedRun run, const Stopwatch& watch) {
  describe(run);
  run.about.seconds = watch.seconds();
  CollectedRun collected{std::move(run.layers), std::move(run.about), {}, {}, {}, {}, run.tried, {}};
  if (comm::rank() != 0) return collected;
  if (run.config.influences) collected.hashes = hashes_of(run);
  name_logits(run.logit_names, run.targets, run.config.classes);
  collected.labels = std::move(run.logit_names);
  collected.session = run.session;
  collected.sets = std::move(run.classes);
  if (!run.folders().empty()) collected.sets.push_back(std::move(run.sets.front()));
  collected.targets = std::move(run.targets);
  return collected;
}

}  // namespace atcav
