#include "passes/lower-gpu/LayoutCode.h"
#include "passes/lower-gpu/LaunchForm.h"

using namespace mlir;

namespace proa {

/// The number of leading digits that write the lane in a warp; 0 if none do.
static size_t digitsOfLanes(const ThreadLayout::Digits &digits) {
  int64_t threads = 1;
  for (auto [i, digit] : llvm::enumerate(digits))
    if ((threads *= digit.count) == warpSize)
      return i + 1;
  return 0;
}

Value sumOfDigits(const CodeBuilder &code, ArrayRef<LayoutDigit> digits, Value value, MatrixDim dim) {
  Value sum;
  int64_t unit = 1;
  for (auto [i, digit] : llvm::enumerate(digits)) {
    Value own = code.divide(value, unit);
    unit *= digit.count;
    if (digit.dim != dim)
      continue;
    if (i + 1 < digits.size()) // there are no larger numbers
      own = code.remainder(own, digit.count);
    own = code.multiply(own, digit.stride);
    sum = sum ? code.add(own, sum) : own;
  }
  return sum;
}

Value LayoutCode::indexOf(MatrixDim dim, int64_t index) const {
  ArrayRef<LayoutDigit> digits = layout.threadDigits();
  size_t lanes = digitsOfLanes(layout.threadDigits());
  Value sum;
  if (lanes > 0 && lanes < digits.size()) {
    Value ofLane = sumOfDigits(*this, digits.take_front(lanes), remainder(thread, warpSize), dim);
    sum = sumOfDigits(*this, digits.drop_front(lanes), divide(thread, warpSize), dim);
    sum = sum && ofLane ? add(sum, ofLane) : sum ? sum : ofLane;
  } else {
    sum = sumOfDigits(*this, digits, thread, dim);
  }
  int64_t offset = layout.offsetOf(dim, index);
  return sum ? add(sum, offset) : constant(offset);
}

Value LayoutCode::firstOfWarp(MatrixDim dim) const {
  size_t lanes = digitsOfLanes(layout.threadDigits());
  Value sum =
      sumOfDigits(*this, ArrayRef(layout.threadDigits()).drop_front(lanes), divide(thread, warpSize), dim);
  return sum ? sum : constant(0);
}

LayoutCode::Values LayoutCode::byRows(ValueRange registers) const {
  Values values;
  for (int64_t row = 0; row < layout.sizeOfThread(MatrixDim::Row); ++row)
    for (int64_t column = 0; column < layout.sizeOfThread(MatrixDim::Column); ++column)
      values.push_back(registers[static_cast<size_t>(layout.elementAt(row, column))]);
  return values;
}

LayoutCode::Values LayoutCode::byRegisters(ValueRange values) const {
  Values registers(values.size());
  int64_t columns = layout.sizeOfThread(MatrixDim::Column);
  for (auto [i, position] : llvm::enumerate(values)) {
    auto index = static_cast<int64_t>(i);
    registers[static_cast<size_t>(layout.elementAt(index / columns, index % columns))] = position;
  }
  return registers;
}

} // namespace proa
