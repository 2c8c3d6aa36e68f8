/// Products of matrices, distributed over the threads of a block.
#pragma once

#include "passes/lower-gpu/StagedOperand.h"
#include "passes/lower-gpu/TileProducts.h"

namespace proa {

/// Replaces a contraction on memory, and its epilogue, by code of one thread; Passes.td
/// (`proa-map-to-threads`) describes it.
class ContractionThreads {
public:
  ContractionThreads(mlir::IRRewriter &rewriter, mlir::Value thread, int64_t threads)
      : b(rewriter), loc(thread.getLoc()), thread(thread), threads(threads) {}

  /// `epilogue` may be null. Emits an error if the attributes of `op` do not fit the block.
  mlir::LogicalResult replace(mlir::linalg::LinalgOp op, mlir::linalg::LinalgOp epilogue);

private:
  using Values = llvm::SmallVector<mlir::Value>;
  using IndexBuilder = llvm::function_ref<void(mlir::Value)>;

  /// The operands in shared memory, and later the sums of a pass, which take their place.
  struct Shared {
    TileProducts::Staged x, y;
    mlir::Value sums;
  };

  mlir::Value constant(int64_t value);
  void loop(mlir::Value begin, mlir::OpFoldResult end, int64_t step, IndexBuilder body);
  void guard(mlir::Value condition, llvm::function_ref<void()> body);
  Shared allocate(bool xAlongK, bool yAlongK);
  TileProducts::Staged viewOf(mlir::Value bytes, int64_t offset, mlir::Type element, int64_t outer,
                              bool alongK);

  void tiles(unsigned next, Values &indices);
  void tile(mlir::ValueRange indices);
  bool copiesAsync();
  Values sumsOf(mlir::ValueRange indices);
  Values sumsOfStages(mlir::ValueRange indices);
  void copyStage(mlir::ValueRange indices, mlir::Value k, mlir::Value stage);
  TileProducts::Staged stageOf(const TileProducts::Staged &operand, mlir::Value stage);
  void storeTile(mlir::ValueRange indices, mlir::ValueRange sums);
  void storePass(int64_t pass, mlir::ValueRange indices);
  void storeChunk(mlir::ValueRange indices, mlir::Value row, mlir::Value column);
  void storeElements(mlir::ValueRange indices, mlir::Value row, mlir::Value column, int64_t count);
  Values valuesAt(mlir::ValueRange indices, mlir::Value sum);
  mlir::Value withStart(mlir::ValueRange indices, mlir::Value sum);
  mlir::linalg::LinalgOp writer() { return epilogue ? epilogue : op; }
  mlir::Value isBelow(mlir::Value index, unsigned loop, int64_t tile);
  int64_t chunkOfStores();

  mlir::IRRewriter &b;
  mlir::Location loc;
  mlir::Value thread;
  int64_t threads;

  mlir::linalg::LinalgOp op, epilogue;
  ContractionForm form;
  ContractionChoice choice;
  llvm::SmallVector<mlir::OpFoldResult> sizes; ///< of the loops of op
  std::unique_ptr<StagedOperand> x, y;
  std::unique_ptr<TileProducts> products;
  Shared shared;
  int64_t vector = 1; ///< adjacent elements that a thread stores
};

} // namespace proa
