/// Tiles that the tensor memory accelerator copies to shared memory, and their matmuls by wgmma.
#pragma once

#include "passes/lower-gpu/ContractionForm.h"
#include "passes/lower-gpu/hopper/HopperCode.h"
#include "passes/lower-gpu/hopper/TensorView.h"

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

/// Matmuls of a warpgroup by wgmma, for the types of TensorCoreTypes. The instruction ignores the 13 low bits
/// of the mantissa of f32.
///
/// Code of one thread. A warpgroup has the sums of some rows of a tile; the sums of 64 rows and some columns
/// are a struct of columns / 2 numbers, which the PTX ISA assigns to rows and columns.
class WgmmaMatmul : public HopperCode {
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

  WgmmaMatmul(mlir::OpBuilder &b, mlir::Location loc, const TensorCoreTypes &types, int64_t rowsOfGroup,
              mlir::Value thread)
      : HopperCode(b, loc), types(types), rowsOfGroup(rowsOfGroup), group(divide(thread, warpgroupThreads)) {}

  /// Whether the instruction keeps fewer bits of the sums than f32 has: about 14 for 8-bit floats on Hopper
  /// (DeepSeek-AI 2024, "DeepSeek-V3 Technical Report", section 3.3.2). Then sums of a range of k are added
  /// to the others by addSums().
  bool losesBits() const;

  /// Zeros.
  Values start(int64_t columns) const;
  mlir::Value pack(mlir::ValueRange registers) const;
  Values registersOf(mlir::Value sums, int64_t columns) const;
  mlir::Value addSums(mlir::Value sums, mlir::Value others, int64_t columns) const;

  /// Before the first product, after sums or operands in registers were written.
  void begin() const;
  /// The sums plus the products of operands, or without `addsSums` only these, between begin() and end().
  Values multiply(const Operand &x, const Operand &y, mlir::ValueRange sums, int64_t columns,
                  bool addsSums) const;
  /// The same for 64 rows with x in registers, for each 32 bytes of k: four registers of two 16-bit floats.
  mlir::Value multiply(llvm::ArrayRef<Values> x, const Operand &y, mlir::Value sums) const;
  /// Waits for the products since begin().
  void end() const;

private:
  TensorCoreTypes types;
  int64_t rowsOfGroup;
  mlir::Value group;

  struct Form {
    bool isXTransposed = false, isYTransposed = false; ///< adjacent in memory: rows of x, columns of y
    bool addsSums = true;                              ///< false: the sums start with the product
  };

  /// The products of 32 bytes of k of two matrices in shared memory (matrixDescriptor).
  mlir::Value multiplyStep(mlir::Value x, mlir::Value y, mlir::Value sums, int64_t columns, Form form) const;
  mlir::Type sumsType(int64_t columns) const;
  mlir::Value descriptor(const Operand &operand, mlir::Value address) const;
};

} // namespace proa
