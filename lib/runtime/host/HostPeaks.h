/// The most that the CPU can do, for shares of the roofline.
#pragma once

#include "lib/runtime/run/Device.h"

namespace proa::runtime {

/// Measures, at the first call for this number of threads, the bytes/s of a large copy and the FLOP/s of a
/// large matmul of float32. It takes about 0.15 s.
const DevicePeaks &hostPeaks(int threads);

} // namespace proa::runtime
