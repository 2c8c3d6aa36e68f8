#include "passes/lower-gpu/MmaCode.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace proa {

/// Four matrices of 8x8 elements. Lane l has the address of line l % 8 of matrix l / 8.
MmaCode::Values MmaCode::loadMatrices(const Operand &operand, Value outer, Value inner) const {
  Type element = getElementTypeOrSelf(operand.memory.getType());
  auto type = VectorType::get({4, 2}, element);
  Value indices[] = {operand.kFirst ? inner : outer, operand.kFirst ? outer : inner};
  Value loaded = nvgpu::LdMatrixOp::create(b, loc, type, operand.memory, indices,
                                           b.getBoolAttr(operand.kFirst), b.getI32IntegerAttr(4));
  Values registers;
  for (int64_t i = 0; i < 4; ++i) {
    Value pair = vector::ExtractOp::create(b, loc, loaded, i);
    if (element.isBF16()) {
      Value bits = vector::BitCastOp::create(b, loc, VectorType::get({1}, b.getI32Type()), pair);
      pair = vector::ExtractOp::create(b, loc, bits, 0);
    }
    registers.push_back(pair);
  }
  return registers;
}

/// Rows row, row + 8 and k, k + 8: the matrices in the order (0, 0), (8, 0), (0, 8), (8, 8).
MmaCode::Values MmaCode::loadX(const Operand &x, Value row, Value inner) const {
  Value line = remainder(lane, 8), lower = IndexCode::multiply(remainder(divide(lane, 8), 2), 8);
  Value right = IndexCode::multiply(divide(lane, 16), 8);
  Value outer = add(row, lower), column = add(right, inner);
  return loadMatrices(x, x.kFirst ? outer : add(outer, line), x.kFirst ? add(column, line) : column);
}

/// Columns column, column + 8 and k, k + 8: the matrices in the order (0, 0), (0, 8), (8, 0), (8, 8).
MmaCode::Values MmaCode::loadY(const Operand &y, Value column, Value inner) const {
  Value line = remainder(lane, 8), lower = IndexCode::multiply(remainder(divide(lane, 8), 2), 8);
  Value right = IndexCode::multiply(divide(lane, 16), 8);
  Value outer = add(column, right), depth = add(lower, inner);
  return loadMatrices(y, y.kFirst ? outer : add(outer, line), y.kFirst ? add(depth, line) : depth);
}

void MmaCode::multiply(ValueRange x, ValueRange y, Values &sums, size_t first, Type element) const {
  NVVM::MMATypes type = element.isBF16() ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
  Type f32 = b.getF32Type();
  Type result = LLVM::LLVMStructType::getLiteral(b.getContext(), {f32, f32, f32, f32});
  Value product =
      NVVM::MmaOp::create(b, loc, result, x, y, ValueRange(sums).slice(first, sumsOfLane),
                          ArrayRef<int64_t>{m, n, k}, std::nullopt, std::nullopt, std::array{type, type},
                          std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  for (int64_t i = 0; i < sumsOfLane; ++i)
    sums[first + static_cast<size_t>(i)] = LLVM::ExtractValueOp::create(b, loc, product, i);
}

} // namespace proa
