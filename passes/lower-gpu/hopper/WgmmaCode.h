/// Products of a warpgroup by wgmma, for the types of TensorCoreTypes. The instruction ignores the 13 low
/// bits of the mantissa of f32.
#pragma once

#include "passes/lower-gpu/ContractionForm.h"
#include "passes/lower-gpu/hopper/HopperCode.h"

namespace proa {

/// Code of one thread. The sums of 64 rows and some columns are a struct of columns / 2 numbers, which the
/// PTX ISA assigns to rows and columns.
class WgmmaCode : public CodeBuilder {
public:
  /// Rows and bytes of k of one instruction. Its sums are in registers as those of MmaCode.
  static constexpr int64_t m = wgmmaInstruction.rows, kBytes = wgmmaInstruction.kBits / 8;

  WgmmaCode(mlir::IRRewriter &b, mlir::Location loc, const TensorCoreTypes &types)
      : CodeBuilder(b, loc), types(types) {}

  struct Form {
    bool isXTransposed = false, isYTransposed = false; ///< adjacent elements are those of rows or columns
    bool addsSums = true;                              ///< false: the sums start with the product
  };

  /// Whether the instruction keeps fewer bits of the sums than f32 has: about 14 for 8-bit floats on Hopper
  /// (DeepSeek-AI 2024, "DeepSeek-V3 Technical Report", section 3.3.2). Then sums of a range of k are added
  /// to the others by addSums().
  bool losesBits() const;

  mlir::Type sumsType(int64_t columns) const;
  mlir::Value zeros(int64_t columns) const;
  mlir::Value pack(mlir::ValueRange registers) const;
  Values registersOf(mlir::Value sums, int64_t columns) const;

  mlir::Value addSums(mlir::Value sums, mlir::Value others, int64_t columns) const;

  /// Before the first product, after sums or operands in registers were written.
  void begin() const;
  /// The products of 32 bytes of k of two matrices in shared memory (HopperCode::matrixDescriptor).
  mlir::Value multiply(mlir::Value x, mlir::Value y, mlir::Value sums, int64_t columns, Form form) const;
  /// The same with x in four registers of two 16-bit floats each.
  mlir::Value multiplyRegisters(mlir::ValueRange x, mlir::Value y, mlir::Value sums, Form form) const;
  /// Waits for the products since begin().
  void end() const;

private:
  TensorCoreTypes types;
};

} // namespace proa
