/// The lists of ops that mixed precision computes in 16 bits.
#pragma once

#include "mlir/IR/Operation.h"

#include "llvm/ADT/StringMap.h"

namespace proa::autodiff {

enum class Precision {
  Low,    ///< numerically safe and faster: always in 16 bits (Paddle's white list)
  Full,   ///< numerically dangerous: never in 16 bits (Paddle's black list)
  Follow, ///< low if an operand is low and none is the result of a Full op (Paddle's gray list)
  Unknown ///< on no list: full on level O1, low on O2
};

/// The precision of each op. The defaults are in the field `precision` of the op records: the lists of Paddle
/// 2.6.2 (paddle/amp/amp_lists.py, paddle/static/amp/fp16_lists.py), extended to the ops of gradients:
/// contractions are low, data-movement ops follow.
class PrecisionLists {
public:
  /// On level O2, only ops on Paddle's black list for O2 are full.
  explicit PrecisionLists(bool isO2);

  /// Puts an op, "pd.exp" or "exp", on a list. Failure if the op is unknown.
  llvm::LogicalResult set(mlir::MLIRContext *context, llvm::StringRef op, Precision precision);

  Precision of(mlir::Operation *op) const;

private:
  llvm::StringMap<Precision> byName;
};

} // namespace proa::autodiff
