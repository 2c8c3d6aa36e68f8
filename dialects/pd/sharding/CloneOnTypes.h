/// Clones of an op for the derivation of its sharding rule.
#pragma once

#include "mlir/IR/Operation.h"

namespace proa::pd {

/// A clone of the op at the end of the block, on operands of these types. Constant operands whose type stays
/// are cloned too; other operands become block arguments. The types of the results are not changed.
mlir::Operation *cloneOnTypes(mlir::Block &block, mlir::Operation *op, mlir::TypeRange operands);

} // namespace proa::pd
