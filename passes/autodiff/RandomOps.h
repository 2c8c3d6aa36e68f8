/// Ops that must not run a second time.
#pragma once

#include "dialects/pd/nn/Nn.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace proa::autodiff {

/// Whether the op has an effect, as random numbers are. A dropout's record does not say so, as it has none at
/// inference.
inline bool drawsRandomNumbers(mlir::Operation *op) {
  auto dropout = llvm::dyn_cast<pd::DropoutOp>(op);
  return dropout ? !dropout.getIsTest() : !mlir::isMemoryEffectFree(op);
}

} // namespace proa::autodiff
