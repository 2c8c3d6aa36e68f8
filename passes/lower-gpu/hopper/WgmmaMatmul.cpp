// The PTX ISA describes the matrices of wgmma in shared memory.
#include "passes/lower-gpu/hopper/WgmmaMatmul.h"

using namespace mlir;

namespace proa {

void MappedTile::addMap(func::FuncOp kernel) {
  SmallVector<int64_t> box(view.sizes.size(), 1);
  box[lineDim] = shared.lines;
  box[elementDim] = shared.lineElements();
  map = view.addTensorMap(kernel, box, swizzleBytes);
}

void MappedTile::copy(const HopperCode &code, ValueRange coordinates, Value target, Value barrier) const {
  for (int64_t block = 0; block < shared.blocks(); ++block) {
    SmallVector<Value> own(coordinates);
    own[elementDim] = code.add(own[elementDim], block * shared.lineElements());
    code.copyBox(code.add(target, block * shared.blockBytes()), map, own, barrier);
  }
}

int64_t WgmmaMatmul::Operand::offsetOf(int64_t outer, int64_t inK) const {
  int64_t line = alongK ? outer : inK, element = alongK ? inK : outer;
  return element / tile.lineElements() * tile.blockBytes() + line * swizzleBytes +
         element % tile.lineElements() * tile.elementBytes();
}

/// Blocks follow each other along k where lines are along k, and along the rows or columns otherwise, which
/// only the latter matrices need.
Value WgmmaMatmul::descriptor(const Operand &operand, Value address) const {
  return code.matrixDescriptor(address, operand.alongK ? 0 : operand.tile.blockBytes(), patternBytes);
}

WgmmaMatmul::Values WgmmaMatmul::multiply(const Operand &x, const Operand &y, ValueRange sums,
                                          int64_t columns, bool addsSums) const {
  Values next(sums);
  int64_t step = kBytes / x.tile.elementBytes();
  Form form{.isXTransposed = !x.alongK, .isYTransposed = !y.alongK};
  Value xStart = descriptor(x, add(x.address, CodeBuilder::multiply(group, x.offsetOf(rowsOfGroup, 0)))),
        yStart = descriptor(y, y.address);
  for (int64_t k = 0; k < x.k(); k += step) {
    Value ofY = code.advance(yStart, y.offsetOf(0, k));
    for (auto [block, own] : llvm::enumerate(next)) {
      Value ofX = code.advance(xStart, x.offsetOf(static_cast<int64_t>(block) * m, k));
      form.addsSums = addsSums || k > 0;
      own = WgmmaCode::multiply(ofX, ofY, own, columns, form);
    }
  }
  return next;
}

Value WgmmaMatmul::multiply(ArrayRef<Values> x, const Operand &y, Value sums) const {
  int64_t step = kBytes / y.tile.elementBytes();
  Value start = descriptor(y, y.address);
  for (auto [i, registers] : llvm::enumerate(x))
    sums = multiplyRegisters(registers, code.advance(start, y.offsetOf(0, static_cast<int64_t>(i) * step)),
                             sums, {.isYTransposed = !y.alongK});
  return sums;
}

} // namespace proa
