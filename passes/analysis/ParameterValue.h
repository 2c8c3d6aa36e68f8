/// Values that are computed from parameters and constants alone, once for all runs.
#pragma once

#include "mlir/IR/Value.h"

namespace proa {

/// Why the value is neither a parameter of the program, nor a constant, nor computed from these alone; null
/// if it is one of them.
const char *whyNotParameter(mlir::Value value);

} // namespace proa
