/// mma.sync and the loads of its operands from shared memory, for the types of TensorCoreTypes.
#pragma once

#include "passes/lower-gpu/CodeBuilder.h"
#include "passes/lower-gpu/ContractionForm.h"

namespace proa {

/// Code of one lane. The PTX ISA describes which elements of the matrices a lane holds.
class MmaCode : public CodeBuilder {
public:
  /// Rows and columns of one instruction, and its k for 16-bit floats.
  static constexpr int64_t m = mmaInstruction.rows, n = mmaInstruction.columns, k = mmaInstruction.k(16);
  /// The k of one instruction: 32 bytes of a row.
  static int64_t kOf(mlir::Type element) { return mmaInstruction.k(element.getIntOrFloatBitWidth()); }
  /// Sums of a lane.
  static constexpr int64_t sumsOfLane = m * n / mmaInstruction.threads;

  MmaCode(mlir::IRRewriter &b, mlir::Location loc, mlir::Value lane) : CodeBuilder(b, loc), lane(lane) {}

  /// An operand in shared memory: [outer][k], or [k][outer] with `kFirst`.
  struct Operand {
    mlir::Value memory;
    bool kFirst = false;
  };

  /// The registers of 16 rows from `row` on, and kOf() k from `inner` on.
  Values loadX(const Operand &x, mlir::Value row, mlir::Value inner) const;
  /// The registers of 16 columns from `column` on, two for each 8 columns, and kOf() k from `inner` on.
  Values loadY(const Operand &y, mlir::Value column, mlir::Value inner) const;
  /// Adds the products of four registers of x and two of y to the four sums from index `first` on. 8-bit
  /// floats are multiplied as f16, which is exact and possible on all chips.
  void multiply(mlir::ValueRange x, mlir::ValueRange y, Values &sums, size_t first,
                const TensorCoreTypes &types) const;

private:
  mlir::Value lane;

  Values loadMatrices(const Operand &operand, mlir::Value outer, mlir::Value inner) const;
  Values loadElements(const Operand &operand, mlir::Value outer, mlir::Value inner, bool isX) const;
  mlir::Value toRegister(mlir::Value pair) const;
  Values toHalves(mlir::Value register8, mlir::Type element) const;
  void addProduct(mlir::ValueRange x, mlir::ValueRange y, Values &sums, size_t first,
                  const TensorCoreTypes &types) const;
};

} // namespace proa
