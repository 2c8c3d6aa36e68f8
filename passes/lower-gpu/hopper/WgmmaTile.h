/// Products of a tile by wgmma.
#pragma once

#include "passes/lower-gpu/TileProducts.h"
#include "passes/lower-gpu/hopper/WgmmaCode.h"

namespace proa {

/// An operand of wgmma in shared memory: lines of 128 bytes, swizzled. With elements adjacent along k, a line
/// has one row of x or column of y and all k of a part. Otherwise a line has one k, and the operand is a
/// series of blocks with `lineElements` rows or columns and all k each.
struct WgmmaOperand {
  mlir::Type element;
  bool alongK = true;
  int64_t outer = 0; ///< rows of x or columns of y in the tile

  int64_t elementBytes() const { return element.getIntOrFloatBitWidth() / 8; }
  int64_t lineElements() const { return swizzleBytes / elementBytes(); }
  /// A part has one line of k.
  int64_t partK() const { return lineElements(); }
  int64_t bytes() const { return outer * swizzleBytes; }
  /// Elements of a copy: those of a dim with `outer` elements of the tile, and of k.
  int64_t boxOfOuter() const { return alongK ? outer : lineElements(); }
  int64_t boxes() const { return outer / boxOfOuter(); }
  int64_t boxBytes() const { return bytes() / boxes(); }
};

/// The sums of the tile of a block; each warpgroup has `choice.warpM` rows and all columns.
class WgmmaTile : public TileSums {
public:
  WgmmaTile(mlir::IRRewriter &b, mlir::Location loc, mlir::linalg::LinalgOp op, ContractionChoice choice,
            WgmmaOperand x, WgmmaOperand y, mlir::Value thread);

  Values start() override;
  /// The sums plus the products of a part of both operands, whose addresses in shared memory are given. They
  /// are complete afterwards.
  Values accumulate(mlir::Value xAddress, mlir::Value yAddress, mlir::ValueRange sums);

protected:
  /// Each element of `sums` is a struct, for 64 rows.
  mlir::Value sumAt(mlir::ValueRange sums, int64_t element) const override;

private:
  WgmmaOperand x, y;
  HopperCode code;
  WgmmaCode wgmma;
  mlir::Value group;

  int64_t blocks() const;
};

} // namespace proa
