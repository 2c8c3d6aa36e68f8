/// Rows and columns of the sums of mma.sync and wgmma that a lane holds.
#pragma once

#include "passes/lower-gpu/attention/AttentionTile.h"

namespace proa {

/// Two rows, 8 apart, of each 16, and two adjacent columns of each 8.
class MmaFragments : public IndexCode {
public:
  static constexpr int64_t rows = 2, lanesOfRow = 4, adjacentColumns = 2;

  /// `thread` is an index in the warps of the tile, each of which has 16 rows.
  MmaFragments(mlir::IRRewriter &b, mlir::Location loc, mlir::Value thread);

  /// Two lanes have adjacent columns, four have adjacent rows.
  static LanesOfBlock lanesOfBlock(bool isByKeys) {
    return isByKeys ? LanesOfBlock{4, lanesOfRow} : LanesOfBlock{2, 1};
  }
  static int64_t columnsOfRow(int64_t columns) { return columns / lanesOfRow; }
  mlir::Value rowOf(int64_t row) const;
  mlir::Value columnOf(int64_t column) const;

  /// Numbers [row][column] from the registers of sums, four for each 8 columns, and back.
  static llvm::SmallVector<mlir::Value> byRows(mlir::ValueRange registers);
  static llvm::SmallVector<mlir::Value> byRegisters(mlir::ValueRange numbers);
  /// The four registers of 16 columns from column `first` on of numbers [row][column], as the left operand of
  /// the next product, rounded to `element`.
  llvm::SmallVector<mlir::Value> operand(mlir::ValueRange numbers, int64_t first, mlir::Type element) const;

private:
  mlir::Value warpRow, lane;
};

} // namespace proa
