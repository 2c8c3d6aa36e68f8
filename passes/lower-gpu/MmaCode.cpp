#include "passes/lower-gpu/MmaCode.h"
#include "passes/kernels/NarrowFloats.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace proa {

/// The elements of 32 bits as a register of the instruction: f32 is rounded to TF32.
Value MmaCode::toRegister(Value elements) const {
  Type element = getElementTypeOrSelf(elements.getType());
  if (element.isF32()) {
    if (isa<VectorType>(elements.getType()))
      elements = vector::ExtractOp::create(b, loc, elements, 0);
    return NVVM::ConvertFloatToTF32Op::create(b, loc, b.getI32Type(), elements, NVVM::FPRoundingMode::RNA);
  }
  if (element.isF16())
    return elements;
  Value bits = vector::BitCastOp::create(b, loc, VectorType::get({1}, b.getI32Type()), elements);
  return vector::ExtractOp::create(b, loc, bits, 0);
}

/// Four matrices of 8 lines of 16 bytes. Lane l has the address of line l % 8 of matrix l / 8.
MmaCode::Values MmaCode::loadMatrices(const Operand &operand, Value outer, Value inner) const {
  Type element = getElementTypeOrSelf(operand.memory.getType());
  auto type = VectorType::get({4, 32 / element.getIntOrFloatBitWidth()}, element);
  Value indices[] = {operand.kFirst ? inner : outer, operand.kFirst ? outer : inner};
  Value loaded = nvgpu::LdMatrixOp::create(b, loc, type, operand.memory, indices,
                                           b.getBoolAttr(operand.kFirst), b.getI32IntegerAttr(4));
  Values registers;
  for (int64_t i = 0; i < 4; ++i)
    registers.push_back(toRegister(vector::ExtractOp::create(b, loc, loaded, i)));
  return registers;
}

/// The same registers of f32 that are not adjacent along k, which ldmatrix cannot transpose:
/// lane l has line l / 4 and k l % 4 of each matrix.
MmaCode::Values MmaCode::loadElements(const Operand &operand, Value outer, Value inner, bool isX) const {
  constexpr int64_t lines = 8, depth = 4;
  Value line = add(outer, divide(lane, depth)), k = add(inner, remainder(lane, depth));
  Values registers;
  for (int64_t i = 0; i < 4; ++i) {
    int64_t ofLine = isX ? i % 2 : i / 2, ofK = isX ? i / 2 : i % 2;
    Value element = memref::LoadOp::create(b, loc, operand.memory,
                                           ValueRange{add(k, ofK * depth), add(line, ofLine * lines)});
    registers.push_back(toRegister(element));
  }
  return registers;
}

/// Whether ldmatrix can load the operand.
static bool isLoadedByMatrix(const MmaCode::Operand &operand) {
  return !operand.kFirst || cast<MemRefType>(operand.memory.getType()).getElementTypeBitWidth() == 16;
}

/// Rows row, row + 8 and both halves of k: the matrices in the order (0, 0), (8, 0), (0, k / 2), (8, k / 2).
MmaCode::Values MmaCode::loadX(const Operand &x, Value row, Value inner) const {
  if (!isLoadedByMatrix(x))
    return loadElements(x, row, inner, /*isX=*/true);
  int64_t half = kOf(getElementTypeOrSelf(x.memory.getType())) / 2;
  Value line = remainder(lane, 8), lower = CodeBuilder::multiply(remainder(divide(lane, 8), 2), 8);
  Value right = CodeBuilder::multiply(divide(lane, 16), half);
  Value outer = add(row, lower), column = add(right, inner);
  return loadMatrices(x, x.kFirst ? outer : add(outer, line), x.kFirst ? add(column, line) : column);
}

/// Columns column, column + 8 and both halves of k: the matrices in the order (0, 0), (0, k / 2), (8, 0), (8,
/// k / 2).
MmaCode::Values MmaCode::loadY(const Operand &y, Value column, Value inner) const {
  if (!isLoadedByMatrix(y))
    return loadElements(y, column, inner, /*isX=*/false);
  int64_t half = kOf(getElementTypeOrSelf(y.memory.getType())) / 2;
  Value line = remainder(lane, 8), lower = CodeBuilder::multiply(remainder(divide(lane, 8), 2), half);
  Value right = CodeBuilder::multiply(divide(lane, 16), 8);
  Value outer = add(column, right), depth = add(lower, inner);
  return loadMatrices(y, y.kFirst ? outer : add(outer, line), y.kFirst ? add(depth, line) : depth);
}

