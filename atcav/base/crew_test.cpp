#include "atcav/base/crew.h"

#include <gmock/gmock.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace atcav {
namespace {

TEST(Crew, DoesEveryPieceOfEveryLoopOnce) {
  for (const int threads : {1, 2, 5}) {
    std::vector<int> done(100, 0);
    with_crew(threads, [&](Crew& crew) {
      EXPECT_EQ(crew.size(), threads);
      for (int loop = 0; loop < 3000; ++loop) {
        const Index count = loop % 7 == 0 ? 100 : loop % 5;
        crew.each(count, [&](Index i) { ++done[static_cast<std::size_t>(i)]; });
      }
    });
    EXPECT_EQ(done[99], 429) << threads;
    EXPECT_EQ(done[0], 429 + 2057) << threads;  // loops of 0 pieces: the multiples of 5 that are not of 7
  }
}

TEST(Crew, ALoopEndsWhenAllOfItIsDone) {
  with_crew(3, [](Crew& crew) {
    for (int loop = 0; loop < 500; ++loop) {
      std::atomic<int> done{0};
      crew.each(8, [&](Index) { ++done; });
      ASSERT_EQ(done, 8);
    }
  });
}

TEST(Crew, AnExceptionReachesTheCallerAndTheCrewGoesOn) {
  int after = 0;
  with_crew(3, [&](Crew& crew) {
    EXPECT_THROW(crew.each(20,
                           [](Index i) {
                             if (i == 11) throw std::runtime_error("eleven");
                           }),
                 std::runtime_error);
    std::atomic<int> done{0};
    crew.each(20, [&](Index) { ++done; });
    after = done;
  });
  EXPECT_EQ(after, 20);
  EXPECT_THROW(with_crew(2, [](Crew&) { throw std::runtime_error("at once"); }), std::runtime_error);
}

}  // namespace
}  // namespace atcav
