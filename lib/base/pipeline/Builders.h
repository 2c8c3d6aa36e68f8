/// Builders of the published schedules.
#pragma once

#include "lib/base/pipeline/Schedule.h"

#include "proa/Result.h"

#include <span>
#include <string_view>

namespace proa::pipeline {

/// docs/pipelines.md has a table of their idle time and memory.
enum class ScheduleKind : uint8_t {
  FThenB,        ///< all forwards, then all backwards (Huang et al. 2019, "GPipe")
  OneFOneB,      ///< a backward as soon as it is ready (Narayanan et al. 2019, "PipeDream")
  EagerOneFOneB, ///< about twice the warm-up of 1F1B, which hides the latency of links
  Interleaved,   ///< 1F1B on several chunks for each rank (Narayanan et al. 2021)
  ZeroBubbleH1,  ///< weight gradients fill idle time; memory of 1F1B (Qi et al. 2024)
  ZeroBubbleH2,  ///< more warm-up and no idle time; about twice the memory
  ZeroBubbleV,   ///< two chunks in V shape; no idle time with the memory of 1F1B
  VHalf,         ///< V shape with about half of the memory of 1F1B (Qi et al. 2024b)
  VMin,          ///< V shape with about a third of it
  Automatic,     ///< the best order that a search finds (Search.h)
};

/// Name in the text of a strategy and on command lines: "fthenb", "1f1b", "eager1f1b", "interleaved", "zbh1",
/// "zbh2", "zbv", "vhalf", "vmin", "auto".
std::string_view nameOf(ScheduleKind kind);
std::optional<ScheduleKind> parseScheduleKind(std::string_view name);
std::span<const ScheduleKind> allScheduleKinds();

/// Two chunks in V shape for zbv, vhalf and vmin, and for auto with two chunks; otherwise `chunks` in turn.
/// Errors: a size below 1, chunks that the kind does not have.
Result<Shape> shapeFor(ScheduleKind kind, int64_t ranks, int64_t microBatches, int64_t chunks);

/// A schedule for any number of ranks and micro-batches from 1; `kind` is not Automatic, and `shape` comes
/// from shapeFor(). Its order is the published one, which assumes equal times of F, B and W.
Schedule buildSchedule(ScheduleKind kind, const Shape &shape);

/// The number of chunks of a kind if the user does not choose it.
int64_t defaultChunks(ScheduleKind kind);

} // namespace proa::pipeline
