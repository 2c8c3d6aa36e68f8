// The PTX ISA describes the matrices of wgmma in shared memory, and which sums a lane holds.
#include "passes/lower-gpu/hopper/WgmmaTile.h"
#include "passes/lower-gpu/LaunchForm.h"
#include "passes/lower-gpu/MmaCode.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace proa {
namespace {

constexpr int64_t warpsOfGroup = 4;
constexpr int64_t mostColumnsOfPass = 64;

} // namespace

WgmmaTile::WgmmaTile(IRRewriter &b, Location loc, linalg::LinalgOp op, ContractionChoice choice,
                     WgmmaOperand x, WgmmaOperand y, Value thread)
    : TileSums(b, loc, op, choice), x(x), y(y), code(b, loc),
      wgmma(b, loc, *TensorCoreTypes::of(op, /*allowsTf32=*/true)), group(divide(thread, warpgroupThreads)),
      warpInGroup(remainder(divide(thread, warpSize), warpsOfGroup)), lane(remainder(thread, warpSize)) {
  columnsOfPass = std::min(choice.n, mostColumnsOfPass);
  passes = choice.n / columnsOfPass;
  rowsOfPass = choice.m;
}

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

void WgmmaTile::store(int64_t pass, ValueRange sums, Value memory) {
  constexpr int64_t rowsOfWarp = 16, rowsOfHalf = 8, lanesOfRow = 4;
  for (auto [block, registers] : llvm::enumerate(sums)) {
    Value row = add(multiply(group, choice.warpM), static_cast<int64_t>(block) * WgmmaCode::m);
    row = add(add(row, multiply(warpInGroup, rowsOfWarp)), divide(lane, lanesOfRow));
    Value column = multiply(remainder(lane, lanesOfRow), 2);
    for (int64_t first = 0; first < columnsOfPass; first += MmaCode::n) {
      int64_t start = (pass * columnsOfPass + first) / MmaCode::n * MmaCode::sumsOfLane;
      Values own;
      for (int64_t i = 0; i < MmaCode::sumsOfLane; ++i)
        own.push_back(LLVM::ExtractValueOp::create(b, loc, registers, start + i));
      storeAdjacent(ValueRange(own).take_front(2), memory, {row, add(column, first)});
      storeAdjacent(ValueRange(own).drop_front(2), memory, {add(row, rowsOfHalf), add(column, first)});
    }
  }
}

} // namespace proa
