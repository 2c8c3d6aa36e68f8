/// Memory in stages: its first dim is the stage.
#pragma once

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

namespace proa {

/// The memory of one stage, without the first dim.
mlir::Value stageView(mlir::IRRewriter &b, mlir::Location loc, mlir::Value memory, mlir::Value stage);

} // namespace proa
