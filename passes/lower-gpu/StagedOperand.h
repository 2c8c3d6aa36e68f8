/// A tile of an operand of a contraction, copied from global to shared memory.
#pragma once

#include "passes/lower-gpu/ContractionForm.h"
#include "passes/lower-gpu/Prologue.h"
#include "passes/lower-gpu/TileCopy.h"

namespace proa {

/// An operand of a contraction at the tile that a block computes.
///
/// Its elements are named by two indices: `outer` (a row of x or a column of y) and `k`. Lines of the copy
/// are along the index whose elements are adjacent in memory.
class StagedOperand : public CodeBuilder {
public:
  struct Shape {
    int64_t outer = 0, k = 0; ///< of the tile
    int64_t threads = 0;
  };

  /// `outerLoop` is the loop of the op that is not shared with the other operand.
  StagedOperand(mlir::IRRewriter &b, mlir::Location loc, mlir::linalg::LinalgOp op, mlir::OpOperand &operand,
                unsigned outerLoop, unsigned kLoop, Shape shape, mlir::Value thread);

  /// Elements that are adjacent in global memory differ in k.
  bool isAdjacentAlongK() const { return alongK; }
  mlir::Type elementType() const { return mlir::getElementTypeOrSelf(operand.get().getType()); }
  /// Whether few enough chunks for registers are loaded before they are stored.
  bool isLoadedEarly() const { return copies->chunksOfThread() <= maxEarlyChunks; }
  /// Whether asynchronous copies are possible to memory [outer][k], or [k][outer] with `kFirst`.
  bool canCopyAsync(bool kFirst) const { return vector > 1 && !isTransposed(kFirst) && !prologue; }
  /// Whether lines in such memory are columns of it.
  bool isTransposed(bool kFirst) const { return alongK == kFirst; }

  /// The tile whose first element has `indices` of the loops, and `k`.
  CopySource at(mlir::ValueRange indices, mlir::Value k);
  TileCopy &copy() { return *copies; }

private:
  static constexpr int64_t maxEarlyChunks = 8;

  mlir::linalg::LinalgOp op;
  mlir::OpOperand &operand;
  unsigned outerLoop, kLoop;
  int64_t outer; ///< of the tile
  bool alongK = true;
  int64_t vector = 1;               ///< elements of a chunk
  std::optional<Prologue> prologue; ///< computes the elements instead of loading them
  mlir::OpFoldResult outerSize, kSize;
  std::optional<TileCopy> copies;
};

} // namespace proa
