/// The size of buckets: small collectives of gradients and parameters are merged (dist-merge-collectives).
#pragma once

#include <algorithm>

namespace proa::spmd {

/// Bytes of a bucket whose collective may run while kernels do. It waits for the last of its gradients, so it
/// is not larger than makes the latency of a message small against its time.
inline double bucketBytes(double latencySeconds, double bytesPerSecond) {
  constexpr double latencies = 80;
  return latencies * latencySeconds * bytesPerSecond;
}

/// The most bytes of a bucket: the default of dist-merge-collectives.
constexpr double mostBucketBytes = 25 << 20;

} // namespace proa::spmd
