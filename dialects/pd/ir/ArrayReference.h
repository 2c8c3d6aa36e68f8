/// The interface of ops on tensor arrays with a reference kernel.
#pragma once

#include "mlir/IR/OpDefinition.h"

#include <string>

namespace proa::pd {
struct HostValues;
} // namespace proa::pd

#include "dialects/pd/ir/ArrayReference.h.inc"
