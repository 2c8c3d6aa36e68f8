/// The lists of ops that mixed precision computes in 16 bits.
#pragma once

#include "mlir/IR/Operation.h"

#include "llvm/ADT/StringMap.h"

namespace proa::autodiff {

enum class Precision {
  Low,    ///< numerically safe and faster: always in 16 bits (Paddle's white list)
  Full,   ///< numerically unsafe: never in 16 bits (black list)
  Follow, ///< in 16 bits if an operand is, and no operand is from an op on the list `Full` (gray list)
  Unknown ///< in no list: full on level O1, low on O2
};

/// The list of each op. Initially the field `precision` of the records: the lists of Paddle 2.6.2
/// (paddle/amp/amp_lists.py, paddle/static/amp/fp16_lists.py), and lists for the ops that gradients consist
/// of: contractions are `Low`, data-movement ops `Follow`.
class PrecisionLists {
public:
  /// On level O2 only the ops on Paddle's list for O2 are `Full`.
  explicit PrecisionLists(bool isO2);

  /// Puts an op, "pd.exp" or "exp", on a list. Failure if the op is unknown.
  llvm::LogicalResult set(mlir::MLIRContext *context, llvm::StringRef op, Precision precision);

  Precision of(mlir::Operation *op) const;

private:
  llvm::StringMap<Precision> byName;
};

} // namespace proa::autodiff
