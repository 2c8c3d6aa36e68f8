/// Search for the rewrite of a pass that changes what a program computes.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/Pass.h"

#include <functional>
#include <string>

namespace proa::numerics {

/// An application of a pattern in a pass. Attempts that do not match count too.
struct Rewrite {
  size_t index = 0;    ///< from 1; 0: none was found, for the reason in `whyNot`
  size_t attempts = 0; ///< of the whole pass
  std::string pattern; ///< the C++ name or label of the pattern
  std::string op;      ///< the op that the pattern was applied to, "pd.minimum"
  std::string where;   ///< its location
  std::string whyNot;

  /// "application 12 of 40 of patterns: FuseRelu6 on pd.minimum at net.mlir:4", or why there is none.
  std::string text() const;
};

/// A pass, and the IR before it ran.
struct PassRun {
  mlir::OwningOpRef<mlir::ModuleOp> before;
  std::string pass;   ///< as text of a pipeline
  std::string symbol; ///< of the function that it ran on; empty: the module

  static PassRun of(mlir::Pass &pass, mlir::Operation *op);
};

/// Runs the pass on copies of the IR with a limit on the number of pattern applications, which are actions of
/// MLIR, and finds by bisection the smallest limit for which `isWrong` holds. A copy on which the pass fails
/// is not wrong. The context must have one thread. Neither a fold nor a change by other code than patterns
/// has an index: the reason then says so.
Rewrite findFirstRewrite(PassRun &run, const std::function<bool(mlir::ModuleOp)> &isWrong);

} // namespace proa::numerics
