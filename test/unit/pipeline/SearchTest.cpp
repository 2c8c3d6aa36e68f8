// The search for schedules: valid, within memory, above the lower bound, and optimal where all orders are
// tried.
#include "lib/base/pipeline/Search.h"

#include "lib/base/pipeline/Builders.h"
#include "lib/base/pipeline/Check.h"
#include "lib/base/pipeline/Text.h"

#include <gtest/gtest.h>

#include <chrono>

#include <algorithm>

using namespace proa;
using namespace proa::pipeline;

namespace {

/// The least period of all orders of one chunk for each of two ranks, by trying all of them.
double leastPeriod(const Shape &shape, const SearchOptions &options) {
  double least = 1e30;
  std::vector<Job> jobs;
  for (int64_t microBatch = 0; microBatch < shape.microBatches; ++microBatch)
    for (JobKind kind : {JobKind::Forward, JobKind::InputGradient, JobKind::WeightGradient})
      jobs.push_back({kind, microBatch});
  auto less = [](const Job &a, const Job &b) {
    return std::pair(a.microBatch, a.kind) < std::pair(b.microBatch, b.kind);
  };
  auto isOrdered = [](const std::vector<Job> &order) {
    for (const Job &job : order)
      if (job.kind != JobKind::Forward) {
        Job needed{static_cast<JobKind>(static_cast<int>(job.kind) - 1), job.microBatch};
        if (std::ranges::find(order, needed) > std::ranges::find(order, job))
          return false;
      }
    return true;
  };
  std::vector<std::vector<Job>> orders;
  do {
    if (isOrdered(jobs))
      orders.push_back(jobs);
  } while (std::ranges::next_permutation(jobs, less).found);
  for (const std::vector<Job> &first : orders)
    for (const std::vector<Job> &second : orders) {
      Timeline timeline = simulate({shape, {first, second}}, options.costs);
      if (timeline.isComplete() && std::ranges::max(timeline.peak) <= options.memoryLimit.value_or(1e30))
        least = std::min(least, timeline.period);
    }
  return least;
}

TEST(SearchTest, FindsTheBestOfAllOrders) {
  Shape shape{2, 1, 2};
  for (const JobTimes &times : {JobTimes{1, 1, 1}, {3, 4, 2}, {1, 5, 2}, {4, 1, 1}})
    for (double limit : {1.0, 2.0}) {
      SearchOptions options{.costs = {.times = {times}, .latency = 0.5}, .memoryLimit = limit};
      Result<SearchResult> result = searchSchedule(shape, options);
      ASSERT_TRUE(result) << result.diagnostics().text();
      double least = leastPeriod(shape, options);
      EXPECT_DOUBLE_EQ(result->timeline.period, least) << textOf(result->schedule);
      EXPECT_LE(result->lowerBound, least * (1 + 1e-12));
    }
}

TEST(SearchTest, ResultsAreValidAndAboveTheBound) {
  for (int64_t chunks : {1, 2, 3})
    for (ChunkPlacement placement : {ChunkPlacement::RoundRobin, ChunkPlacement::V})
      for (int64_t microBatches : {1, 3, 8})
        for (double limit : {1.0, 2.5, 4.0}) {
          Shape shape{4, chunks, microBatches, placement};
          SearchOptions options{.costs = Costs::ofRank({2, 3, 1}, chunks, 0.25), .memoryLimit = limit};
          options.attempts = 200;
          Result<SearchResult> result = searchSchedule(shape, options);
          ASSERT_TRUE(result) << result.diagnostics().text();
          Diagnostics errors = check(result->schedule, {.memoryLimit = limit, .costs = options.costs});
          EXPECT_TRUE(errors.empty()) << errors.text();
          EXPECT_GE(result->timeline.period, result->lowerBound * (1 - 1e-9));
        }
}

TEST(SearchTest, ReachesTheBoundWithTheMemoryOfH2) {
  for (int64_t ranks : {2, 4, 8}) {
    Shape shape{ranks, 1, 2 * ranks};
    SearchOptions options{.memoryLimit = static_cast<double>(2 * ranks - 1)};
    Result<SearchResult> result = searchSchedule(shape, options);
    ASSERT_TRUE(result);
    EXPECT_LE(result->gap(), 0.02);
  }
}

// The time of a search is bounded: 24,576 jobs take about as long as 1,000.
TEST(SearchTest, ManyStages) {
  for (auto [ranks, chunks] : {std::pair(16, 1), std::pair(32, 2)}) {
    auto shape = shapeFor(ScheduleKind::Automatic, ranks, 4 * ranks, chunks);
    ASSERT_TRUE(shape);
    SearchOptions options{.costs = Costs::ofRank({2, 3, 1}, chunks),
                          .memoryLimit = static_cast<double>(ranks)};
    auto begin = std::chrono::steady_clock::now();
    Result<SearchResult> result = searchSchedule(*shape, options);
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    ASSERT_TRUE(result) << result.diagnostics().text();
    EXPECT_TRUE(
        check(result->schedule, {.memoryLimit = options.memoryLimit, .costs = options.costs}).empty());
    EXPECT_LE(result->gap(), 0.08);
    EXPECT_LE(seconds.count(), 60) << "on a busy machine";
  }
}

TEST(SearchTest, UnequalStages) {
  // The second rank takes twice the time: its work is the bound, and the others have time to spare.
  SearchOptions options{.costs = {.times = {{1, 1, 1}, {2, 2, 2}, {1, 1, 1}}}};
  Result<SearchResult> result = searchSchedule({3, 1, 8}, options);
  ASSERT_TRUE(result);
  EXPECT_LE(result->gap(), 0.02) << textOf(result->schedule);
}

TEST(SearchTest, ALimitBelowOneMicroBatchIsAnError) {
  EXPECT_EQ(
      searchSchedule({2, 1, 2}, {.memoryLimit = 0.5}).diagnostics().text(),
      "error: rank 0: a micro-batch has activations of 1 and the memory limit is 0.5, expected a limit that "
      "holds one micro-batch\n");
}

} // namespace
