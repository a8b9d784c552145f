#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "atcav/result.h"
#include "model/inputs.h"
#include "pipeline/session.h"

// A set of examples opened for a run, with the content behind each row known: that is what cache keys,
// notes about copies and results.json are made of.
namespace atcav {

class EarlyRows;

struct OpenedSet {
  Role role;
  std::string path;
  model::Inputs inputs;
  // One per row: of the image file, or of the row's values and their shape. Empty until the row was read,
  // unless there is a cache.
  std::vector<std::string> hashes;
  std::shared_ptr<const EarlyRows> kept = {};  // what the network makes of the rows, where that is known

  std::string name() const { return role_text(role); }
  Index rows() const { return inputs.rows(); }
  std::span<const std::string> hashes_of(Index first, Index count) const {
    return std::span(hashes).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  }
  Input describe() const;
};

// `given`: the examples themselves, or null for those in files at `path`.
OpenedSet open_set(const Session& session, const Role& role, const std::string& path,
                   std::shared_ptr<model::ExampleSource> given);
// Where a set is a folder of folders, of each row the one that its file lies in; else empty.
std::vector<std::string> subfolders_of(const OpenedSet& set);
// Begins to read the first rows of the set in the background, where they will be needed.
void prepare(const Session& session, OpenedSet& set, Index rows);

// Rows of one length (model::Inputs::groups), their hashes noted. std::runtime_error if a row changed between
// reads.
std::vector<model::InputBatch> read_rows(OpenedSet& set, const std::vector<Index>& rows);
// The same for first … first+count-1; std::invalid_argument where they differ in length.
std::vector<model::InputBatch> read_rows(OpenedSet& set, Index first, Index count);

// Sentences about what is in the sets: copies within one, examples that are in two, files and folders that
// were left out. `sets`: random first, or empty; `classes` may share examples with all of them.
std::vector<std::string> notes_about(std::span<const OpenedSet> sets, std::span<const OpenedSet> classes);

}  // namespace atcav
