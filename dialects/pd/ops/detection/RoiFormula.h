/// What formulas of poolings of regions share.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"

namespace proa::pd {

/// For each region the number of its image, an int64 vector.
Expression imageNumbers(TensorBuilder &e, mlir::OpBuilder &builder, mlir::Value boxes, mlir::Value boxesNum);

} // namespace proa::pd
