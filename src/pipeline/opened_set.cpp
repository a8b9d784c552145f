#include "pipeline/opened_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "comm/comm.h"
#include "core/check.h"
#include "data/file/sha256.h"

namespace atcav {
namespace {

// In the order of Role::Kind.
constexpr std::array<std::string_view, 9> kRoles = {"model",  "cavs", "class",  "gradients", "concept",
                                                    "random", "pool", "labels", "check"};

// Examples of `set` whose content, under whatever name, is in one of the others too.
std::vector<std::string> shared_examples(std::span<const OpenedSet> others, const OpenedSet& set) {
  std::map<std::string_view, const OpenedSet*> known;
  for (const OpenedSet& other : others) {
    for (const std::string& hash : other.hashes) known.emplace(hash, &other);
  }
  Index count = 0;
  std::set<std::string> where;
  std::string example;
  for (Index row = 0; row < set.rows(); ++row) {
    const auto found = known.find(set.hashes[row]);
    if (found == known.end()) continue;
    where.insert(found->second->name());
    if (count++ == 0) example = model::row_name(set.inputs, row);
  }
  if (count == 0) return {};
  return {fmt::format("{} of the {} examples of {} are also in {} (e.g. {})", count, set.rows(), set.name(),
                      fmt::join(where, ", "), example)};
}

std::vector<std::string> notes_about(const OpenedSet& set) {
  std::vector<std::string> notes;
  const std::set<std::string> different(set.hashes.begin(), set.hashes.end());
  if (const Index copies = set.rows() - std::ssize(different); copies > 0)
    notes.push_back(
        fmt::format("{} of the {} examples of {} are exact copies of others: errors are understated", copies,
                    set.rows(), set.name()));
  const auto [folders, members, bad] =
      set.inputs.stored() ? set.inputs.stored()->left_out() : model::LeftOut{};
  if (members > 0)
    notes.push_back(fmt::format("{} member{} of the archives of {} {} left out, as no image", members,
                                members == 1 ? "" : "s", set.name(), members == 1 ? "was" : "were"));
  if (folders > 0)
    notes.push_back(fmt::format("{} folder{} beside the files of {} {} left out", folders,
                                folders == 1 ? "" : "s", set.name(), folders == 1 ? "was" : "were"));
  if (!bad.empty())
    notes.push_back(fmt::format("{} unreadable files of {} were left out (e.g. {})", bad.size(), set.name(),
                                bad.front().path));
  return notes;
}

}  // namespace

std::string role_text(const Role& role) {
  const std::string_view word = kRoles[static_cast<std::size_t>(role.kind)];
  return role.name.empty() ? std::string(word) : fmt::format("{} '{}'", word, role.name);
}

Role read_role(const std::string& text) {
  const std::size_t space = std::min(text.find(" '"), text.size());
  const auto found = std::ranges::find(kRoles, std::string_view(text).substr(0, space));
  const bool named = space + 3 <= text.size() && text.ends_with('\'');
  if (found == kRoles.end() || (space < text.size() && !named))
    fail_argument("role", fmt::format("'{}' is the role of no input", text));
  return {static_cast<Role::Kind>(found - kRoles.begin()),
          named ? text.substr(space + 2, text.size() - space - 3) : ""};
}

Input OpenedSet::describe() const {
  data::Sha256 all;
  for (const std::string& hash : hashes) all.update(hash);
  return {role, path, all.hex(), {rows()}};
}

OpenedSet open_set(const Session& session, const Role& role, const std::string& path,
                   std::shared_ptr<model::ExampleSource> given) {
  model::InputOptions reading = session.reading;
  reading.subfolders = role.kind == Role::Kind::kRandom;
  model::Inputs inputs =
      given ? model::Inputs(std::move(given)) : model::Inputs::open(path, session.facts.inputs, reading);
  // Keys of the cache need them before anything is read; where maybe not all is read, block by block.
  const bool in_blocks =
      session.reads_some && (role.kind == Role::Kind::kRandom || role.kind == Role::Kind::kConcept);
  std::vector<std::string> hashes = session.cache && !in_blocks
                                        ? model::content_hashes(inputs, session.reading.threads)
                                        : std::vector<std::string>(static_cast<std::size_t>(inputs.rows()));
  return {role, path, std::move(inputs), std::move(hashes), {}};
}

std::vector<std::string> subfolders_of(const OpenedSet& set) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(set.path)) return {};
  const fs::path own = (fs::path(set.path) / "").lexically_normal();
  std::vector<std::string> names;
  for (Index row = 0; row < set.rows() && !set.inputs.file(row).empty(); ++row) {
    const fs::path folder = (fs::path(set.inputs.file(row)).parent_path() / "").lexically_normal();
    if (folder != own) names.push_back(folder.parent_path().filename().string());
  }
  return names;
}

void prepare(const Session& session, OpenedSet& set, Index rows) {
  if (!session.cache && comm::size() == 1 && !set.kept) set.inputs.prepare(std::min(rows, session.batch));
}

std::vector<model::InputBatch> read_rows(OpenedSet& set, const std::vector<Index>& rows) {
  std::vector<model::InputBatch> inputs = set.inputs.read(rows);
  std::vector<std::string>& hashes = inputs.front().hashes;
  check_same("run", "rows", "a block of " + set.name(), std::ssize(hashes), "what was asked for",
             std::ssize(rows));
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    std::string& known = set.hashes[rows[i]];
    if (!known.empty() && known != hashes[i]) {
      throw std::runtime_error(fmt::format(
          "[run] {} of {} changed between reads{}", model::row_name(set.inputs, rows[i]), set.name(),
          set.inputs.stored() ? "" : "; it must come without shuffling and anything random"));
    }
    known = std::move(hashes[i]);
  }
  return inputs;
}

std::vector<model::InputBatch> read_rows(OpenedSet& set, Index first, Index count) {
  const auto groups = set.inputs.groups(first, count);
  if (groups.size() > 1) fail_argument("run", fmt::format("rows of {} differ in length", set.name()));
  return read_rows(set, groups.front());
}

std::vector<std::string> notes_about(std::span<const OpenedSet> sets, std::span<const OpenedSet> classes) {
  std::vector<std::string> notes;
  const auto add = [&notes](const std::vector<std::string>& more) {
    notes.insert(notes.end(), more.begin(), more.end());
  };
  for (const auto& list : {sets, classes}) {
    for (const OpenedSet& set : list) add(notes_about(set));
  }
  for (std::size_t i = 1; i < sets.size(); ++i) {
    add(shared_examples(sets.first(1), sets[i]));
    add(shared_examples(sets.subspan(1, i - 1), sets[i]));
    add(shared_examples(classes, sets[i]));
  }
  for (const OpenedSet& set : classes) {
    if (!sets.empty()) add(shared_examples(sets.first(1), set));
  }
  return notes;
}

}  // namespace atcav
