/// Common expressions of the formulas of region poolings.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"

namespace proa::pd {

/// For each region the index of its image, an int64 vector.
Expression imageIndices(TensorBuilder &e, mlir::OpBuilder &builder, mlir::Value boxes, mlir::Value boxesNum);

} // namespace proa::pd
