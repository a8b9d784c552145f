#include "atcav/run/opened_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>
#include <string_view>

#include "atcav/io/sha256.h"

namespace atcav {

Input OpenedSet::describe() const {
  io::Sha256 all;
  for (const std::string& hash : hashes) all.update(hash);
  return {role, path, all.hex(), {rows()}};
}

std::vector<std::string> shared_examples(std::span<const OpenedSet> others, const OpenedSet& set) {
  std::map<std::string_view, const OpenedSet*> known;
  for (const OpenedSet& other : others) {
    for (const std::string& hash : other.hashes) known.emplace(hash, &other);
  }
  Index count = 0;
  std::set<std::string> where;
  std::string example;
  for (Index row = 0; row < set.rows(); ++row) {
    const auto found = known.find(set.hashes[static_cast<std::size_t>(row)]);
    if (found == known.end()) continue;
    where.insert(found->second->role);
    if (count++ == 0) example = set.inputs.name(row);
  }
  if (count == 0) return {};
  return {fmt::format("{} of the {} examples of {} are also in {} (e.g. {})", count, set.rows(), set.role,
                      fmt::join(where, ", "), example)};
}

std::vector<std::string> copies_within(const OpenedSet& set) {
  const std::set<std::string> different(set.hashes.begin(), set.hashes.end());
  const Index copies = set.rows() - static_cast<Index>(different.size());
  if (copies == 0) return {};
  return {fmt::format("{} of the {} examples of {} are exact copies of others: errors are understated",
                      copies, set.rows(), set.role)};
}

}  // namespace atcav
