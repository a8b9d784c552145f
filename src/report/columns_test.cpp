#include "report/columns.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace atcav::report {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

Columns columns_of(std::size_t results) {
  Columns columns;
  for (std::size_t i = 0; i < results; ++i) {
    columns.add_name("concept", fmt::format("c{}", i % 100));
    columns.add_name("class", fmt::format("k{}", i / 100));
    columns.add("share", static_cast<double>(i % 51) / 50);
    columns.add("effect", std::sin(static_cast<double>(i)), {-1, i == 3 ? HUGE_VAL : 1});
  }
  return columns;
}

TEST(Columns, AreListsOfFewResults) {
  const auto json = columns_of(4).columns();
  EXPECT_EQ(json["concept"].dump(), "[0,1,2,3]");
  EXPECT_EQ(json["effect_high"].dump(), "[1.0,1.0,1.0,null]");
  EXPECT_EQ(json["share"][1], 0.02);
  EXPECT_EQ(columns_of(4).names().dump(), R"({"concept":["c0","c1","c2","c3"],"class":["k0"]})");
}

TEST(Columns, OfManyResultsArePacked) {
  constexpr std::size_t kResults = 10'000;
  const auto json = columns_of(kResults).columns();
  EXPECT_EQ(json["concept"].dump(), R"({"length":10000,"run":1,"period":100})");
  EXPECT_EQ(json["class"].dump(), R"({"length":10000,"run":100,"period":100})");
  EXPECT_THAT(json["share"]["values"], SizeIs(51));
  EXPECT_EQ(json["effect_high"]["values"].dump(), "[1.0,null]");
  EXPECT_EQ(json["effect_high"]["places"].get<std::string>().substr(0, 8), "AAAAAQAA");  // 0 0 0 1 0 0
  EXPECT_EQ(json["effect"]["unit"], std::exp2(-15));
  EXPECT_EQ(json["effect"]["halves"].get<std::string>().size(), 2 * kResults * 4 / 3 + 2);  // base64, padded
  EXPECT_EQ(json["effect"]["halves"].get<std::string>().substr(0, 2), "AA");                // sin 0 = 0
}

}  // namespace
}  // namespace atcav::report
