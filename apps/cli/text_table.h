#pragma once

#include <string>
#include <vector>

// A table for the terminal: columns as wide as their widest cell, the first flush left, the others flush
// right, two spaces between, a line under the header.
namespace atcav::cli {

struct TextTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // each as long as the header
};

std::string format_table(const TextTable& table);

}  // namespace atcav::cli
