#include "pipeline/option_table.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace atcav {
namespace {

TEST(OptionTable, EveryFieldComesBackFromItsText) {
  EXPECT_EQ(std::get<double>(find_option("lambda").get({})), 1.0);
  Config config;
  find_option("class").set(config, {"a:b:3=p", "zebra:340=a/b"});
  ASSERT_EQ(config.classes.size(), 2U);
  EXPECT_EQ(config.classes[0].name, "a:b");
  EXPECT_EQ(config.classes[1].target.logit, 340);
  EXPECT_THROW(find_option("runs").set(config, {"1", "2"}), std::invalid_argument);
  EXPECT_THROW(find_option("run"), std::invalid_argument);
}

TEST(SetOption, TakesValuesOfTheirOwnType) {
  Config config;
  set_option(config, "lambda", 0.1);
  set_option(config, "seed", Index{7});
  set_option(config, "bgr", true);
  set_option(config, "shape", std::vector<Index>{3, 8, 8});
  set_option(config, "mean", std::vector<double>{0.5, 0.25});
  set_option(config, "alpha", std::vector<std::string>{"3", "star"});
  set_option(config, "pool", Index{4});
  set_option(config, "cache", std::monostate());
  EXPECT_EQ(config.options.cav.lambda, 0.1);
  EXPECT_EQ(config.options.seed, 7U);
  EXPECT_TRUE(config.bgr);
  EXPECT_EQ(config.shape, (std::vector<Index>{3, 8, 8}));
  EXPECT_EQ(config.mean, (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(config.options.alpha.size(), 2U);
  EXPECT_EQ(config.pool, model::Pool::at(4));
  EXPECT_THROW(set_option(config, "labels", std::vector<std::string>{"a", "b"}), std::invalid_argument);
  EXPECT_THROW(set_option(config, "seed", true), std::invalid_argument);
  EXPECT_THROW(set_option(config, "seed", 0.5), std::invalid_argument);
}

// What get() shows of the defaults, set() takes back: no option has a default that could not be typed.
TEST(OptionTable, DefaultsCanBeTyped) {
  std::set<std::string> keys;
  for (const Option& option : option_table()) {
    EXPECT_TRUE(keys.insert(option.key).second) << option.key << " is there twice";
    EXPECT_TRUE(option.of_run || option.of_score) << option.key;
    const OptionValue value = option.get({});
    if (const auto* word = std::get_if<std::string>(&value); word != nullptr && !word->empty()) {
      Config config;
      option.set(config, {*word});
      EXPECT_EQ(option.get(config), value) << option.key;
    }
  }
}

}  // namespace
}  // namespace atcav
