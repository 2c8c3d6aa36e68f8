/// Checks on the emulated GPU in all orders of threads.
#pragma once

#include "lib/check/CheckCase.h"

namespace proa::check {

/// Whether the case runs on the emulated GPU.
bool isEmulated(const CheckOptions &options);

/// Calls `check` once for each rotation of the emulator's schedules (lib/runtime/emulator/Emulator.h), so
/// that each block of each kernel runs in all of them, until one does not pass. The first call compiles; the
/// others get the program from a private cache, unless the options have one.
CaseResult checkInAllSchedules(const CheckOptions &options,
                               const std::function<CaseResult(const CheckOptions &)> &check);

} // namespace proa::check
