#include "passes/lower-gpu/attention/AttentionFragments.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;

namespace proa {
namespace {

/// With `fma` 16 lanes share four rows.
constexpr int64_t fmaLanes = 16, fmaRows = 4;

/// `columns` of a row; each lane has `width` adjacent columns.
ThreadLayout fmaLayout(int64_t rows, int64_t columns, int64_t width) {
  return {{columnDigit(fmaLanes, width), rowDigit(rows / fmaRows, fmaRows)},
          {columnDigit(width, 1), columnDigit(columns / fmaLanes / width, fmaLanes * width),
           rowDigit(fmaRows, 1)}};
}

/// Warps follow each other along the rows.
ThreadLayout instructionLayout(int64_t rows, int64_t columns) {
  ThreadLayout warp = mmaInstruction.sums(columns);
  ThreadLayout::Digits threads = warp.threadDigits();
  threads.push_back(rowDigit(rows / mmaInstruction.rows, mmaInstruction.rows));
  return {threads, warp.elementDigits()};
}

ThreadLayout scoresLayout(const AttentionChoice &choice) {
  return choice.kind == MatmulKind::Fma ? fmaLayout(choice.rows(), choice.columns(), 1)
                                        : instructionLayout(choice.rows(), choice.columns());
}

} // namespace

AttentionFragments::AttentionFragments(OpBuilder &b, Location loc, const AttentionChoice &choice,
                                       Value thread)
    : CodeBuilder(b, loc), kind(choice.kind), rowsOfTile(choice.rows()), isByKeys(choice.isByKeys),
      thread(thread), scores(b, loc, scoresLayout(choice), thread) {}

ThreadLayout AttentionFragments::outputLayout(int64_t elements) const {
  constexpr int64_t elementsOfRead = 4; // from shared memory
  if (kind == MatmulKind::Fma)
    return fmaLayout(rowsOfTile, elements, std::gcd(elements / fmaLanes, elementsOfRead));
  return instructionLayout(rowsOfTile, elements);
}

AdjacentLanes AttentionFragments::lanesOfFourKeys() const {
  return scoreLayout().lanesOf(isByKeys ? MatrixDim::Row : MatrixDim::Column, 4);
}

AttentionFragments::Values AttentionFragments::operand(ValueRange values, int64_t first, Type element) const {
  // A lane has the same columns of sums and of an operand of 16 bits.
  constexpr int64_t rowDistance = 8; // of the rows of a lane
  ThreadLayout layout = mmaInstruction.x(/*elementBits=*/16);
  size_t columns = values.size() / static_cast<size_t>(rows()),
         start = static_cast<size_t>(first / lanesOfRow());
  Values registers;
  for (int64_t i = 0; i < layout.elements(); i += 2) {
    auto [row, column] = layout.positionOf({0, i});
    size_t ofRow = static_cast<size_t>(row / rowDistance) * columns,
           inRow = static_cast<size_t>(column / lanesOfRow());
    auto pair = values.slice(ofRow + start + inRow, 2);
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
