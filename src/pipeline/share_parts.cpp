#include "pipeline/share_parts.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <algorithm>
#include <span>
#include <sstream>
#include <utility>

#include "atcav/version.h"
#include "core/check.h"
#include "data/file/fail.h"
#include "data/file/sha256.h"
#include "pass/cpu_backend.h"

namespace atcav {
namespace {

// This code itself, wherever it is: in the program, or in a library that a program loaded.
std::string own_file() {
  Dl_info info{};
  link_map* library = nullptr;
  const bool in_library = dladdr1(reinterpret_cast<const void*>(&share_facts), &info,
                                  reinterpret_cast<void**>(&library), RTLD_DL_LINKMAP) != 0 &&
                          library->l_name[0] != '\0';
  return in_library ? library->l_name : "/proc/self/exe";
}

// Another compiler or library may round otherwise.
std::string build_text(const Session& session) {
  return fmt::format("atcav {} {}, {}", kVersion, data::sha256_file(own_file()).substr(0, 16),
                     session.engine);
}

template <typename Run>
auto all_sets(Run& run) {
  std::vector<decltype(&run.sets.front())> sets;
  for (auto* list : {&run.classes, &run.sets}) {
    for (auto& set : *list) sets.push_back(&set);
  }
  return sets;
}

std::string sets_text(const OpenedRun& run) {
  std::string text;
  for (const OpenedSet* set : all_sets(run)) text += fmt::format("{} of {}\n", set->rows(), set->name());
  return text;
}

std::string layers_text(const OpenedRun& run) {
  std::string text;
  for (const ProbedLayer& layer : run.session->layers)
    text += fmt::format("{} ({}, {} columns)\n", layer.name, layer.what.name, layer.columns);
  return text;
}

std::string hashes_name(std::size_t set) { return fmt::format("hashes/{}", set); }
std::string gradients_name(std::size_t layer) { return fmt::format("gradients/{}", layer); }

// One line for each row, empty where it was not read.
std::vector<std::string> hashes_in(const ShareFile& file, std::size_t set, const OpenedSet& rows) {
  std::istringstream text(file.text(hashes_name(set)));
  std::vector<std::string> hashes;
  for (std::string line; std::getline(text, line);) hashes.push_back(line);
  if (std::ssize(hashes) != rows.rows())
    data::fail_file("merge", file.path, "has {} rows of {}, expected {}", hashes.size(), rows.name(),
                    rows.rows());
  return hashes;
}

int number_in(const ShareFile& file, const char* name) {
  const auto found = file.facts.find(name);
  const std::string text = found == file.facts.end() ? "" : found->second;
  constexpr std::size_t kMostDigits = 6;
  if (text.empty() || text.size() > kMostDigits || text.find_first_not_of("0123456789") != std::string::npos)
    data::fail_file("merge", file.path, "does not say which part it is");
  return std::stoi(text);
}

std::string missing_text(const std::vector<int>& missing, int parts) {
  constexpr std::size_t kMost = 10;
  const std::size_t count = missing.size();
  const auto shown = std::span(missing).first(std::min(count, kMost));
  const std::string more = count > kMost ? fmt::format(" and {} more", count - kMost) : "";
  return fmt::format("part{} {}{} of {} {} missing", count == 1 ? "" : "s", fmt::join(shown, ", "), more,
                     parts, count == 1 ? "is" : "are");
}

}  // namespace

ShareFacts share_facts(const OpenedRun& run, const Part& part, const char* stage) {
  return {{"build", build_text(*run.session)},
          {"setup", write_config(reproducible_config(run.config))},
          {"model", run.session->facts.hash},
          {"layers", layers_text(run)},
          {"sets", sets_text(run)},
          {"parts", fmt::format("{}", part.of)},
          {"part", fmt::format("{}", part.number + 1)},
          {"stage", stage}};
}

void keep_hashes(OpenedRun& run, const Part& part, bool all_inputs, bool examples, ShareContent& content) {
  std::vector<std::vector<std::string>> known;
  for (const OpenedSet* set : all_sets(run)) known.emplace_back(set->hashes.size());
  const auto keep = [&](std::size_t set, const OpenedSet& rows, const RowRange& range) {
    for (Index row = range.first; row < range.first + range.rows; ++row)
      known[set][static_cast<std::size_t>(row)] = rows.hashes[static_cast<std::size_t>(row)];
  };
  CollectOptions options = run.options;
  options.share = part;
  const std::vector<Unit> units = gradient_units(*run.session, run.classes, options);
  for (std::size_t k = 0; k < run.classes.size(); ++k) {
    const OpenedSet& rows = run.classes[k];
    keep(k, rows,
         all_inputs ? RowRange{0, rows.rows()} : own_rows(units, static_cast<Index>(k), part.number));
  }
  std::size_t set = run.classes.size();
  for (const PassOfRun& pass : examples ? passes_of(run) : std::vector<PassOfRun>()) {
    const MergeOptions of_pass = pass_units(*run.session, pass.sets, run.layers, pass.options);
    const OpenedSet& first = pass.sets.front();
    keep(set, first, {0, std::min(pass::kPilotRows, of_pass.units.front().rows)});
    for (std::size_t s = 0; s < pass.sets.size(); ++s)
      keep(set++, pass.sets[s], own_rows(of_pass.units, static_cast<Index>(s), part.number));
  }
  for (std::size_t s = 0; s < known.size(); ++s)
    content.keep(hashes_name(s), fmt::format("{}\n", fmt::join(known[s], "\n")));
}

std::string other_row(const OpenedRun& run, const ShareFile& file) {
  const auto sets = all_sets(run);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const std::vector<std::string> theirs = hashes_in(file, s, *sets[s]);
    for (std::size_t row = 0; row < theirs.size(); ++row) {
      const std::string& own = sets[s]->hashes[row];
      if (!theirs[row].empty() && !own.empty() && own != theirs[row])
        return fmt::format("{} of {} had another content there",
                           model::row_name(sets[s]->inputs, static_cast<Index>(row)), sets[s]->name());
    }
  }
  return {};
}

