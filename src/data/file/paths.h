#pragma once

#include <string>
#include <string_view>
#include <vector>

// Several files as users name them at once: a list "b.npy,a.npy" or a pattern "shard-*.npy", or a list of
// patterns. A path that exists as it stands is that file, whatever letters are in it.
namespace atcav::data {

// The parts of a list, in its order; the whole where that exists, or where a part would be empty.
std::vector<std::string> split_list(std::string_view paths);

// Whether this is a path that exists, or a pattern (*, ?, [a-z]) of files that do.
bool names_files(std::string_view path_or_pattern);

// The files of a pattern in name order (of bytes, whatever the locale); the path itself if it is none.
// std::runtime_error where no file has such a name.
std::vector<std::string> expand_pattern(const std::string& path_or_pattern);

}  // namespace atcav::data
