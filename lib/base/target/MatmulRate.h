/// The rate of matmuls of a target by element type.
#pragma once

#include "lib/base/target/TargetFacts.h"

#include <algorithm>

namespace proa {

/// FLOP/s of a large matmul of elements of `bits` bits. A GPU multiplies elements of at most 16 bits on its
/// tensor cores, by the rate of 16-bit floats, and others without; a CPU has one rate.
inline double matmulFlopsPerSecond(const TargetFacts &target, int64_t bits) {
  if (!target.gpu || bits == 32)
    return target.device().flopsPerSecond();
  const GpuFacts &gpu = *target.gpu;
  int64_t rate = bits > 32 ? gpu.fma64Rate : std::max(gpu.mmaRate, gpu.wgmmaRate);
  return 2 * static_cast<double>(rate * gpu.multiprocessors) * static_cast<double>(gpu.clockMegahertz) * 1e6;
}

} // namespace proa
