#include "command_line.h"

namespace atcav::cli {
namespace {

constexpr const char* kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./=:,+@%";

}  // namespace

std::string quoted(const std::vector<std::string>& arguments) {
  std::string line = "atcav";
  for (const std::string& argument : arguments) {
    line += ' ';
    if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string::npos) {
      line += argument;
      continue;
    }
    line += '\'';
    for (const char c : argument) {
      if (c == '\'') {
        line += "'\\''";
      } else {
        line += c;
      }
    }
    line += '\'';
  }
  return line;
}

}  // namespace atcav::cli
