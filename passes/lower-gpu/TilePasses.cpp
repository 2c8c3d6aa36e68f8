#include "passes/lower-gpu/TilePasses.h"

using namespace mlir;

namespace proa {

/// The digits of a dim in a pass, by ascending stride.
static SmallVector<LayoutDigit> digitsOf(const ThreadLayout &layout, MatrixDim dim,
                                         function_ref<bool(const LayoutDigit &)> isDropped) {
  SmallVector<LayoutDigit> own;
  for (const LayoutDigit &digit : layout.threadDigits())
    if (digit.dim == dim)
      own.push_back(digit);
  for (const LayoutDigit &digit : layout.elementDigits())
    if (digit.dim == dim && !isDropped(digit))
      own.push_back(digit);
  llvm::sort(own, [](const LayoutDigit &a, const LayoutDigit &b) { return a.stride < b.stride; });
  return own;
}

TilePasses::TilePasses(const ThreadLayout &whole, ThreadLayout::Digits given)
    : whole(whole), digits(std::move(given)) {
  auto isDropped = [&](const LayoutDigit &digit) { return isOfPass(digit); };
  auto compact = [&](LayoutDigit digit) {
    int64_t stride = 1;
    for (const LayoutDigit &other : digitsOf(whole, digit.dim, isDropped))
      if (other.stride < digit.stride)
        stride *= other.count;
    digit.stride = stride;
    return digit;
  };
  ThreadLayout::Digits threads, elements;
  for (const LayoutDigit &digit : whole.threadDigits())
    threads.push_back(compact(digit));
  for (const LayoutDigit &digit : whole.elementDigits())
    if (!isOfPass(digit))
      elements.push_back(compact(digit));
  ofPass = ThreadLayout(std::move(threads), std::move(elements));
}

int64_t TilePasses::count() const { return whole.elements() / ofPass.elements(); }

int64_t TilePasses::elementOf(int64_t pass, int64_t element) const {
  int64_t number = 0, unit = 1;
  for (const LayoutDigit &digit : whole.elementDigits()) {
    int64_t &from = isOfPass(digit) ? pass : element;
    number += from % digit.count * unit;
    from /= digit.count;
    unit *= digit.count;
  }
  return number;
}

Value TilePasses::indexInTile(const IndexCode &code, MatrixDim dim, int64_t pass, Value index) const {
  // Digits that follow each other in the tile as in the pass are one.
  SmallVector<LayoutDigit> runs;
  for (const LayoutDigit &digit : digitsOf(whole, dim, [&](const LayoutDigit &d) { return isOfPass(d); })) {
    if (!runs.empty() && runs.back().stride * runs.back().count == digit.stride)
      runs.back().count *= digit.count;
    else
      runs.push_back(digit);
  }
  Value sum;
  int64_t unit = 1;
  for (auto [i, run] : llvm::enumerate(runs)) {
    Value own = code.divide(index, unit);
    if (i + 1 < runs.size())
      own = code.remainder(own, run.count);
    own = code.multiply(own, run.stride);
    sum = sum ? code.add(own, sum) : own;
    unit *= run.count;
  }
  ThreadLayout::Position first = whole.positionOf({0, elementOf(pass, 0)});
  int64_t offset = dim == MatrixDim::Row ? first.row : first.column;
  return sum ? code.add(sum, offset) : code.constant(offset);
}

} // namespace proa
