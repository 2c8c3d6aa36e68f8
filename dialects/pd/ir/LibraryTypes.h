/// Which element types the runtime's library kernels take.
#pragma once

#include "mlir/IR/Operation.h"

namespace proa::pd {

bool isHalf(mlir::Type element);

/// Whether the op has a library kernel (LibraryOpInterface) that does not compute in f16 and bf16, by the
/// field `libraryHalf` of the record with that kernel.
bool hasOnlyFullKernel(mlir::Operation *op);

} // namespace proa::pd
