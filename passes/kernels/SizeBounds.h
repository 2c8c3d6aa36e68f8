/// Bounds of sizes in generated code.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace proa {

/// The largest value of a size; nothing if it is not known.
std::optional<int64_t> largestSize(mlir::OpFoldResult size);
/// The same of a dim of a tensor or a memref.
std::optional<int64_t> largestSize(mlir::Value shaped, int64_t dim);
/// The same of all sizes; nothing if one is not known.
std::optional<llvm::SmallVector<int64_t>> largestSizes(llvm::ArrayRef<mlir::OpFoldResult> sizes);

} // namespace proa
