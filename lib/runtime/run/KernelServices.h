/// Services for kernels beside their operands: counters, and words for wrong indices.
#pragma once

#include "lib/runtime/plan/Library.h"
#include "lib/runtime/plan/Plan.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace proa::runtime {

/// Number of the counters, of 32 bits, that blocks of a kernel use to find out which of them is the last.
/// They are 0 before and after each run of a kernel.
inline constexpr size_t kernelCounters = 1024;

/// The word of a check that has not failed. A failed one has the position of the wrong index in its tensor,
/// in 40 bits, then the index in 24 bits as a signed number; an index that does not fit is the least or the
/// largest of these. The kernel stores the least word, and does not access memory at the index.
inline constexpr uint64_t noFault = UINT64_MAX;

/// Whether the kernel of a step gets counters or words of checks.
inline bool usesServices(const Step &step) { return step.hasCounters || !step.checks.empty(); }

/// "index 7 at [1, 3] is outside of [-5, 5)" for a word of a check. `view` gives the inputs of the step.
std::string describeFault(const IndexCheck &check, uint64_t word,
                          const std::function<const View &(int32_t)> &view);

} // namespace proa::runtime
