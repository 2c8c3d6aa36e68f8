/// How long vectors take of which only some elements are stored. It follows from the instruction set.
#pragma once

#include "lib/base/target/TargetFacts.h"

namespace proa {

/// Picoseconds of a store of some elements of a vector.
int64_t maskedStoreCost(const CpuFacts &cpu);

} // namespace proa
