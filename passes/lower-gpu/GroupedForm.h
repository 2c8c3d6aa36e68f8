/// Products of groups of rows (pd.grouped_matmul and its gradient) as matmuls.
#pragma once

#include "passes/lower-gpu/ContractionCost.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace proa {

/// The loops of a grouped matmul: out[m, n] += x[m, k] * y[group, k, n], where the rows m are
/// the rows of all groups, or out[group, m, n] += x[k, m] * y[k, n], where the group has a range of k.
struct GroupedForm {
  static constexpr unsigned loops = 3;               ///< m, n, k
  int64_t rows = 0, groups = 0, m = 0, n = 0, k = 0; ///< k of all groups, if they divide it
  bool dividesK = false, transposesY = false;
  mlir::Value x, y, sizes;
  mlir::Type element;

  /// `op` is such an op, of static dims.
  static GroupedForm of(mlir::Operation *op);

  /// The type of the sums.
  mlir::Type sum() const;
  /// As if all groups had equal sizes.
  ContractionSizes averageSizes() const;
  /// The indices of an operand, or of the result, in terms of the loops.
  mlir::AffineMap mapOfX() const;
  mlir::AffineMap mapOfY() const;
  mlir::AffineMap mapOfResult() const;
};

/// The op of a kernel that is one grouped matmul; null for others.
mlir::Operation *groupedProductOf(mlir::func::FuncOp kernel);

} // namespace proa
