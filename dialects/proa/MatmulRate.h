/// The rates of matmuls in IR.
#pragma once

#include "mlir/IR/Operation.h"

namespace proa {

/// FLOP/s of a large matmul of elements as operand 0 of `op` has them, on the target of the module that
/// contains the op. Complex numbers have the rate of their real type.
double matmulFlopsPerSecond(mlir::Operation *op);

} // namespace proa
