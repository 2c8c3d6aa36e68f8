/// Measurement of the machine (proa-tune --measure).
#pragma once

#include "lib/target/TargetFacts.h"
#include "proa/Result.h"

namespace proa::tools {

/// Measures facts of one core of this machine: bandwidth, matmul rate, costs of ops in compiled kernels. Its
/// other facts are those of the known CPU with its instructions. If there is a CUDA device with this number,
/// the facts that its driver reports replace those of the known chip. It takes some seconds.
Result<TargetFacts> measureTarget(int device);

} // namespace proa::tools
