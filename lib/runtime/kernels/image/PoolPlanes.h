/// Pooling without indices.
#pragma once

#include "lib/runtime/kernels/image/PoolGeometry.h"

namespace proa::runtime {

/// The maximum or average of each window, in two steps: of the rows that a window reaches, element by
/// element, and of that row's columns. Reads each element once for each row of windows. Channels that come
/// last are computed side by side. False for a dtype without an order.
bool poolPlanes(const PoolGeometry &geometry, const PoolConfig &attributes, const View &in, const View &out);

} // namespace proa::runtime
