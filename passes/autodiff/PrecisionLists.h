/// Which ops mixed precision computes in a format of 16 bits.
#pragma once

#include "mlir/IR/Operation.h"

#include "llvm/ADT/StringMap.h"

namespace proa::autodiff {

enum class Precision {
  Low,    ///< numerically safe, and worth it: always in 16 bits (Paddle's white list)
  Full,   ///< numerically dangerous: never (black list)
  Follow, ///< as its operands: low if one is and none is from an op that must not be (gray list)
  Unknown ///< in no list: full on level O1, low on O2
};

/// The lists by op, at first what the op records say in their field `precision`: the lists of Paddle 2.6.2
/// (paddle/amp/amp_lists.py, paddle/static/amp/fp16_lists.py) with the ops that gradients are created of
/// beside them: the products in the gradients of products are low like those, what moves elements follows.
class PrecisionLists {
public:
  /// On level O2 only what Paddle has on its list for O2 stays full.
  explicit PrecisionLists(bool isO2);

  /// Puts an op, "pd.exp" or "exp", on a list. Failure if the op is unknown.
  llvm::LogicalResult set(mlir::MLIRContext *context, llvm::StringRef op, Precision precision);

  Precision of(mlir::Operation *op) const;

private:
  llvm::StringMap<Precision> byName;
};

} // namespace proa::autodiff
