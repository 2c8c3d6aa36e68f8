/// How the threads of a block add the products of a tile that is in shared memory.
#pragma once

#include "passes/lower-gpu/ContractionForm.h"
#include "passes/lower-gpu/TilePasses.h"

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
  int64_t passes() const { return divided.count(); }
  int64_t rowsOfPass() const { return divided.layout().size(MatrixDim::Row); }
  int64_t columnsOfPass() const { return divided.layout().size(MatrixDim::Column); }
  /// Stores the sums of a pass to shared memory with the dims [rowsOfPass][columnsOfPass].
  void store(int64_t pass, mlir::ValueRange sums, mlir::Value memory);
  /// The row and the column of the tile that are `row` and `column` in a pass.
  mlir::Value rowOf(int64_t pass, mlir::Value row) const {
    return divided.indexInTile(*this, MatrixDim::Row, pass, row);
  }
  mlir::Value columnOf(int64_t pass, mlir::Value column) const {
    return divided.indexInTile(*this, MatrixDim::Column, pass, column);
  }

protected:
  /// `sums` are the elements of the tile by threads; a pass has those with one value of `digitsOfPass`.
  TileSums(mlir::IRRewriter &b, mlir::Location loc, mlir::linalg::LinalgOp op, ContractionChoice choice,
           const ThreadLayout &sums, ThreadLayout::Digits digitsOfPass, mlir::Value thread)
      : IndexCode(b, loc), op(op), choice(choice), layout(b, loc, sums, thread), thread(thread),
        divided(sums, std::move(digitsOfPass)) {}

  /// Element number `element` of the thread.
  virtual mlir::Value sumAt(mlir::ValueRange sums, int64_t element) const {
    return sums[static_cast<size_t>(element)];
  }

  mlir::linalg::LinalgOp op;
  ContractionChoice choice;
  LayoutCode layout;
  mlir::Value thread;

private:
  /// Stores adjacent elements at once.
  void storeAdjacent(mlir::ValueRange elements, mlir::Value memory, mlir::ValueRange indices);

  TilePasses divided;
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
