#include "atcav/report/reproduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "atcav/report/testing_results.h"

namespace atcav::report {
namespace {

using testing::HasSubstr;

TEST(ReproduceHtml, SeedOptionsAndVersions) {
  RunResult scored = example_scored();
  scored.options.seed = 42;
  scored.libraries = {{"NumPy", "<1>"}};
  const std::string html = reproduce_html(scored);
  EXPECT_THAT(html, HasSubstr("<dt>Seed</dt><dd>42</dd>"));
  EXPECT_THAT(html, HasSubstr("cav pattern, lambda"));
  EXPECT_THAT(html, HasSubstr("NumPy &lt;1&gt;"));
}

TEST(InputsHtml, ARowEach) {
  const std::string html = inputs_html({{"a & b", "x.npy", "ab12", {3, 4}}, {"model", "m.onnx", "cd", {}}});
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\">a &amp; b</th>"));
  EXPECT_THAT(html, HasSubstr("<td>3 × 4</td><td><code>ab12</code></td>"));
  EXPECT_THAT(html, HasSubstr("m.onnx"));
}

}  // namespace
}  // namespace atcav::report
