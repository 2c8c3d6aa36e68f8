/// Passes of this folder; Passes.td documents each.
#pragma once

#include "lib/base/pipeline/Builders.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace proa {

/// The schedule that an option names: a pipeline::ScheduleKind, or none.
enum class ScheduleChoice : int { OfProgram = -1 };

constexpr ScheduleChoice choiceOf(pipeline::ScheduleKind kind) { return static_cast<ScheduleChoice>(kind); }

/// The values of an option of type ScheduleChoice.
inline llvm::cl::ValuesClass scheduleValues() {
  using enum pipeline::ScheduleKind;
  return llvm::cl::values(
      clEnumValN(ScheduleChoice::OfProgram, "of-program", "the dist.schedule of the module, else 1f1b"),
      clEnumValN(FThenB, "fthenb", "all forwards, then all backwards"),
      clEnumValN(OneFOneB, "1f1b", "a backward as soon as it is ready"),
      clEnumValN(EagerOneFOneB, "eager1f1b", "about twice the warm-up of 1f1b"),
      clEnumValN(Interleaved, "interleaved", "1f1b on several chunks for each rank"),
      clEnumValN(ZeroBubbleH1, "zbh1", "gradients of weights fill idle time"),
      clEnumValN(ZeroBubbleH2, "zbh2", "more warm-up and memory, and no idle time"),
      clEnumValN(ZeroBubbleV, "zbv", "two chunks in V shape, and no idle time"),
      clEnumValN(VHalf, "vhalf", "V shape with about half of the memory of 1f1b"),
      clEnumValN(VMin, "vmin", "V shape with about a third of it"),
      clEnumValN(Automatic, "auto", "the best order that a search finds"));
}

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/pipeline/Passes.h.inc"

} // namespace proa
