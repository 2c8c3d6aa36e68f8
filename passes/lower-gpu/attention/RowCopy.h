/// Copies of rows from global to shared memory by all threads of a block.
#pragma once

#include "passes/lower-gpu/attention/AttentionTile.h"

namespace proa {

/// Rows of a tensor of attention, in shared memory with the dims [rows][elements + padding]. Rows and
/// elements outside of the tensor are zeros.
class RowCopy : public IndexCode {
public:
  /// `rows` of a tile and `elements` of a row in shared memory, at least as many as the tensor has.
  RowCopy(const AttentionSite &site, const AttentionTensor &tensor, int64_t rows, int64_t elements);

  /// Starts the copy of the rows from `firstRow` on of a head, below `end`. The copies are finished after a
  /// wait for those of this thread, and a barrier.
  void copy(mlir::Value batch, mlir::Value head, mlir::Value firstRow, mlir::Value end, mlir::Value memory);

private:
  /// A part of a row: where it is in the tile, and in the tensor.
  struct Chunk {
    mlir::Value inTile, first, isInside;
    llvm::SmallVector<mlir::Value> from;
  };
  /// Chunk number `first + chunk * threads`.
  Chunk chunkAt(mlir::Value first, int64_t chunk, mlir::ValueRange place, mlir::Value end);
  llvm::SmallVector<mlir::Value> indicesOf(mlir::ValueRange place, mlir::Value row, mlir::Value element);
  void copyChunk(const Chunk &chunk, mlir::Value memory);

  const AttentionSite &site;
  const AttentionTensor &tensor;
  int64_t rows, elements;
  int64_t vector = 1; ///< elements that are copied at once
};

/// Ends the group of copies that were started.
void commitCopies(const AttentionSite &site);
/// Waits until all but the last `pending` groups are finished, then for the other threads.
void awaitCopies(const AttentionSite &site, uint32_t pending);

} // namespace proa
