/// Programs in double precision, as an oracle of programs in narrower types.
#pragma once

#include "proa/Result.h"
#include "proa/Tensor.h"

#include "mlir/IR/BuiltinOps.h"

namespace proa::comparison {

/// Makes float64 of all floats of the module, and complex128 of complex numbers: types, constants and
/// attributes. Error: an op that does not allow it, such as one on quantized numbers.
Result<void> toDoublePrecision(mlir::ModuleOp module);

/// The tensor with float64 or complex128 elements; others are unchanged.
Tensor toDoublePrecision(const Tensor &tensor);

} // namespace proa::comparison
