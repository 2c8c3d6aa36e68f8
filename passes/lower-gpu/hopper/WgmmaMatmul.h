/// Tiles that the tensor memory accelerator copies to shared memory, and their matmuls by wgmma.
#pragma once

#include "passes/lower-gpu/hopper/TensorView.h"
#include "passes/lower-gpu/hopper/WgmmaCode.h"

namespace proa {

/// A tile of a matrix in shared memory: blocks of `lines` lines, which have 128 bytes, are swizzled, and are
/// ranges of the same lines of the matrix. Elements of a line are adjacent in global memory.
struct SwizzledTile {
  mlir::Type element;
  int64_t lines = 0, elements = 0; ///< `elements` of a line of the matrix, a multiple of lineElements()

  int64_t elementBytes() const { return element.getIntOrFloatBitWidth() / 8; }
  int64_t lineElements() const { return swizzleBytes / elementBytes(); }
  int64_t blocks() const { return elements / lineElements(); }
  int64_t blockBytes() const { return lines * swizzleBytes; }
  int64_t bytes() const { return blocks() * blockBytes(); }
};

/// A tile of a tensor, and the tensor map for its copies.
struct MappedTile {
  SwizzledTile shared;
  TensorView view;
  unsigned lineDim = 0, elementDim = 0; ///< of the tensor
  mlir::Value map = {};                 ///< a parameter of the kernel

  void addMap(mlir::func::FuncOp kernel);
  /// Copies the tile at `coordinates` of the tensor.
  void copy(const HopperCode &code, mlir::ValueRange coordinates, mlir::Value target,
            mlir::Value barrier) const;
};

/// Code of one thread. A warpgroup has the sums of some rows of a tile; each 64 of them are a struct.
class WgmmaMatmul : public WgmmaCode {
public:
  /// An operand at an address in shared memory. Its lines are rows of x or columns of y; otherwise their
  /// elements are, and k are the lines.
  struct Operand {
    SwizzledTile tile;
    mlir::Value address;
    bool alongK = true;

    int64_t k() const { return alongK ? tile.elements : tile.lines; }
    /// The distance of an element from the first one, in bytes.
    int64_t offsetOf(int64_t outer, int64_t inK) const;
  };

  WgmmaMatmul(mlir::IRRewriter &b, mlir::Location loc, const TensorCoreTypes &types, int64_t rowsOfGroup,
              mlir::Value thread)
      : WgmmaCode(b, loc, types), code(b, loc), rowsOfGroup(rowsOfGroup),
        group(divide(thread, warpgroupThreads)) {}

  /// Zeros.
  Values start(int64_t columns) const { return Values(static_cast<size_t>(blocks()), zeros(columns)); }
  /// The sums plus the products of operands, or without `addsSums` only these, between begin() and end().
  Values multiply(const Operand &x, const Operand &y, mlir::ValueRange sums, int64_t columns,
                  bool addsSums) const;
  /// The same for 64 rows with x in registers, for each 32 bytes of k.
  mlir::Value multiply(llvm::ArrayRef<Values> x, const Operand &y, mlir::Value sums) const;

private:
  HopperCode code;
  int64_t rowsOfGroup;
  mlir::Value group;

  int64_t blocks() const { return rowsOfGroup / m; }
  mlir::Value descriptor(const Operand &operand, mlir::Value address) const;
};

} // namespace proa
