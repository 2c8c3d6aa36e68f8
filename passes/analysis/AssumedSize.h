/// Assumptions of cost models about sizes that are unknown.
#pragma once

#include <cstdint>

namespace proa {

/// The size of a dynamic dimension.
inline constexpr int64_t assumedSize = 1024;

} // namespace proa
