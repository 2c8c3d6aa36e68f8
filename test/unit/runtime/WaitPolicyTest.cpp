#include "lib/runtime/host/WaitPolicy.h"
#include "lib/runtime/host/ThreadPool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <thread>

namespace proa::runtime {
namespace {

/// Runs a LoadWatch in simulated time.
class SimulatedLoad {
public:
  /// Lets runs take `seconds` while `waiting` threads wait for a core on average.
  bool run(double seconds, double waiting) {
    watch.resume(load);
    bool isBusy = false;
    for (double end = load.seconds + seconds - 1e-9; load.seconds < end;) {
      load.seconds += 0.01;
      load.waited += 0.01 * waiting;
      isBusy = watch.update(load);
    }
    return isBusy;
  }
  /// Time between runs.
  void pass(double seconds, double waiting) {
    load.seconds += seconds;
    load.waited += seconds * waiting;
  }

private:
  LoadWatch watch;
  LoadSample load{100, 7};
};

TEST(LoadWatch, FindsTheMachineBusySoon) {
  SimulatedLoad load;
  EXPECT_FALSE(load.run(5, 0.08));
  EXPECT_TRUE(load.run(0.11, 0.5));
}

TEST(LoadWatch, FindsItIdleLater) {
  SimulatedLoad load;
  EXPECT_TRUE(load.run(1, 1));
  EXPECT_TRUE(load.run(0.1, 0.05));
  EXPECT_FALSE(load.run(0.4, 0.05));
}

TEST(LoadWatch, BetweenTheLimitsNothingChanges) {
  SimulatedLoad load;
  EXPECT_FALSE(load.run(5, 0.2));
  EXPECT_TRUE(load.run(5, 0.3));
  EXPECT_TRUE(load.run(5, 0.2));
}

TEST(LoadWatch, TimeBetweenRunsCountsNothing) {
  SimulatedLoad load;
  for (int i = 0; i < 100; ++i) {
    load.pass(1, 4); // compiles
    EXPECT_FALSE(load.run(0.02, 0.05));
  }
  bool isBusy = false;
  for (int i = 0; i < 3; ++i) {
    load.pass(1, 0);
    isBusy = load.run(0.02, 0.5);
  }
  EXPECT_TRUE(isBusy); // short runs add up
}

TEST(LoadWatch, ThreadsThatEndTakeTheirTimeAlong) {
  LoadWatch watch;
  watch.resume({1, 10});
  EXPECT_FALSE(watch.update({1.1, 2}));
  EXPECT_TRUE(watch.update({1.2, 2.1}));
}

/// CPU time of this process, in milliseconds.
double cpuMilliseconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

/// CPU time of five regions of two threads of which one sleeps 100 ms, and so does the other if it waits so.
double cpuOfWaiting() {
  auto runWithSlowHalf = [] {
    parallelFor(2, 1, [](int64_t begin, int64_t) {
      if (begin == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    });
  };
  runWithSlowHalf();
  double before = cpuMilliseconds();
  for (int i = 0; i < 5; ++i)
    runWithSlowHalf();
  return cpuMilliseconds() - before;
}

int64_t threadsOfProcess() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                       std::filesystem::directory_iterator());
}

/// Waits until the process has `count` threads, at most 10 s.
bool hasThreads(int64_t count) {
  for (int i = 0; i < 1000 && threadsOfProcess() != count; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return threadsOfProcess() == count;
}

TEST(SleepingTeam, WaitingThreadsSleepSoonWhileItLives) {
  if (std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT"))
    GTEST_SKIP() << "the wait policy is chosen";
  ThreadScope scope(2);
  cpuOfWaiting();      // starts the thread that waits
  int64_t before = -1; // when the threads of other tests have ended
  while (before != threadsOfProcess()) {
    before = threadsOfProcess();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  {
    SleepingTeam team;
    ASSERT_TRUE(hasThreads(before + std::thread::hardware_concurrency()));
    EXPECT_LT(cpuOfWaiting(), 5); // busy waiting takes 3 to 30 ms each time
  }
  EXPECT_TRUE(hasThreads(before));
}

} // namespace
} // namespace proa::runtime