static NVVM::MMATypes mmaTypeOf(MatrixElement element) { return *NVVM::symbolizeMMATypes(ptxName(element)); }

/// Four 8-bit floats as two registers of two f16. Any assignment of the elements to the k of the instruction
/// will do, as long as the other operand has it too.
MmaCode::Values MmaCode::toHalves(Value register8, Type element) const {
  Type halves = VectorType::get({2}, b.getF16Type());
  auto bitAnd = [&](Value value, uint32_t mask) -> Value {
    return arith::AndIOp::create(b, loc, value, i32(mask));
  };
  auto bitOr = [&](Value p, Value q) -> Value { return arith::OrIOp::create(b, loc, p, q); };
  auto left = [&](Value value, uint32_t positions) -> Value {
    return arith::ShLIOp::create(b, loc, value, i32(positions));
  };
  auto right = [&](Value value, uint32_t positions) -> Value {
    return arith::ShRUIOp::create(b, loc, value, i32(positions));
  };
  auto asHalves = [&](Value bits) -> Value { return LLVM::BitcastOp::create(b, loc, halves, bits); };
  Values pairs{bitOr(bitAnd(left(register8, 8), 0xff00), bitAnd(left(register8, 16), 0xff000000)),
               bitOr(bitAnd(right(register8, 8), 0xff00), bitAnd(register8, 0xff000000))};
  for (Value &pair : pairs) {
    if (isa<Float8E5M2Type>(element)) { // the upper byte of an f16
      pair = asHalves(pair);
      continue;
    }
    // E4M3: the exponent has one bit less, and its bias is less by 8. All ones without the sign are a NaN.
    Value magnitude = bitAnd(pair, 0x7f007f00), sign = bitAnd(pair, 0x80008000);
    Value scale = arith::ConstantOp::create(
        b, loc, SplatElementsAttr::get(cast<ShapedType>(halves), b.getF16FloatAttr(256)));
    Value scaled = arith::MulFOp::create(b, loc, asHalves(bitOr(right(magnitude, 1), sign)), scale);
    Value carry = bitAnd(arith::AddIOp::create(b, loc, magnitude, i32(0x01000100)), 0x80008000);
    Value nan = arith::SubIOp::create(b, loc, carry, right(carry, 6));
    pair = asHalves(bitOr(LLVM::BitcastOp::create(b, loc, b.getI32Type(), scaled), nan));
  }
  return pairs;
}

void MmaCode::multiply(ValueRange x, ValueRange y, Values &sums, size_t first,
                       const TensorCoreTypes &types) const {
  if (!isFloat8(types.element))
    return addProduct(x, y, sums, first, types);
  SmallVector<Values> xs, ys;
  for (Value packed : x)
    xs.push_back(toHalves(packed, types.element));
  for (Value packed : y)
    ys.push_back(toHalves(packed, types.yType));
  TensorCoreTypes half{b.getF16Type(), b.getF16Type()};
  // Registers of x: rows r and r + 8 of the first half of k, then of the second; those of y: the halves of k.
  for (size_t step : {0, 1})
    addProduct({xs[2 * step][0], xs[2 * step + 1][0], xs[2 * step][1], xs[2 * step + 1][1]},
               {ys[step][0], ys[step][1]}, sums, first, half);
}

void MmaCode::addProduct(ValueRange x, ValueRange y, Values &sums, size_t first,
                         const TensorCoreTypes &types) const {
  SmallVector<Type> registers(static_cast<size_t>(sumsOfLane), types.sum());
  Type result = LLVM::LLVMStructType::getLiteral(b.getContext(), registers);
  auto overflow =
      isa<IntegerType>(types.element) ? std::optional(NVVM::MMAIntOverflow::wrapped) : std::nullopt;
  Value product = NVVM::MmaOp::create(b, loc, result, x, y, ValueRange(sums).slice(first, sumsOfLane),
                                      ArrayRef<int64_t>{m, n, kOf(types.element)}, std::nullopt, overflow,
                                      std::array{mmaTypeOf(types.xElement()), mmaTypeOf(types.yElement())},
                                      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  for (int64_t i = 0; i < sumsOfLane; ++i)
    sums[first + static_cast<size_t>(i)] = LLVM::ExtractValueOp::create(b, loc, product, i);
}

} // namespace proa
