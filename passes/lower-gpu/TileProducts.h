/// How the threads of a block add the products of a tile that is in shared memory.
#pragma once

#include "passes/lower-gpu/ContractionForm.h"
#include "passes/lower-gpu/IndexCode.h"

#include <memory>

namespace proa {

/// The sums of a tile of a contraction, of which each thread holds some.
class TileSums : public IndexCode {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  virtual ~TileSums() = default;

  /// Zeros.
  virtual Values start() = 0;

  /// The tile is stored in several passes, each of which has some rows and columns.
  int64_t passes = 0, rowsOfPass = 0, columnsOfPass = 0;
  /// Stores the sums of a pass to shared memory with the dims [rowsOfPass][columnsOfPass].
  virtual void store(int64_t pass, mlir::ValueRange sums, mlir::Value memory) = 0;
  /// The row and the column of the tile that are `row` and `column` in a pass.
  virtual mlir::Value rowOf(int64_t pass, mlir::Value row) = 0;
  virtual mlir::Value columnOf(int64_t, mlir::Value column) { return column; }

protected:
  TileSums(mlir::IRRewriter &b, mlir::Location loc, mlir::linalg::LinalgOp op, ContractionChoice choice)
      : IndexCode(b, loc), op(op), choice(choice) {}

  /// Stores adjacent elements at once.
  void storeAdjacent(mlir::ValueRange elements, mlir::Value memory, mlir::ValueRange indices);

  mlir::linalg::LinalgOp op;
  ContractionChoice choice;
};

/// One way to compute a tile of a contraction whose operands the threads copy to shared memory.
class TileProducts : public TileSums {
public:
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

  /// The layout of an operand whose elements that differ in k are adjacent in global memory, or not.
  virtual Layout layoutOf(mlir::Type element, bool isAdjacentAlongK) const = 0;
  /// The sums plus the products of two operands in shared memory.
  virtual Values accumulate(const Staged &x, const Staged &y, mlir::ValueRange sums) = 0;

protected:
  using TileSums::TileSums;
};

/// Each thread multiplies and adds elements of any type.
std::unique_ptr<TileProducts> makeFmaTile(mlir::IRRewriter &b, mlir::Location loc, mlir::linalg::LinalgOp op,
                                          ContractionChoice choice, mlir::Value thread);
/// The warps multiply with tensor cores.
std::unique_ptr<TileProducts> makeMmaTile(mlir::IRRewriter &b, mlir::Location loc, mlir::linalg::LinalgOp op,
                                          ContractionChoice choice, mlir::Value thread);

} // namespace proa
