#include "atcav/run/example_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "atcav/io/open_array.h"
#include "atcav/io/sha256.h"

namespace atcav {
namespace {

std::vector<std::string> row_hashes(const std::string& path, const nn::Inputs& inputs) {
  std::vector<std::string> hashes;
  std::string array;
  for (Index row = 0; row < inputs.rows(); ++row) {
    const std::string file = inputs.file(row);
    if (!file.empty()) {
      hashes.push_back(io::sha256_file(file));
      continue;
    }
    if (array.empty()) array = io::sha256_file(io::open_array(path).file());
    hashes.push_back(io::sha256(fmt::format("{} row {}", array, row)));
  }
  return hashes;
}

}  // namespace

ExampleFiles::ExampleFiles(std::string role, std::string path, nn::Inputs inputs)
    : role_(std::move(role)),
      path_(std::move(path)),
      inputs_(std::move(inputs)),
      hashes_(row_hashes(path_, inputs_)) {}

Input ExampleFiles::describe() const {
  io::Sha256 all;
  for (const std::string& hash : hashes_) all.update(hash);
  return {role_, path_, all.hex(), {rows()}};
}

std::vector<std::string> shared_files(std::span<const ExampleFiles> others, const ExampleFiles& set) {
  std::map<std::string_view, const ExampleFiles*> known;
  for (const ExampleFiles& other : others) {
    for (const std::string& hash : other.hashes()) known.emplace(hash, &other);
  }
  Index count = 0;
  std::set<std::string> where;
  std::string example;
  for (Index row = 0; row < set.rows(); ++row) {
    const auto found = known.find(set.hashes()[row]);
    if (found == known.end()) continue;
    where.insert(found->second->role());
    if (count++ == 0) example = set.inputs().name(row);
  }
  if (count == 0) return {};
  return {fmt::format("{} of the {} examples of {} are also in {} (e.g. {})", count, set.rows(), set.role(),
                      fmt::join(where, ", "), example)};
}

std::vector<std::string> copies_within(const ExampleFiles& set) {
  const std::set<std::string> different(set.hashes().begin(), set.hashes().end());
  const Index copies = set.rows() - static_cast<Index>(different.size());
  if (copies == 0) return {};
  return {fmt::format("{} of the {} examples of {} are exact copies of others: errors are understated",
                      copies, set.rows(), set.role())};
}

}  // namespace atcav