void join_hashes(OpenedRun& run, const ShareFile& file) {
  if (const std::string what = other_row(run, file); !what.empty())
    data::fail_file("merge", file.path, "{}", what);
  const auto sets = all_sets(run);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    std::vector<std::string> theirs = hashes_in(file, s, *sets[s]);
    for (std::size_t row = 0; row < theirs.size(); ++row) {
      if (sets[s]->hashes[row].empty()) sets[s]->hashes[row] = std::move(theirs[row]);
    }
  }
}

void hash_rows(OpenedRun& run) {
  if (run.session->cache) return;  // done
  for (OpenedSet* set : all_sets(run)) {
    if (set->inputs.stored()) set->hashes = model::content_hashes(set->inputs, run.session->threads);
  }
}

RowRange own_inputs(const OpenedRun& run, const Part& part) {
  CollectOptions options = run.options;
  options.share = part;
  RowRange range;
  Index before = 0;
  for (const Unit& unit : gradient_units(*run.session, run.classes, options)) {
    if (unit.owner == part.number) {
      if (range.rows == 0) range.first = before;
      range.rows += unit.rows;
    }
    before += unit.rows;
  }
  return range;
}

void keep_gradients(const OpenedRun& run, const Vector& hits, const Part& part, ShareContent& content) {
  const RowRange own = own_inputs(run, part);
  if (own.rows == 0) return;
  for (std::size_t i = 0; i < run.layers.size(); ++i) {
    const MatrixF& all = run.layers[i].gradients;
    content.keep_view(gradients_name(i),
                      {std::span(all.row(own.first).data(), static_cast<std::size_t>(own.rows * all.cols())),
                       {own.rows, all.cols()}});
  }
  content.keep("hits", Matrix(hits.segment(own.first, own.rows)));
}

Vector take_gradients(OpenedRun& run, const std::vector<ShareFile>& files) {
  Index inputs = 0;
  for (const OpenedSet& set : run.classes) inputs += set.rows();
  for (std::size_t i = 0; i < run.layers.size(); ++i)
    run.layers[i].gradients.resize(inputs, run.session->layers[i].columns);
  Vector hits(inputs);
  for (std::size_t part = 0; part < files.size(); ++part) {
    const ShareFile& file = files[part];
    const RowRange own = own_inputs(run, {static_cast<int>(part), static_cast<int>(files.size())});
    if (own.rows == 0) continue;
    for (std::size_t i = 0; i < run.layers.size(); ++i) {
      MatrixF& all = run.layers[i].gradients;
      file.array(gradients_name(i), own.rows, all.cols()).read_rows(0, all.middleRows(own.first, own.rows));
    }
    hits.segment(own.first, own.rows) = file.doubles("hits", own.rows, 1);
  }
  return hits;
}

std::vector<ShareFile> open_parts(const std::vector<std::string>& paths) {
  std::vector<ShareFile> given;
  given.reserve(paths.size());
  for (const std::string& path : paths) given.push_back(open_share(path));
  if (given.empty()) fail_argument("merge", "no shares were given");
  const int parts = number_in(given.front(), "parts");
  std::vector<ShareFile> files(static_cast<std::size_t>(parts));
  for (ShareFile& file : given) {
    if (const std::string what = difference(file.facts, given.front().facts, given.front().path);
        !what.empty())
      data::fail_file("merge", file.path, "{}", what);
    const int number = number_in(file, "part");
    if (number < 1 || number > parts) data::fail_file("merge", file.path, "is part {} of {}", number, parts);
    ShareFile& place = files[static_cast<std::size_t>(number - 1)];
    if (!place.path.empty() && place.checksum != file.checksum)
      data::fail_file("merge", file.path, "is part {} of {} as {} is, and they differ", number, parts,
                      place.path);
    if (place.path.empty()) place = file;
  }
  std::vector<int> missing;
  for (int i = 0; i < parts; ++i) {
    if (files[static_cast<std::size_t>(i)].path.empty()) missing.push_back(i + 1);
  }
  if (!missing.empty()) throw std::runtime_error("[merge] " + missing_text(missing, parts));
  return files;
}

void check_same_run(const std::vector<ShareFile>& files, ShareFacts own) {
  const ShareFile& first = files.front();  // the others are like it
  own["parts"] = first.facts.at("parts");
  if (const std::string what = difference(first.facts, own, "this run"); !what.empty())
    data::fail_file("merge", first.path, "{}", what);
}

}  // namespace atcav
