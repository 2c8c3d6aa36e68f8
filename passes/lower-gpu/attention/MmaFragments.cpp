#include "passes/lower-gpu/attention/MmaFragments.h"
#include "passes/lower-gpu/LaunchForm.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace proa {
namespace {

constexpr int64_t rowsOfWarp = 16, rowStep = 8, columnStep = 8;

/// The place of sum `i` of a register group: its row and column in the group.
constexpr std::pair<size_t, size_t> placeOf(size_t i) { return {i / 2, i % 2}; }

} // namespace

MmaFragments::MmaFragments(IRRewriter &b, Location loc, Value thread)
    : IndexCode(b, loc), warpRow(multiply(divide(thread, warpSize), rowsOfWarp)),
      lane(remainder(thread, warpSize)) {}

Value MmaFragments::rowOf(int64_t row) const {
  return add(add(warpRow, divide(lane, lanesOfRow)), row * rowStep);
}

Value MmaFragments::columnOf(int64_t column) const {
  return add(multiply(remainder(lane, lanesOfRow), 2), column / 2 * columnStep + column % 2);
}

SmallVector<Value> MmaFragments::byRows(ValueRange registers) {
  size_t columns = registers.size() / rows;
  SmallVector<Value> numbers(registers.size());
  for (auto [i, value] : llvm::enumerate(registers)) {
    auto [row, column] = placeOf(i % 4);
    numbers[row * columns + i / 4 * 2 + column] = value;
  }
  return numbers;
}

SmallVector<Value> MmaFragments::byRegisters(ValueRange numbers) {
  size_t columns = numbers.size() / rows;
  SmallVector<Value> registers(numbers.size());
  for (size_t i = 0; i < registers.size(); ++i) {
    auto [row, column] = placeOf(i % 4);
    registers[i] = numbers[row * columns + i / 4 * 2 + column];
  }
  return registers;
}

SmallVector<Value> MmaFragments::operand(ValueRange numbers, int64_t first, Type element) const {
  size_t columns = numbers.size() / rows, start = static_cast<size_t>(first) / lanesOfRow;
  SmallVector<Value> registers;
  for (size_t half = 0; half < 2; ++half)
    for (size_t row = 0; row < rows; ++row) {
      auto pair = numbers.slice(row * columns + start + half * 2, 2);
      Value wide = vector::FromElementsOp::create(b, loc, VectorType::get({2}, b.getF32Type()), pair);
      Value narrow = arith::TruncFOp::create(b, loc, VectorType::get({2}, element), wide);
      if (element.isBF16()) {
        narrow = vector::BitCastOp::create(b, loc, VectorType::get({1}, b.getI32Type()), narrow);
        narrow = vector::ExtractOp::create(b, loc, narrow, 0);
      }
      registers.push_back(narrow);
    }
  return registers;
}

} // namespace proa
