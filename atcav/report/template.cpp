#include "atcav/report/template.h"

#include <fmt/format.h>

#include "atcav/base/check.h"

namespace atcav::report {

std::string fill_template(std::string_view page, const std::map<std::string, std::string>& values) {
  std::string filled;
  while (true) {
    const std::size_t open = page.find("{{");
    filled += page.substr(0, open);
    if (open == std::string_view::npos) return filled;
    const std::size_t close = page.find("}}", open);
    if (close == std::string_view::npos) fail_argument("fill_template", "a {{ is not closed");
    const std::string name(page.substr(open + 2, close - open - 2));
    const auto value = values.find(name);
    if (value == values.end()) fail_argument("fill_template", fmt::format("'{}' has no value", name));
    filled += value->second;
    page.remove_prefix(close + 2);
  }
}

}  // namespace atcav::report
