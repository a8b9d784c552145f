#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "atcav/run/extremes.h"
#include "atcav/run/result.h"

// Small pictures of class inputs for the report.
namespace atcav::report {

struct Thumbnail {
  std::string name;  // of the input: a file name
  std::string uri;   // data:image/…, or empty for a name alone
};

// By class, one per input, in order.
using Thumbnails = std::map<std::string, std::vector<Thumbnail>>;

// Results that the page shows closely (report/html.h): the first so many. The page would grow without bound
// otherwise; results.json has all.
inline constexpr std::size_t kDetailed = 200;

// Inputs of the class that one of the first kDetailed results shows (run/extremes.h): those whose thumbnails
// a page needs.
std::set<Index> shown_inputs(const std::vector<Result>& results, const std::string& class_name);

}  // namespace atcav::report
