// The PTX ISA describes the matrices of wgmma in shared memory.
#include "passes/lower-gpu/hopper/WgmmaMatmul.h"

#include "dialects/rt/Wgmma.h"
#include "passes/kernels/NarrowFloats.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace proa {

/// Rows and bytes of k of one instruction.
static constexpr int64_t rowsOfStep = wgmmaInstruction.rows, bytesOfStep = wgmmaInstruction.kBits / 8;

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
  return matrixDescriptor(address, operand.alongK ? 0 : operand.tile.blockBytes(), patternBytes);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

Type WgmmaMatmul::sumsType(int64_t columns) const {
  SmallVector<Type> registers(static_cast<size_t>(columns / 2), types.sum());
  return LLVM::LLVMStructType::getLiteral(b.getContext(), registers);
}

WgmmaMatmul::Values WgmmaMatmul::start(int64_t columns) const {
  Value zeros = LLVM::ZeroOp::create(b, loc, sumsType(columns));
  return Values(static_cast<size_t>(rowsOfGroup / rowsOfStep), zeros);
}

Value WgmmaMatmul::pack(ValueRange registers) const {
  Value packed = LLVM::UndefOp::create(b, loc, sumsType(2 * static_cast<int64_t>(registers.size())));
  for (auto [i, value] : llvm::enumerate(registers))
    packed = LLVM::InsertValueOp::create(b, loc, packed, value, static_cast<int64_t>(i));
  return packed;
}

WgmmaMatmul::Values WgmmaMatmul::registersOf(Value sums, int64_t columns) const {
  Values registers;
  for (int64_t i = 0; i < columns / 2; ++i)
    registers.push_back(LLVM::ExtractValueOp::create(b, loc, sums, i));
  return registers;
}

bool WgmmaMatmul::losesBits() const { return isFloat8(types.element); }

Value WgmmaMatmul::addSums(Value sums, Value others, int64_t columns) const {
  Values registers = registersOf(sums, columns);
  for (auto [own, other] : llvm::zip_equal(registers, registersOf(others, columns)))
    own = arith::AddFOp::create(b, loc, own, other);
  return pack(registers);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void WgmmaMatmul::begin() const { NVVM::WgmmaFenceAlignedOp::create(b, loc); }

static NVVM::WGMMATypes wgmmaTypeOf(MatrixElement element) {
  return *NVVM::symbolizeWGMMATypes(ptxName(element));
}

Value WgmmaMatmul::multiplyStep(Value x, Value y, Value sums, int64_t columns, Form form) const {
  auto shape =
      NVVM::MMAShapeAttr::get(b.getContext(), static_cast<int>(rowsOfStep), static_cast<int>(columns),
                              static_cast<int>(wgmmaInstruction.k(types.element.getIntOrFloatBitWidth())));
  auto layout = [](bool isRow) { return isRow ? NVVM::MMALayout::row : NVVM::MMALayout::col; };
  return NVVM::WgmmaMmaAsyncOp::create(
      b, loc, sums.getType(), sums, x, y, shape, wgmmaTypeOf(types.xElement()), wgmmaTypeOf(types.yElement()),
      types.sum().isF32() ? NVVM::WGMMATypes::f32 : NVVM::WGMMATypes::s32,
      form.addsSums ? NVVM::WGMMAScaleOut::one : NVVM::WGMMAScaleOut::zero, NVVM::WGMMAScaleIn::one,
      NVVM::WGMMAScaleIn::one, layout(!form.isXTransposed), layout(form.isYTransposed),
      NVVM::MMAIntOverflowAttr());
}

WgmmaMatmul::Values WgmmaMatmul::multiply(const Operand &x, const Operand &y, ValueRange sums,
                                          int64_t columns, bool addsSums) const {
  Values next(sums);
  int64_t step = bytesOfStep / x.tile.elementBytes();
  Form form{.isXTransposed = !x.alongK, .isYTransposed = !y.alongK};
  Value xStart = descriptor(x, add(x.address, CodeBuilder::multiply(group, x.offsetOf(rowsOfGroup, 0)))),
        yStart = descriptor(y, y.address);
  for (int64_t k = 0; k < x.k(); k += step) {
    Value ofY = advance(yStart, y.offsetOf(0, k));
    for (auto [block, own] : llvm::enumerate(next)) {
      Value ofX = advance(xStart, x.offsetOf(static_cast<int64_t>(block) * rowsOfStep, k));
      form.addsSums = addsSums || k > 0;
      own = multiplyStep(ofX, ofY, own, columns, form);
    }
  }
  return next;
}

Value WgmmaMatmul::multiply(ArrayRef<Values> x, const Operand &y, Value sums) const {
  int64_t step = bytesOfStep / y.tile.elementBytes();
  Value start = descriptor(y, y.address);
  for (auto [i, own] : llvm::enumerate(x)) {
    Value ofY = advance(start, y.offsetOf(0, static_cast<int64_t>(i) * step));
    Values registers = llvm::map_to_vector(own, [&](Value pair) -> Value {
      return pair.getType().isInteger(32) ? pair : LLVM::BitcastOp::create(b, loc, b.getI32Type(), pair);
    });
    sums = rt::WgmmaOp::create(b, loc, sums.getType(), types.element, registers, ofY, sums, !y.alongK);
  }
  return sums;
}

void WgmmaMatmul::end() const {
  NVVM::WgmmaGroupSyncAlignedOp::create(b, loc);
  NVVM::WgmmaWaitGroupSyncOp::create(b, loc, /*group=*/0);
}

} // namespace proa
