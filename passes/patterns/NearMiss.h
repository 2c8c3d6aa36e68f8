/// Why a pattern in PDL does not match an op.
#pragma once

#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "mlir/IR/PatternMatch.h"

#include <string>

namespace proa {

/// How far a pattern matches.
struct PartialMatch {
  bool isMatch = false;
  size_t ops = 0;    ///< ops of the pattern that have their name
  size_t checks = 0; ///< conditions that hold
  std::string
      reason; ///< the first condition that does not hold, with its op; empty if it cannot be determined
  bool failsAtOp = false; ///< an operand is not the result of the op that the pattern has
};

/// Matches the pattern with `root` as the op that it rewrites: first the ops and their attributes from the
/// root to its operands, then the named constraints in their order. MLIR's interpreter of PDL has conditions
/// of all patterns in an order of its own, and does not say which of them failed.
PartialMatch matchPartially(mlir::pdl::PatternOp pattern, mlir::Operation *root,
                            const llvm::StringMap<mlir::PDLConstraintFunction> &constraints);

} // namespace proa
