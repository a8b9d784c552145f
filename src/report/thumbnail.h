#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "atcav/result.h"
#include "pipeline/extremes.h"

// Small pictures for the report: of class inputs, and of the examples behind the concepts.
namespace atcav::report {

struct Thumbnail {
  std::string name;  // of the input: a file name
  std::string uri;   // data:image/…, or empty for a name alone
};

// By class, one per input, or by concept, one per example; in order.
using Thumbnails = std::map<std::string, std::vector<Thumbnail>>;

// Results that the page shows closely (report/html.h): all, or of more than kDetailed those with the largest
// effects whose intervals leave out 0. The page would grow without bound otherwise; results.json has all.
inline constexpr std::size_t kDetailed = 200;
std::set<std::size_t> detailed_results(const std::vector<Result>& results);

// Inputs of the class that one of the detailed results shows (pipeline/extremes.h): those whose thumbnails
// a page needs.
std::set<Index> shown_inputs(const std::vector<Result>& results, const std::string& class_name);

// Examples of a concept that the report shows: the first so many, and as many of those on the wrong side.
inline constexpr Index kExamples = 6;
// Examples that lie on the random side of the threshold η* along directions fitted without them, the furthest
// first: mislabelled, perhaps, or ambiguous. Empty where it is not known which examples were scored.
std::vector<Index> on_wrong_side(const Result& result);
std::set<Index> shown_examples(const std::vector<Result>& results, const std::string& concept_name,
                               Index examples);

}  // namespace atcav::report
