/// Ops on tensor arrays as loops over their elements, for formats that have no such ops.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"

namespace proa::pd {
class ArrayAddOp;
class ArrayConcatOp;
class ArraySliceOp;
class ArrayToTensorOp;
} // namespace proa::pd

namespace proa::exporter {

mlir::Value formulaOf(pd::ArraySliceOp op, pd::TensorBuilder &e);
mlir::Value formulaOf(pd::ArrayConcatOp op, pd::TensorBuilder &e);
mlir::Value formulaOf(pd::ArrayAddOp op, pd::TensorBuilder &e);
/// The tensor and the sizes; none if the sizes are unused, which the op itself does not give there.
llvm::SmallVector<mlir::Value> formulaOf(pd::ArrayToTensorOp op, pd::TensorBuilder &e);

} // namespace proa::exporter
