// The published schedules: valid for all sizes, with the idle time and memory of the formulas.
#include "lib/base/pipeline/Builders.h"

#include "lib/base/pipeline/Check.h"
#include "lib/base/pipeline/Picture.h"
#include "lib/base/pipeline/Text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

using namespace proa;
using namespace proa::pipeline;

namespace {

/// All shapes of a kind with up to 8 ranks, 16 micro-batches and 4 chunks.
void forEachShape(ScheduleKind kind, const std::function<void(const Shape &)> &visit) {
  for (int64_t chunks = 1; chunks <= 4; ++chunks)
    for (int64_t ranks = 1; ranks <= 8; ++ranks)
      for (int64_t microBatches = 1; microBatches <= 16; ++microBatches)
        if (Result<Shape> shape = shapeFor(kind, ranks, microBatches, chunks))
          visit(*shape);
}

double peakOf(const Timeline &timeline) { return *std::ranges::max_element(timeline.peak); }

/// `times` are the times of a rank; the activations of a micro-batch on a rank are 1.
Timeline simulateKind(ScheduleKind kind, const Shape &shape, const JobTimes &times = {}) {
  return simulate(buildSchedule(kind, shape), Costs::ofRank(times, shape.chunks));
}

std::string nameOf(const Shape &shape) {
  return fmt::format("{} ranks, {} micro-batches, {} chunks", shape.ranks, shape.microBatches, shape.chunks);
}

TEST(BuildersTest, AllSchedulesAreValid) {
  int64_t count = 0;
  for (ScheduleKind kind : allScheduleKinds())
    if (kind != ScheduleKind::Automatic)
      forEachShape(kind, [&](const Shape &shape) {
        Diagnostics errors = check(buildSchedule(kind, shape));
        EXPECT_TRUE(errors.empty()) << pipeline::nameOf(kind) << ", " << nameOf(shape) << "\n"
                                    << errors.text();
        ++count;
      });
  // 5 kinds with one chunk, 3 with two, and 4 numbers of chunks.
  EXPECT_EQ(count, (5 + 3 + 4) * 8 * 16);
}

TEST(BuildersTest, UnsplitSchedulesHaveTheIdleTimeOfTheFormula) {
  for (ScheduleKind kind : {ScheduleKind::FThenB, ScheduleKind::OneFOneB, ScheduleKind::EagerOneFOneB})
    for (const JobTimes &times : {JobTimes{1, 1, 1}, {2, 3, 1}, {1, 5, 2}})
      forEachShape(kind, [&](const Shape &shape) {
        double expected = static_cast<double>(shape.ranks - 1) *
                          (times.forward + times.inputGradient + times.weightGradient);
        Timeline timeline = simulateKind(kind, shape, times);
        for (int64_t rank = 0; rank < shape.ranks; ++rank)
          EXPECT_DOUBLE_EQ(timeline.idle(rank), expected) << pipeline::nameOf(kind) << ", " << nameOf(shape);
      });
}

TEST(BuildersTest, PeaksOfUnsplitSchedules) {
  forEachShape(ScheduleKind::FThenB, [](const Shape &shape) {
    EXPECT_EQ(peakOf(simulateKind(ScheduleKind::FThenB, shape)), shape.microBatches);
  });
  forEachShape(ScheduleKind::OneFOneB, [](const Shape &shape) {
    Timeline timeline = simulateKind(ScheduleKind::OneFOneB, shape);
    for (int64_t rank = 0; rank < shape.ranks; ++rank)
      EXPECT_EQ(timeline.peak[rank], std::min(shape.microBatches, shape.ranks - rank)) << nameOf(shape);
  });
  forEachShape(ScheduleKind::EagerOneFOneB, [](const Shape &shape) {
    EXPECT_EQ(peakOf(simulateKind(ScheduleKind::EagerOneFOneB, shape)),
              std::min(shape.microBatches, 2 * shape.ranks - 1));
  });
}

TEST(BuildersTest, EagerHidesTheLatencyOfLinks) {
  // A link that takes half of a job delays each pair of jobs of 1F1B, and none of the eager form.
  Shape shape{4, 1, 16};
  Costs costs{.latency = 0.5};
  double period = simulate(buildSchedule(ScheduleKind::OneFOneB, shape), costs).period;
  double eager = simulate(buildSchedule(ScheduleKind::EagerOneFOneB, shape), costs).period;
  EXPECT_DOUBLE_EQ(eager, 16 * 3 + 3 * 3 + 6 * 0.5);
  EXPECT_GT(period, eager + 4);
}

TEST(BuildersTest, InterleavedHasTheIdleTimeOfTheFormulaFromPMicroBatches) {
  for (const JobTimes &times : {JobTimes{12, 12, 12}, {12, 24, 12}})
    forEachShape(ScheduleKind::Interleaved, [&](const Shape &shape) {
      if (shape.microBatches < shape.ranks)
        return;
      double expected = static_cast<double>(shape.ranks - 1) *
                        (times.forward + times.inputGradient + times.weightGradient) /
                        static_cast<double>(shape.chunks);
      EXPECT_NEAR(simulateKind(ScheduleKind::Interleaved, shape, times).bubble(), expected, 1e-9)
          << nameOf(shape);
    });
}

TEST(BuildersTest, PeakOfInterleaved) {
  forEachShape(ScheduleKind::Interleaved, [](const Shape &shape) {
    if (shape.microBatches % shape.ranks != 0 || shape.microBatches == shape.ranks || shape.chunks == 1)
      return;
    double p = static_cast<double>(shape.ranks), v = static_cast<double>(shape.chunks);
    EXPECT_NEAR(peakOf(simulateKind(ScheduleKind::Interleaved, shape)), p * (1 + (p - 1) / (p * v)), 1e-9)
        << nameOf(shape);
  });
}

TEST(BuildersTest, ZeroBubbleH1HasTheIdleTimeOfTheFormula) {
  for (const JobTimes &times : {JobTimes{1, 1, 1}, {2, 3, 1}, {3, 4, 2}})
    forEachShape(ScheduleKind::ZeroBubbleH1, [&](const Shape &shape) {
      Timeline timeline = simulateKind(ScheduleKind::ZeroBubbleH1, shape, times);
      EXPECT_EQ(peakOf(timeline), std::min(shape.microBatches, shape.ranks)) << nameOf(shape);
      if (shape.microBatches >= shape.ranks)
        EXPECT_DOUBLE_EQ(timeline.bubble(), static_cast<double>(shape.ranks - 1) *
                                                (times.forward + times.inputGradient - times.weightGradient))
            << nameOf(shape);
    });
}

TEST(BuildersTest, ZeroBubbleH2AndVHaveNoIdleTimeForEqualTimes) {
  for (ScheduleKind kind : {ScheduleKind::ZeroBubbleH2, ScheduleKind::ZeroBubbleV})
    forEachShape(kind, [&](const Shape &shape) {
      int64_t activations = kind == ScheduleKind::ZeroBubbleV ? shape.ranks : 2 * shape.ranks - 1;
      Timeline timeline = simulateKind(kind, shape);
      EXPECT_EQ(peakOf(timeline), std::min(shape.microBatches, activations)) << nameOf(shape);
      if (shape.microBatches >= 2 * shape.ranks - 1)
        EXPECT_DOUBLE_EQ(timeline.bubble(), 0) << pipeline::nameOf(kind) << ", " << nameOf(shape);
    });
}

TEST(BuildersTest, ControllableMemoryIsBelowThatOf1F1B) {
  forEachShape(ScheduleKind::VHalf, [&](const Shape &shape) {
    double p = static_cast<double>(shape.ranks);
    Timeline half = simulateKind(ScheduleKind::VHalf, shape), min = simulateKind(ScheduleKind::VMin, shape);
    EXPECT_LE(peakOf(half), p / 2 + 1) << nameOf(shape);
    EXPECT_LE(peakOf(min), p / 3 + 1.5) << nameOf(shape);
    // Parts of the idle time of 1F1B. With few micro-batches the first one alone takes most of the time.
    double whole = (p - 1) * 3;
    EXPECT_LE(half.bubble(), whole * (shape.microBatches < shape.ranks ? 0.75 : 0.56)) << nameOf(shape);
    EXPECT_LE(min.bubble(), whole * 0.75) << nameOf(shape);
  });
}

TEST(BuildersTest, ShapesThatAKindDoesNotHave) {
  EXPECT_EQ(shapeFor(ScheduleKind::ZeroBubbleV, 4, 8, 1).diagnostics().text(),
            "error: zbv: 1 chunks for each rank, expected 2\n");
  EXPECT_EQ(shapeFor(ScheduleKind::OneFOneB, 0, 8, 2).diagnostics().text(),
            "error: 1f1b: 0 ranks, expected at least 1\n"
            "error: 1f1b: 2 chunks for each rank, expected 1; 'interleaved' and 'auto' have any number\n");
}

TEST(BuildersTest, NamesAreReadBack) {
  for (ScheduleKind kind : allScheduleKinds())
    EXPECT_EQ(parseScheduleKind(pipeline::nameOf(kind)), kind);
  EXPECT_EQ(parseScheduleKind("gpipe"), std::nullopt);
}

TEST(PictureTest, HasARowForEachRankAndEscapesTheTitle) {
  Shape shape{3, 1, 4};
  Schedule schedule = buildSchedule(ScheduleKind::ZeroBubbleH1, shape);
  std::string picture = drawSchedule(schedule, simulate(schedule, {}), "a < b & c");
  auto count = [&](std::string_view text) {
    size_t found = 0;
    for (size_t at = picture.find(text); at != std::string::npos; at = picture.find(text, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("class=\"idle\""), 3u);
  EXPECT_EQ(count("class=\"memory\""), 3u);
  EXPECT_EQ(count("<title>"), 3u * 4 * 3);
  EXPECT_EQ(count("a &lt; b &amp; c"), 1u);
}

} // namespace
