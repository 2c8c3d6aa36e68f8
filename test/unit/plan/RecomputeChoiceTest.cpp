// The front of recomputation, compared with all choices.
#include "lib/base/plan/RecomputeChoice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace proa::plan {
namespace {

LayerCost costOf(double none, double selective, double full, double extraSelective, double extraFull) {
  LayerCost cost;
  cost.kept[0] = none, cost.kept[1] = selective, cost.kept[2] = full;
  cost.extra[1] = extraSelective, cost.extra[2] = extraFull;
  return cost;
}

/// The least time of any choice of modes for the layers of one kind that keeps at most these bytes.
double leastExtra(int count, const LayerCost &cost, double bytes) {
  double least = INFINITY;
  for (int selective = 0; selective <= count; ++selective)
    for (int full = 0; full + selective <= count; ++full)
      if ((count - selective - full) * cost.kept[0] + selective * cost.kept[1] + full * cost.kept[2] <= bytes)
        least = std::min(least, selective * cost.extra[1] + full * cost.extra[2]);
  return least;
}

void compare(int count, const LayerCost &cost) {
  RecomputeFront front({count}, {cost}, {0b110});
  for (int step = 0; step <= 200; ++step) {
    double bytes = count * cost.kept[0] * step / 200;
    const RecomputeFront::Point *point = front.within(bytes);
    double least = leastExtra(count, cost, bytes);
    ASSERT_EQ(point != nullptr, std::isfinite(least));
    if (point)
      ASSERT_EQ(point->extra, least) << count << " layers, step " << step;
  }
}

TEST(RecomputeChoiceTest, NoChoiceIsFaster) {
  std::mt19937 random(3);
  auto next = [&](int most) {
    return static_cast<double>(std::uniform_int_distribution<int>(0, most)(random));
  };
  for (int i = 0; i < 300; ++i) {
    double full = next(10), selective = full + next(20), none = selective + next(40), extra = next(8);
    compare(1 + i % 9, costOf(none, selective, full, extra, extra + next(12)));
  }
}

TEST(RecomputeChoiceTest, EqualRatiosOfBytesAndTimeLeaveAllPoints) {
  for (int layers : {1, 2, 5, 8})
    for (double ratio : {1, 2, 3})
      compare(layers, costOf(20, 20 - 4, 20 - 4 * ratio, 1, ratio));
}

} // namespace
} // namespace proa::plan
