/// The values that a strategy splits over one axis, found by the passes that execute it.
#pragma once

#include "lib/base/plan/Workload.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <string>
#include <vector>

namespace proa {

/// The effect of `dist-apply-strategy` with an axis of two devices.
struct AxisProbe {
  /// Values of the program of which a dimension is split, and ops that have such operands or results.
  llvm::DenseSet<mlir::Value> values;
  llvm::DenseSet<mlir::Operation *> ops;
  /// Sizes of the split dimensions, ascending.
  std::vector<int64_t> sizes;
  /// Collectives of the program of one device, by kind: bytes and number. Reductions of gradients of
  /// parameters are not among them.
  struct Total {
    double bytes = 0, count = 0;
  };
  std::map<plan::Collective, Total> collectives;
  /// Why the strategy splits nothing; empty: it splits something.
  std::string reason;
};

/// Applies the strategy `axis`2, such as "mp2", to a copy of the module of `main`, distributes and partitions
/// it. `main` is unchanged. A pass that fails is a reason. For "sp", which is mp2,sp, and "dp" the result has
/// only collectives.
AxisProbe probeAxis(mlir::func::FuncOp main, const std::string &axis);

} // namespace proa
