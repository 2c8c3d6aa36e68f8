/// Element types of the runtime's library kernels.
#pragma once

#include "mlir/IR/Operation.h"

namespace proa::pd {

/// Whether the element type is f16 or bf16.
bool isHalf(mlir::Type element);

/// Whether the op has a library kernel (LibraryOpInterface) that does not take f16 and bf16 (the field
/// `libraryHalf` of its record is 0).
bool hasOnlyFullKernel(mlir::Operation *op);

} // namespace proa::pd
