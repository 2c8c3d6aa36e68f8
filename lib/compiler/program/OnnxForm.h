/// The passes before an export to ONNX.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace proa {

/// Turns constant operands into attributes, which ONNX requires for many of them, and forms the composites
/// that ONNX has as ops in this opset. Fails after an error of a pass.
mlir::LogicalResult formForOnnx(mlir::ModuleOp module, int64_t opset);

} // namespace proa
