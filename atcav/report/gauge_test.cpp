#include "atcav/report/gauge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace atcav::report {
namespace {

TEST(Gauge, CarriesItsNumbersAndIsHiddenFromReaders) {
  const std::string html = gauge_html(0.91, {0.86, 0.95});
  EXPECT_THAT(html, testing::HasSubstr("--at:0.9100;--low:0.8600;--high:0.9500"));
  EXPECT_THAT(html, testing::HasSubstr("aria-hidden=\"true\""));
}

}  // namespace
}  // namespace atcav::report
