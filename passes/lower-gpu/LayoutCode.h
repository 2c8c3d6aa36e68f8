/// Indices of the elements that a thread holds, in generated code.
#pragma once

#include "lib/base/target/ThreadLayout.h"
#include "passes/lower-gpu/CodeBuilder.h"

namespace proa {

/// The sum over digits of a number, which follow each other from the first one on; null if none is of the
/// dim.
mlir::Value sumOfDigits(const CodeBuilder &code, llvm::ArrayRef<LayoutDigit> digits, mlir::Value value,
                        MatrixDim dim);

/// Creates code of one thread for a ThreadLayout.
class LayoutCode : public CodeBuilder {
public:
  /// `thread` is the number of the thread in the layout.
  LayoutCode(mlir::OpBuilder &b, mlir::Location loc, ThreadLayout layout, mlir::Value thread)
      : CodeBuilder(b, loc), layout(std::move(layout)), thread(thread) {}

  const ThreadLayout &threadLayout() const { return layout; }
  /// The index of row or column number `index` of the thread.
  mlir::Value indexOf(MatrixDim dim, int64_t index) const;
  /// The first row or column of the warp.
  mlir::Value firstOfWarp(MatrixDim dim) const;
  mlir::Value rowOf(int64_t row) const { return indexOf(MatrixDim::Row, row); }
  mlir::Value columnOf(int64_t column) const { return indexOf(MatrixDim::Column, column); }

  /// The elements of the thread by rows, from their order in registers, and back.
  Values byRows(mlir::ValueRange registers) const;
  Values byRegisters(mlir::ValueRange values) const;

private:
  ThreadLayout layout;
  mlir::Value thread;
};

} // namespace proa
