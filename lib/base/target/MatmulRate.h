/// The rate of matmuls of a target by element type.
#pragma once

#include "lib/base/target/TargetFacts.h"

#include <algorithm>

namespace proa {

/// The type of elements that a matmul multiplies: a float, or an integer.
struct MatmulElement {
  int64_t bits = 32;
  bool isFloat = true;
};

/// FLOP/s of a large matmul. A GPU multiplies elements of at most 16 bits on its tensor cores, and others
/// without. `mma.sync` multiplies 8-bit floats as 16-bit ones. A CPU multiplies narrow elements as float32.
inline double matmulFlopsPerSecond(const TargetFacts &target, MatmulElement element) {
  if (!target.gpu)
    return element.bits > 32 ? static_cast<double>(target.cpu.matmul64Rate) * 1e6
                             : target.cpu.flopsPerSecond();
  const GpuFacts &gpu = *target.gpu;
  if (element.bits == 32)
    return gpu.flopsPerSecond();
  int64_t wgmma8Rate = gpu.hasWgmma() ? gpu.wgmma8Rate : 0;
  int64_t rate = element.bits > 32  ? gpu.fma64Rate
                 : element.bits > 8 ? std::max(gpu.mmaRate, gpu.wgmmaRate)
                 : element.isFloat  ? std::max(gpu.mmaRate, wgmma8Rate)
                                    : std::max(gpu.mma8Rate, wgmma8Rate);
  return 2e9 / gpu.nanosecondsOf(1, rate);
}

} // namespace proa
