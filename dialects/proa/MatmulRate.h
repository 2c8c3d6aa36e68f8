/// The rates of matmuls in IR.
#pragma once

#include "mlir/IR/Operation.h"

namespace proa {

/// FLOP/s of a large matmul `op`, on the target of the module that contains the op. It multiplies the wider
/// of the element types in which its first two operands are stored: kernels read through casts to wider types
/// of the same kind. Complex numbers have the rate of their real type.
double matmulFlopsPerSecond(mlir::Operation *op);

} // namespace proa
