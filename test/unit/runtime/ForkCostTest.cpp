#include "lib/runtime/host/ForkCost.h"

#include "lib/base/support/Cores.h"
#include "lib/base/target/TargetFacts.h"
#include "lib/runtime/host/CpuFeatures.h"
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/host/WaitPolicy.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace proa::runtime {
namespace {

/// The known facts of this CPU with other costs. Whether threads wait busily depends on the machine.
CpuFacts factsWith(int64_t nanoseconds) {
  CpuFacts facts = *knownFacts<CpuFacts>(nameOf(vectorIsa()));
  facts.forkNanoseconds = facts.wakeNanoseconds = nanoseconds;
  return facts;
}

/// Runs the tasks on the calling thread.
struct CallingPool : ThreadPool {
  void run(int64_t count, const std::function<void(int64_t)> &task) override {
    for (int64_t i = 0; i < count; ++i)
      task(i);
  }
};

TEST(ForkCost, FollowsTheFactsOfTheProgram) {
  ThreadScope threads(4);
  CpuFacts facts = factsWith(100), other = factsWith(1000);
  CpuScope scope(&facts);
  EXPECT_EQ(minimalForkNanoseconds(), 100);
  {
    CpuScope inner(&other);
    EXPECT_EQ(minimalForkNanoseconds(), 1000);
  }
  EXPECT_EQ(minimalForkNanoseconds(), 100);
  CpuScope without(nullptr);
  EXPECT_GT(minimalForkNanoseconds(), 1000);
}

TEST(ForkCost, FactsOfAnotherCpuDoNotApply) {
  CpuFacts facts = factsWith(100);
  facts.name = "another";
  EXPECT_EQ(&factsOfThisCpu(&facts), knownFacts<CpuFacts>(nameOf(vectorIsa())));
  facts.name = nameOf(vectorIsa());
  EXPECT_EQ(&factsOfThisCpu(&facts), &facts);
}

TEST(ForkCost, ThreadsOfAnotherPoolAreWoken) {
  CpuFacts facts = factsWith(100);
  facts.wakeNanoseconds = 300;
  CpuScope scope(&facts);
  CallingPool pool;
  ThreadScope threads(2, &pool);
  EXPECT_TRUE(threadsSleep());
  EXPECT_EQ(minimalForkNanoseconds(), 300);
}

TEST(ForkCost, ThreadsThatSleepAreWoken) {
  CpuFacts facts = factsWith(100);
  facts.wakeNanoseconds = 300;
  CpuScope scope(&facts);
  const char *policy = std::getenv("OMP_WAIT_POLICY"); // a test of its own has "passive"
  if (policy)
    EXPECT_EQ(threadsSleep(), std::string(policy) == "passive");
  EXPECT_EQ(minimalForkNanoseconds(), threadsSleep() ? 300 : 100);
}

TEST(ForkCost, IsMeasuredAsTheWaitPolicyLetsThreadsWait) {
  ForkTimes times = measureForks();
  std::optional<bool> user = userWaitsAsleep();
  if (availableCores() == 1 || user.value_or(false))
    EXPECT_FALSE(times.busily);
  if (availableCores() == 1 || !user.value_or(true))
    EXPECT_FALSE(times.asleep);
  // A busy machine may find no time, or a long one.
  for (std::optional<double> time : {times.busily, times.asleep})
    if (time) {
      EXPECT_GT(*time, 0);
      EXPECT_LT(*time, 1e9);
    }
}

TEST(ForkCost, WorkersHaveAtLeastTheCost) {
  CpuFacts facts = factsWith(100);
  CpuScope scope(&facts);
  ThreadScope threads(4);
  EXPECT_EQ(workersFor(199, 8), 1);
  EXPECT_EQ(workersFor(200, 8), 2);
  EXPECT_EQ(workersFor(200, 1), 1);
  EXPECT_EQ(workersFor(1e30, 8), 4); // threads()
  EXPECT_EQ(workersFor(1e30, 0), 1);
  EXPECT_EQ(workersFor(0, 8), 1);
}

TEST(ForkCost, GrainsHaveAtLeastTheCost) {
  CpuFacts facts = factsWith(100);
  CpuScope scope(&facts);
  ThreadScope threads(4);
  EXPECT_EQ(grainFor(30), 4);
  EXPECT_EQ(grainFor(1e6), 1);
  EXPECT_GE(grainFor(0), 100);
}

} // namespace
} // namespace proa::runtime
