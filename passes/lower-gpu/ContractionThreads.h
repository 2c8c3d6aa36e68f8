/// Matmuls, distributed over the threads of a block.
#pragma once

#include "passes/lower-gpu/TileLoop.h"

namespace proa {

/// Replaces a contraction on memory, and its epilogue, by code of one thread; Passes.td
/// (`proa-map-to-threads`) describes it.
class ContractionThreads {
public:
  ContractionThreads(mlir::IRRewriter &rewriter, mlir::Value thread, int64_t threads)
      : b(rewriter), thread(thread), threads(threads) {}

  /// `epilogue` may be null. Emits an error if the attributes of `op` do not fit the block.
  mlir::LogicalResult replace(mlir::linalg::LinalgOp op, mlir::linalg::LinalgOp epilogue);

private:
  using Values = llvm::SmallVector<mlir::Value>;
  using TileBuilder = llvm::function_ref<void(mlir::ValueRange indices)>;

  void tiles(const TileResults::Target &target, unsigned next, Values &indices, TileBuilder tile);

  mlir::IRRewriter &b;
  mlir::Value thread;
  int64_t threads;
};

} // namespace proa
