/// Values that pass into and out of the regions of an op.
#pragma once

#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace proa::sharding {

/// The operands of a region op and of its terminators with the values that they become: block arguments of
/// the regions, and results. Targets of one operand are the same value at different times and have one
/// leader.
class ForwardedValues {
public:
  explicit ForwardedValues(mlir::RegionBranchOpInterface op);

  /// Block arguments and results, in program order.
  llvm::ArrayRef<mlir::Value> targets() const { return allTargets; }
  /// Each operand with one of its targets.
  llvm::ArrayRef<std::pair<mlir::OpOperand *, mlir::Value>> uses() const { return forwarded; }
  mlir::Value leaderOf(mlir::Value target) const;

private:
  llvm::SmallVector<mlir::Value> allTargets;
  llvm::SmallVector<std::pair<mlir::OpOperand *, mlir::Value>> forwarded;
  llvm::DenseMap<mlir::Value, mlir::Value> leaders;
};

} // namespace proa::sharding
