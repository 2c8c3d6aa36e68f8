#include "passes/lower-gpu/hopper/WgmmaCode.h"

#include "dialects/rt/Wgmma.h"
#include "passes/kernels/NarrowFloats.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace proa {
Type WgmmaCode::sumsType(int64_t columns) const {
  SmallVector<Type> registers(static_cast<size_t>(columns / 2), types.sum());
  return LLVM::LLVMStructType::getLiteral(b.getContext(), registers);
}

Value WgmmaCode::zeros(int64_t columns) const { return LLVM::ZeroOp::create(b, loc, sumsType(columns)); }

Value WgmmaCode::pack(ValueRange registers) const {
  Value packed = LLVM::UndefOp::create(b, loc, sumsType(2 * static_cast<int64_t>(registers.size())));
  for (auto [i, value] : llvm::enumerate(registers))
    packed = LLVM::InsertValueOp::create(b, loc, packed, value, static_cast<int64_t>(i));
  return packed;
}

WgmmaCode::Values WgmmaCode::registersOf(Value sums, int64_t columns) const {
  Values registers;
  for (int64_t i = 0; i < columns / 2; ++i)
    registers.push_back(LLVM::ExtractValueOp::create(b, loc, sums, i));
  return registers;
}

bool WgmmaCode::losesBits() const { return isFloat8(types.element); }

Value WgmmaCode::addSums(Value sums, Value others, int64_t columns) const {
  Values registers = registersOf(sums, columns);
  for (auto [own, other] : llvm::zip_equal(registers, registersOf(others, columns)))
    own = arith::AddFOp::create(b, loc, own, other);
  return pack(registers);
}

void WgmmaCode::begin() const { NVVM::WgmmaFenceAlignedOp::create(b, loc); }

static NVVM::WGMMATypes wgmmaTypeOf(MatrixElement element) {
  return *NVVM::symbolizeWGMMATypes(ptxName(element));
}

Value WgmmaCode::multiply(Value x, Value y, Value sums, int64_t columns, Form form) const {
  auto shape =
      NVVM::MMAShapeAttr::get(b.getContext(), static_cast<int>(m), static_cast<int>(columns),
                              static_cast<int>(wgmmaInstruction.k(types.element.getIntOrFloatBitWidth())));
  auto layout = [](bool isRow) { return isRow ? NVVM::MMALayout::row : NVVM::MMALayout::col; };
  return NVVM::WgmmaMmaAsyncOp::create(
      b, loc, sums.getType(), sums, x, y, shape, wgmmaTypeOf(types.xElement()), wgmmaTypeOf(types.yElement()),
      types.sum().isF32() ? NVVM::WGMMATypes::f32 : NVVM::WGMMATypes::s32,
      form.addsSums ? NVVM::WGMMAScaleOut::one : NVVM::WGMMAScaleOut::zero, NVVM::WGMMAScaleIn::one,
      NVVM::WGMMAScaleIn::one, layout(!form.isXTransposed), layout(form.isYTransposed),
      NVVM::MMAIntOverflowAttr());
}

Value WgmmaCode::multiplyRegisters(ValueRange x, Value y, Value sums, Form form) const {
  Values registers;
  for (Value pair : x)
    registers.push_back(pair.getType().isInteger(32) ? pair
                                                     : LLVM::BitcastOp::create(b, loc, b.getI32Type(), pair));
  return rt::WgmmaOp::create(b, loc, sums.getType(), types.element, registers, y, sums, form.isYTransposed);
}

void WgmmaCode::end() const {
  NVVM::WgmmaGroupSyncAlignedOp::create(b, loc);
  NVVM::WgmmaWaitGroupSyncOp::create(b, loc, /*group=*/0);
}

} // namespace proa
