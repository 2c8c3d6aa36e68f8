// The PTX ISA describes the matrices of wgmma in shared memory, and which sums a lane holds.
#include "passes/lower-gpu/hopper/WgmmaTile.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace proa {
/// A pass has these columns of all rows.
static int64_t columnsOfWgmmaPass(const ContractionChoice &choice) {
  constexpr int64_t most = 64;
  return std::min(choice.n, most);
}

/// The columns of passes follow each other, then the instructions of a warpgroup along the rows.
static ThreadLayout wgmmaTileLayout(const ContractionChoice &choice) {
  int64_t columns = columnsOfWgmmaPass(choice);
  ThreadLayout instruction = wgmmaInstruction.sums(columns);
  ThreadLayout::Digits threads = instruction.threadDigits(), elements = instruction.elementDigits();
  threads.push_back(rowDigit(choice.m / choice.warpM, choice.warpM));
  elements.push_back(columnDigit(choice.n / columns, columns));
  elements.push_back(rowDigit(choice.warpM / WgmmaCode::m, WgmmaCode::m));
  return {std::move(threads), std::move(elements)};
}

WgmmaTile::WgmmaTile(IRRewriter &b, Location loc, linalg::LinalgOp op, ContractionChoice choice,
                     WgmmaOperand x, WgmmaOperand y, Value thread)
    : TileSums(b, loc, op, choice, wgmmaTileLayout(choice),
               {columnDigit(choice.n / columnsOfWgmmaPass(choice), columnsOfWgmmaPass(choice))}, thread),
      x(x), y(y), code(b, loc), wgmma(b, loc, *TensorCoreTypes::of(op, /*allowsTf32=*/true)),
      group(divide(thread, warpgroupThreads)) {}

/// Instructions for the rows of a warpgroup.
int64_t WgmmaTile::blocks() const { return choice.warpM / WgmmaCode::m; }

TileSums::Values WgmmaTile::start() { return Values(static_cast<size_t>(blocks()), wgmma.zeros(choice.n)); }

TileSums::Values WgmmaTile::accumulate(Value xAddress, Value yAddress, ValueRange sums) {
  bool addsLater = wgmma.losesBits();
  Values next = addsLater ? start() : Values(sums);
  wgmma.begin();
  int64_t k = WgmmaCode::kBytes / x.elementBytes();
  WgmmaCode::Form form{.isXTransposed = !x.alongK, .isYTransposed = !y.alongK};
  Value rows = add(xAddress, multiply(group, choice.warpM * swizzleBytes));
  Value xStart = code.matrixDescriptor(rows, x.boxBytes(), patternBytes),
        yStart = code.matrixDescriptor(yAddress, y.boxBytes(), patternBytes);
  for (int64_t step = 0; step < swizzleBytes / WgmmaCode::kBytes; ++step) {
    auto offsetOf = [&](const WgmmaOperand &operand) {
      return operand.alongK ? step * WgmmaCode::kBytes : step * k * swizzleBytes;
    };
    Value ofY = code.advance(yStart, offsetOf(y));
    for (int64_t block = 0; block < blocks(); ++block) {
      Value ofX = code.advance(xStart, offsetOf(x) + block * WgmmaCode::m * swizzleBytes);
      Value &own = next[static_cast<size_t>(block)];
      form.addsSums = !addsLater || step > 0;
      own = wgmma.multiply(ofX, ofY, own, choice.n, form);
    }
  }
  wgmma.end();
  if (addsLater)
    for (auto [part, own] : llvm::zip_equal(next, sums))
      part = wgmma.add(own, part, choice.n);
  return next;
}

Value WgmmaTile::sumAt(ValueRange sums, int64_t element) const {
  int64_t ofBlock = layout.threadLayout().elements() / blocks();
  return LLVM::ExtractValueOp::create(b, loc, sums[static_cast<size_t>(element / ofBlock)],
                                      element % ofBlock);
}

} // namespace proa
