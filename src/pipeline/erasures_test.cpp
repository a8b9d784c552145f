#include "pipeline/erasures.h"

#include <gtest/gtest.h>

#include <memory>

#include "model/testing_model.h"
#include "pipeline/testing_run.h"

namespace atcav {
namespace {

using ErasuresOfARun = TestingRun;

TEST_F(ErasuresOfARun, TellersAreNamed) {
  const auto eraser = [&] {
    return run(config_, {}, {std::make_shared<model::TestingModel>()}).results.front().erasure->eraser;
  };
  EXPECT_EQ(eraser(), "pattern");
  config_.eraser = EraserChoice::kRidge;
  EXPECT_EQ(eraser(), "ridge");
  config_.eraser.reset();
  config_.options.cav.method = stats::CavMethod::kLogistic;
  EXPECT_EQ(eraser(), "logistic");
  config_.eraser = EraserChoice::kPattern;
  EXPECT_EQ(eraser(), "pattern");
}

// A concept against a concept has an eraser too, and a control of its own.
TEST_F(ErasuresOfARun, OfRelativeTests) {
  config_.relative = {{"striped", "dotted"}};
  for (const auto method : {stats::CavMethod::kPattern, stats::CavMethod::kRidge}) {
    config_.options.cav.method = method;
    const RunResult found = run(config_, {}, {std::make_shared<model::TestingModel>()});
    for (const Result& one : found.results) {
      ASSERT_TRUE(one.erasure.has_value());
      EXPECT_GE(one.erasure->interval.high, one.erasure->change);
      EXPECT_GT(one.erasure->error_examples, 0);
    }
  }
}

}  // namespace
}  // namespace atcav
