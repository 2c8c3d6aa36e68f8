/// The rows of a kernel as `proa-choose-rows` wrote them down.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace proa {

struct RowSpace {
  llvm::SmallVector<int64_t> tiles;                   ///< tile size of each row dimension, outermost first
  llvm::SmallVector<llvm::SmallVector<int64_t>> dims; ///< result, dimension -> row dimension or -1

  /// Reads and checks the attributes; no attributes mean one row. Emits an error where they do not fit the
  /// results.
  static mlir::FailureOr<RowSpace> read(mlir::func::FuncOp function);

  /// The first result and its dimension that is row dimension `row`.
  std::pair<unsigned, unsigned> where(unsigned row) const;
};

/// Number of tiles of `tile` elements in `size` elements.
mlir::OpFoldResult tileCount(mlir::OpBuilder &builder, mlir::Location location, mlir::OpFoldResult size,
                             int64_t tile);

} // namespace proa
