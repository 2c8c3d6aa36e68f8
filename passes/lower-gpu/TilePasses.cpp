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

/// Each thread has groups of 4 rows and 4 columns, between which the groups of other threads lie. So lanes
/// side by side read adjacent groups. A pass has one row of each thread.
static TilePasses passesOfFma(const ContractionChoice &choice) {
  constexpr int64_t group = fmaInstruction.rows;
  int64_t threadsOfM = choice.m / choice.warpM, threadsOfN = choice.n / choice.warpN;
  ThreadLayout::Digits rows{rowDigit(group, 1), rowDigit(choice.warpM / group, threadsOfM * group)};
  ThreadLayout::Digits elements{columnDigit(group, 1), columnDigit(choice.warpN / group, threadsOfN * group)};
  llvm::append_range(elements, rows);
  return {{{columnDigit(threadsOfN, group), rowDigit(threadsOfM, group)}, std::move(elements)}, rows};
}

/// Instructions follow each other along the columns of a pass, then the passes, and warps or warpgroups along
/// the columns and rows of the block.
static TilePasses passesOfInstruction(const ContractionChoice &choice, const MatrixInstruction &instruction,
                                      int64_t columnsOfPass, MatrixDim dimOfPass) {
  ThreadLayout pass = instruction.sums(columnsOfPass);
  ThreadLayout::Digits threads = pass.threadDigits(), elements = pass.elementDigits();
  threads.push_back(columnDigit(choice.n / choice.warpN, choice.warpN));
  threads.push_back(rowDigit(choice.m / choice.warpM, choice.warpM));
  LayoutDigit columns = columnDigit(choice.warpN / columnsOfPass, columnsOfPass),
              rows = rowDigit(choice.warpM / instruction.rows, instruction.rows);
  llvm::append_range(elements, ArrayRef{columns, rows});
  return {{std::move(threads), std::move(elements)}, {dimOfPass == MatrixDim::Row ? rows : columns}};
}

TilePasses TilePasses::of(const ContractionChoice &choice) {
  constexpr int64_t mostColumns = 64; // of all rows
  switch (choice.kind) {
  case MatmulKind::Fma:
    return passesOfFma(choice);
  case MatmulKind::Mma:
    return passesOfInstruction(choice, mmaInstruction, choice.warpN, MatrixDim::Row);
  case MatmulKind::Wgmma:
    return passesOfInstruction(choice, wgmmaInstruction, std::min(choice.n, mostColumns), MatrixDim::Column);
  }
  llvm_unreachable("a kind without passes");
}

int64_t TilePasses::count() const { return whole.elements() / ofPass.elements(); }

int64_t TilePasses::elementOf(int64_t pass, int64_t element) const {
  int64_t index = 0, unit = 1;
  for (const LayoutDigit &digit : whole.elementDigits()) {
    int64_t &from = isOfPass(digit) ? pass : element;
    index += from % digit.count * unit;
    from /= digit.count;
    unit *= digit.count;
  }
  return index;
}

Value TilePasses::indexInTile(const CodeBuilder &code, MatrixDim dim, int64_t pass, Value index) const {
  // Digits that follow each other in the tile as in the pass are one.
  SmallVector<LayoutDigit> runs;
  for (const LayoutDigit &digit : digitsOf(whole, dim, [&](const LayoutDigit &d) { return isOfPass(d); })) {
    if (!runs.empty() && runs.back().stride * runs.back().count == digit.stride)
      runs.back().count *= digit.count;
    else
      runs.push_back(digit);
  }
  Value sum = sumOfDigits(code, runs, index, dim);
  ThreadLayout::Position first = whole.positionOf({0, elementOf(pass, 0)});
  int64_t offset = dim == MatrixDim::Row ? first.row : first.column;
  return sum ? code.add(sum, offset) : code.constant(offset);
}

} // namespace proa
