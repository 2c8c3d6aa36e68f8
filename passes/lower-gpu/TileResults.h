/// The results of a tile of a contraction, stored to global memory.
#pragma once

#include "passes/lower-gpu/TilePasses.h"

namespace proa {

/// Stores what the epilogue of a contraction computes of the sums of a tile. The sums go through shared
/// memory, so that threads side by side store adjacent elements, and the epilogue is compiled once for each
/// pass instead of once for each register.
class TileResults : public CodeBuilder {
public:
  /// The contraction, the op that reads its result in registers (or null), and the sizes of its loops.
  struct Target {
    mlir::linalg::LinalgOp op, epilogue;
    ContractionForm form;
    ContractionChoice choice;
    llvm::SmallVector<mlir::OpFoldResult> sizes;
  };

  TileResults(mlir::OpBuilder &b, mlir::Location loc, Target target, mlir::Value thread);

  /// The elements of the tile that each thread has.
  const ThreadLayout &layout() const { return passes.wholeLayout(); }
  /// The type of the shared memory that a pass needs: [rows][columns], with padding.
  mlir::MemRefType sumsType() const;

  /// Stores the tile that starts at `indices` of the loops. The threads wait for each other before the memory
  /// is written.
  void store(mlir::ValueRange indices, mlir::ValueRange sums, mlir::Value memory);
  /// The index of the thread in the code that stores to global memory.
  void setThread(mlir::Value index) { thread = index; }

private:
  void barrier();
  void storeVector(mlir::ValueRange elements, mlir::Value to, mlir::ValueRange indices);
  void sumsToMemory(int64_t pass, mlir::ValueRange sums);
  void storePass(int64_t pass, mlir::ValueRange indices);
  void storeChunk(mlir::ValueRange indices, mlir::Value row, mlir::Value column);
  void storeElements(mlir::ValueRange indices, mlir::Value row, mlir::Value column, int64_t count);
  Values valuesAt(mlir::ValueRange indices, mlir::Value sum);
  mlir::Value withStart(mlir::ValueRange indices, mlir::Value sum);
  mlir::linalg::LinalgOp writer() { return target.epilogue ? target.epilogue : target.op; }
  mlir::Value isInside(mlir::Value index, unsigned loop, int64_t tile);
  int64_t chunkOfStores();

  int64_t rowsOfPass() const { return passes.layout().size(MatrixDim::Row); }
  int64_t columnsOfPass() const { return passes.layout().size(MatrixDim::Column); }

  Target target;
  TilePasses passes;
  mlir::Value holder, thread; ///< the index of the thread, and the one that setThread() may change
  mlir::Value memory;
  int64_t vector = 1; ///< adjacent elements that a thread stores
};

} // namespace proa
