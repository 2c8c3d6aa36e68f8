/// Loops over the elements of linalg ops, distributed over the threads of a block.
#pragma once

#include "passes/lower-gpu/CodeBuilder.h"
#include "passes/lower-gpu/ReductionForm.h"

namespace proa {

/// Replaces linalg ops on memory by loops of one thread; Passes.td (`proa-map-to-threads`) describes them.
class ThreadLoops : private CodeBuilder {
public:
  /// `thread` is the index of the thread in its block of `threads` threads.
  ThreadLoops(mlir::OpBuilder &rewriter, mlir::Value thread, int64_t threads)
      : CodeBuilder(rewriter, thread.getLoc()), thread(thread), threads(threads) {}

  /// Replaces `op` by loops with the work that its attributes describe.
  void replace(mlir::linalg::LinalgOp op);

private:
  using Sizes = llvm::SmallVector<mlir::OpFoldResult>;
  using BodyBuilder = llvm::function_ref<Values(mlir::Value position, mlir::ValueRange state)>;

  // Arithmetic on indices.
  mlir::Value apply(mlir::AffineExpr expression, mlir::ValueRange dims);
  Sizes chunksOf(Sizes sizes);
  mlir::OpFoldResult product(llvm::ArrayRef<mlir::OpFoldResult> sizes);
  Values split(mlir::Value linear, llvm::ArrayRef<mlir::OpFoldResult> sizes);
  mlir::Value scaled(mlir::Value chunk, int64_t factor, int64_t offset);

  // Loops.
  Values loop(mlir::Value begin, mlir::OpFoldResult end, int64_t step, mlir::ValueRange state,
              BodyBuilder body);
  Values unrolledLoop(mlir::Value begin, mlir::OpFoldResult end, int64_t step, mlir::ValueRange state,
                      BodyBuilder body);
  void parallel();
  void parallelRest(mlir::OpFoldResult chunks);
  void reduceByThread();
  void reduceByLanes(int64_t group);
  void reduceByBlock();
  void reduceByColumns(int64_t group);
  void reduceColumns(int64_t group, int64_t width, mlir::OpFoldResult chunks,
                     llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::OpFoldResult firstElement);
  Values reduceColumnTerms(mlir::ValueRange first, int64_t width, mlir::Value begin, int64_t step);
  Values loadAll(llvm::ArrayRef<mlir::Value> memories, mlir::ValueRange indices);
  int64_t combineRows(llvm::ArrayRef<mlir::Value> exchange, int64_t rows, int64_t width);
  void storeColumns(mlir::ValueRange first, int64_t element, mlir::ValueRange sums);
  Values addTerms(llvm::ArrayRef<Values> indices, mlir::ValueRange state);
  Values reduceTerms(mlir::ValueRange resultIndices, mlir::Value first, int64_t step, mlir::ValueRange state);
  Values combineLanes(mlir::ValueRange partial, int64_t group);
  Values combine(mlir::ValueRange left, mlir::ValueRange right);
  Values neutral();

  // The body of the op at one element.
  Values indicesOf(mlir::ValueRange results, mlir::ValueRange terms);
  mlir::Value load(mlir::OpOperand &operand, mlir::ValueRange indices);
  Values body(mlir::ValueRange indices, mlir::ValueRange accumulators);
  Values starts(mlir::ValueRange indices);
  void store(mlir::ValueRange values, mlir::ValueRange indices);

  mlir::Value thread;
  int64_t threads;

  mlir::linalg::LinalgOp op;
  int64_t vector = 1;
  std::optional<Combiner> combiner; ///< of a reduction that threads can compute together
  llvm::SmallVector<unsigned> resultLoops, termLoops;
  Sizes resultSizes, termSizes;
};

} // namespace proa
