#include "apps/paper/real_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "apps/paper/testing_layers.h"

namespace atcav::paper {
namespace {

TEST(RealSections, HaveEveryFigureOfThePaper) {
  const std::vector<Section> sections = real_sections(testing_layers(), {.repeats = 3});
  EXPECT_EQ(sections.size(), 6U);
  for (const Section& section : sections) EXPECT_TRUE(well_formed(section.figures)) << section.name;
  EXPECT_TRUE(failed_checks(sections).empty());
}

TEST(RealSections, WithoutLayersIsAnError) { EXPECT_THROW(real_sections({}, {}), std::invalid_argument); }

}  // namespace
}  // namespace atcav::paper
