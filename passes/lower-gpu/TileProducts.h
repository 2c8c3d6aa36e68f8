/// How the threads of a block add the products of a tile that is in shared memory.
#pragma once

#include "passes/lower-gpu/ContractionForm.h"

#include "mlir/IR/PatternMatch.h"

#include <memory>

namespace proa {

/// One way to compute a tile of a contraction. Each thread holds some of the sums.
class TileProducts {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  /// The layout of an operand in shared memory: dims [outer][k], or [k][outer] with `kFirst`; `pad` elements
  /// follow each line, so that the lanes of a warp access different banks.
  struct Layout {
    bool kFirst = false;
    int64_t pad = 0;
  };

  /// An operand in shared memory.
  struct Staged {
    mlir::Value memory;
    bool kFirst = false;
  };

  virtual ~TileProducts() = default;

  /// The layout of an operand whose elements that differ in k are adjacent in global memory, or not.
  virtual Layout layoutOf(mlir::Type element, bool isAdjacentAlongK) const = 0;
  /// Zeros.
  virtual Values start() = 0;
  /// The sums plus the products of two operands in shared memory.
  virtual Values add(const Staged &x, const Staged &y, mlir::ValueRange sums) = 0;

  /// The tile is stored in several passes, each of which has rows of all parts of the tile.
  int64_t passes = 0, rowsOfPass = 0;
  /// Stores the sums of a pass to shared memory with the dims [rowsOfPass][columns].
  virtual void store(int64_t pass, mlir::ValueRange sums, mlir::Value memory) = 0;
  /// The row of the tile that is `row` in a pass.
  virtual mlir::Value rowOf(int64_t pass, mlir::Value row) = 0;

protected:
  TileProducts(mlir::IRRewriter &b, mlir::Location loc, mlir::linalg::LinalgOp op, ContractionChoice choice)
      : b(b), loc(loc), op(op), choice(choice) {}

  // Arithmetic on indices.
  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value left, mlir::Value right);
  mlir::Value add(mlir::Value left, int64_t right) { return add(left, constant(right)); }
  mlir::Value multiply(mlir::Value left, int64_t right);
  mlir::Value divide(mlir::Value left, int64_t right);
  mlir::Value remainder(mlir::Value left, int64_t right);
  /// Stores adjacent elements at once.
  void storeAdjacent(mlir::ValueRange elements, mlir::Value memory, mlir::ValueRange indices);

  mlir::IRRewriter &b;
  mlir::Location loc;
  mlir::linalg::LinalgOp op;
  ContractionChoice choice;
};

/// Each thread multiplies and adds elements of any type.
std::unique_ptr<TileProducts> makeFmaTile(mlir::IRRewriter &b, mlir::Location loc, mlir::linalg::LinalgOp op,
                                          ContractionChoice choice, mlir::Value thread);
/// The warps multiply with tensor cores.
std::unique_ptr<TileProducts> makeMmaTile(mlir::IRRewriter &b, mlir::Location loc, mlir::linalg::LinalgOp op,
                                          ContractionChoice choice, mlir::Value thread);

} // namespace proa
