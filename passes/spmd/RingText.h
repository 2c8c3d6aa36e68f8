/// The text of a choice between a ring and a gather, for remarks.
#pragma once

#include "lib/base/spmd/RingCost.h"

#include <string>

namespace proa {

/// "120.5 us and 0.5 MiB as a ring, 180.0 us and 3.2 MiB with a gather".
std::string textOf(const spmd::RingCost &cost, const spmd::RingWork &work);

} // namespace proa
