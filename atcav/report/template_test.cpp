#include "atcav/report/template.h"

#include <gtest/gtest.h>

namespace atcav::report {
namespace {

TEST(FillTemplate, ReplacesNamesAndNothingElse) {
  EXPECT_EQ(fill_template("a {{x}} { } {{y}}{{x}}", {{"x", "1"}, {"y", "{{x}}"}}), "a 1 { } {{x}}1");
  EXPECT_EQ(fill_template("", {}), "");
}

TEST(FillTemplate, WantsEveryName) {
  EXPECT_THROW(fill_template("{{x}}", {}), std::invalid_argument);
  EXPECT_THROW(fill_template("{{x", {{"x", ""}}), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::report
