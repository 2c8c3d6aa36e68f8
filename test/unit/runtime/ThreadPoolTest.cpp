#include "lib/runtime/host/ThreadPool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace proa::runtime {
namespace {

struct RestoreThreads {
  int count = threads();
  ~RestoreThreads() { setThreads(count); }
};

TEST(ThreadPool, VisitsEachIndexOnce) {
  RestoreThreads restore;
  for (int count : {1, 2, 3, 8}) {
    setThreads(count);
    for (int64_t size : {0, 1, 2, 7, 100}) {
      std::vector<std::atomic<int>> visits(static_cast<size_t>(size));
      parallelFor(size, 1, [&](int64_t begin, int64_t end) {
        EXPECT_LT(begin, end);
        for (int64_t i = begin; i < end; ++i)
          ++visits[static_cast<size_t>(i)];
      });
      for (const auto &visit : visits)
        EXPECT_EQ(visit, 1);
    }
  }
}

TEST(ThreadPool, RangesHaveAtLeastTheGrain) {
  RestoreThreads restore;
  setThreads(4);
  std::atomic<int> ranges = 0;
  parallelFor(10, 4, [&](int64_t begin, int64_t end) {
    EXPECT_GE(end - begin, 4);
    ++ranges;
  });
  EXPECT_EQ(ranges, 2);
}

TEST(ThreadPool, SmallAndNestedWorkStaysOnTheCaller) {
  RestoreThreads restore;
  setThreads(2);
  parallelFor(1, 1, [caller = std::this_thread::get_id()](int64_t, int64_t) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
  parallelFor(2, 1, [&](int64_t, int64_t) {
    auto outer = std::this_thread::get_id();
    parallelFor(100, 1, [&](int64_t begin, int64_t end) {
      EXPECT_EQ(std::this_thread::get_id(), outer);
      EXPECT_EQ(end - begin, 100);
    });
  });
}

} // namespace
} // namespace proa::runtime
