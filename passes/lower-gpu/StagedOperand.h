/// A tile of an operand of a contraction, copied from global to shared memory.
#pragma once

#include "passes/lower-gpu/ContractionForm.h"
#include "passes/lower-gpu/Prologue.h"

#include "mlir/IR/PatternMatch.h"

namespace proa {

/// An operand of a contraction at the tile that a block computes.
///
/// Its elements are named by two indices: `outer` (a row of x or a column of y) and `k`. A thread loads
/// chunks of elements that are adjacent in memory into registers, and later stores them to shared memory, so
/// that the loads of the next part overlap with the products of this one. Elements outside of the operand are
/// zeros.
class StagedOperand {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  struct Shape {
    int64_t outer = 0, k = 0; ///< of the tile
    int64_t threads = 0;
  };

  /// `outerLoop` is the loop of the op that is not shared with the other operand.
  StagedOperand(mlir::IRRewriter &b, mlir::Location loc, mlir::linalg::LinalgOp op, mlir::OpOperand &operand,
                unsigned outerLoop, unsigned kLoop, Shape shape);

  /// Elements that are adjacent in global memory differ in k.
  bool isAdjacentAlongK() const { return alongK; }
  mlir::Type elementType() const { return type.getElementType(); }

  int64_t chunksOfThread() const { return llvm::divideCeil(chunks(), shape.threads); }
  /// Whether `load` and `store` copy a part, otherwise `copy`.
  bool isLoadedEarly() const { return chunksOfThread() <= maxEarlyChunks; }

  /// Copies the part that starts with element `k` of the sum to `memory`, as `load` and `store` do.
  void copy(mlir::Value thread, mlir::ValueRange indices, mlir::Value k, mlir::Value memory, bool kFirst);

  /// Whether `copyAsync` can copy it to a memory with this order of dims.
  bool canCopyAsync(bool kFirst) const { return vector > 1 && alongK != kFirst && !prologue; }
  /// As `copy`, to a stage of `memory`, whose first dim is the stage. The copies are finished after a wait.
  void copyAsync(mlir::Value thread, mlir::ValueRange indices, mlir::Value k, mlir::Value memory,
                 mlir::Value stage, bool kFirst);

  /// Chunks of this thread of the part that starts with element `k` of the sum. `indices` are those of all
  /// loops at the first element of the tile.
  Values load(mlir::Value thread, mlir::ValueRange indices, mlir::Value k);
  /// Stores the chunks to `memory`, whose dims are [outer][k], or [k][outer] with `kFirst`.
  void store(mlir::Value thread, mlir::ValueRange chunks, mlir::Value memory, bool kFirst);

private:
  /// Place of the first element of a chunk in the tile.
  struct Place {
    mlir::Value outer, k, isInTile; ///< isInTile is null if all threads have a chunk
  };

  static constexpr int64_t maxEarlyChunks = 8;

  int64_t chunks() const { return shape.outer * shape.k / vector; }
  mlir::Type chunkType() const;
  Place placeOf(mlir::Value first, int64_t chunk, bool isKnownInTile);
  mlir::Value loadGuarded(const Place &place, mlir::ValueRange indices, mlir::Value k);
  void storeChunk(const Place &place, mlir::Value value, mlir::Value memory, bool kFirst);
  mlir::Value isInside(const Place &place, mlir::Value outerStart, mlir::Value k);
  mlir::Value loadChunk(mlir::ValueRange indices);
  mlir::Value constant(int64_t value);

  mlir::IRRewriter &b;
  mlir::Location loc;
  mlir::linalg::LinalgOp op;
  mlir::OpOperand &operand;
  mlir::MemRefType type;
  unsigned outerLoop, kLoop;
  Shape shape;
  bool alongK = true;
  int64_t vector = 1;               ///< elements of a chunk
  std::optional<Prologue> prologue; ///< computes the elements instead of loading them
  mlir::OpFoldResult outerSize, kSize;
};

} // namespace proa
