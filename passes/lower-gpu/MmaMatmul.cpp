// Matmuls of a tile by mma.sync, for the types of TensorCoreTypes.
#include "passes/kernels/NarrowFloats.h"
#include "passes/lower-gpu/LaunchForm.h"
#include "passes/lower-gpu/TileMatmul.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace proa {
namespace {

/// The sums of one instruction are 2 x 2 elements of a thread.
constexpr int64_t ofInstruction = 2, sumsOfLane = ofInstruction * ofInstruction;

/// The PTX ISA describes which elements of the matrices a lane holds.
class MmaMatmul : public TileMatmul {
public:
  MmaMatmul(OpBuilder &b, Location loc, const ThreadLayout &sums, Value thread, const TensorCoreTypes &types)
      : TileMatmul(b, loc, sums, thread, types.sum()), types(types), lane(remainder(thread, warpSize)),
        top(layout.firstOfWarp(MatrixDim::Row)), left(layout.firstOfWarp(MatrixDim::Column)) {}

  /// Memory has the order of global memory: ldmatrix transposes 16-bit elements, and lanes load f32
  /// themselves. Only elements of 8 bits are transposed when they are stored. A line is shifted so that the
  /// lanes access different banks: by 16 bytes for ldmatrix.
  Layout layoutOf(Type element, bool isAdjacentAlongK) const override {
    int64_t bits = element.getIntOrFloatBitWidth();
    bool isLoadedByMatrix = isAdjacentAlongK || bits <= 16;
    return {.kFirst = !isAdjacentAlongK && bits != 8, .pad = isLoadedByMatrix ? 128 / bits : 8};
  }

  Operand inRegisters(const Operand &x, int64_t k) override {
    constexpr int64_t mostInRegisters = 128;
    if (k > mostInRegisters || count(MatrixDim::Row) > 1)
      return x;
    SmallVector<Values> loaded;
    for (int64_t first = 0; first < k; first += step())
      loaded.push_back(loadX(x, 0, first));
    return {x.memory, x.kFirst,
            [this, loaded](int64_t, int64_t first) { return loaded[static_cast<size_t>(first / step())]; }};
  }

  Values accumulate(const Operand &x, const Operand &y, int64_t k, ValueRange sums) override {
    Values next(sums);
    for (int64_t first = 0; first < k; first += step())
      addProducts(x, y, first, next);
    return next;
  }

private:
  TensorCoreTypes types;
  Value lane, top, left;

  /// The k of one instruction: 32 bytes of a row.
  int64_t step() const { return stepOf(types.element); }
  static int64_t stepOf(Type element) { return mmaInstruction.k(element.getIntOrFloatBitWidth()); }
  int64_t count(MatrixDim dim) const { return layout.threadLayout().sizeOfThread(dim) / ofInstruction; }

  Value toRegister(Value elements) const;
  Values loadMatrices(const Operand &operand, Value outer, Value inner) const;
  Values loadElements(const Operand &operand, Value outer, Value inner, bool isX) const;
  Values load(const Operand &operand, MatrixDim dim, int64_t element, int64_t k) const;
  Values toHalves(Value register8, Type element) const;
  void addProducts(const Operand &x, const Operand &y, int64_t k, Values &sums);
  void multiply(ValueRange x, ValueRange y, Values &sums, size_t first) const;
  void addProduct(ValueRange x, ValueRange y, Values &sums, size_t first, const TensorCoreTypes &own) const;

  /// The registers of 16 rows, and of 16 columns, two for each 8 columns.
  Values loadX(const Operand &x, int64_t instruction, int64_t k) const {
    return x.registers ? x.registers(instruction, k)
                       : load(x, MatrixDim::Row, instruction * ofInstruction, k);
  }
  Values loadY(const Operand &y, int64_t pair, int64_t k) const {
    return load(y, MatrixDim::Column, 2 * pair * ofInstruction, k);
  }
};

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The elements of 32 bits as a register of the instruction: f32 is rounded to TF32.
Value MmaMatmul::toRegister(Value elements) const {
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
MmaMatmul::Values MmaMatmul::loadMatrices(const Operand &operand, Value outer, Value inner) const {
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
MmaMatmul::Values MmaMatmul::loadElements(const Operand &operand, Value outer, Value inner, bool isX) const {
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

/// 16 lines and both halves of k. The order of the matrices is (0, 0), (8, 0), (0, k / 2), (8, k / 2) for x,
/// and (0, 0), (0, k / 2), (8, 0), (8, k / 2) for y.
MmaMatmul::Values MmaMatmul::load(const Operand &operand, MatrixDim dim, int64_t element, int64_t k) const {
  bool isX = dim == MatrixDim::Row;
  int64_t bits = getElementTypeOrSelf(operand.memory.getType()).getIntOrFloatBitWidth();
  Value outer = add(isX ? top : left, layout.threadLayout().offsetOf(dim, element)), inner = constant(k);
  if (operand.kFirst && bits != 16) // which ldmatrix cannot load
    return loadElements(operand, outer, inner, isX);
  Value line = remainder(lane, 8), pair = remainder(divide(lane, 8), 2), half = divide(lane, 16);
  outer = add(outer, CodeBuilder::multiply(isX ? pair : half, 8));
  inner = add(CodeBuilder::multiply(isX ? half : pair, mmaInstruction.k(bits) / 2), inner);
  return loadMatrices(operand, operand.kFirst ? outer : add(outer, line),
                      operand.kFirst ? add(inner, line) : inner);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void MmaMatmul::addProducts(const Operand &x, const Operand &y, int64_t k, Values &sums) {
  SmallVector<Values> ys(static_cast<size_t>(count(MatrixDim::Column) / 2));
  if (count(MatrixDim::Row) > 1) // otherwise y is used once
    for (auto [pair, loaded] : llvm::enumerate(ys))
      loaded = loadY(y, static_cast<int64_t>(pair), k);
  for (int64_t i = 0; i < count(MatrixDim::Row); ++i) {
    Values xs = loadX(x, i, k);
    for (int64_t j = 0; j < count(MatrixDim::Column); ++j) {
      Values &loaded = ys[static_cast<size_t>(j / 2)];
      if (loaded.empty())
        loaded = loadY(y, j / 2, k);
      auto first = layout.threadLayout().elementAt(i * ofInstruction, j * ofInstruction);
      multiply(xs, ValueRange(loaded).slice(static_cast<size_t>(j % 2) * 2, 2), sums,
               static_cast<size_t>(first));
    }
  }
}

NVVM::MMATypes mmaTypeOf(MatrixElement element) { return *NVVM::symbolizeMMATypes(ptxName(element)); }

/// Four 8-bit floats as two registers of two f16. Any assignment of the elements to the k of the instruction
/// will do, as long as the other operand has it too.
MmaMatmul::Values MmaMatmul::toHalves(Value register8, Type element) const {
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

/// Adds the products of four registers of x and two of y to the four sums from index `first` on. 8-bit floats
/// are multiplied as f16, which is exact and possible on all chips.
void MmaMatmul::multiply(ValueRange x, ValueRange y, Values &sums, size_t first) const {
  if (!isFloat8(types.element))
    return addProduct(x, y, sums, first, types);
  SmallVector<Values> xs, ys;
  for (Value packed : x)
    xs.push_back(toHalves(packed, types.element));
  for (Value packed : y)
    ys.push_back(toHalves(packed, types.yType));
  TensorCoreTypes half{b.getF16Type(), b.getF16Type()};
  // Registers of x: rows r and r + 8 of the first half of k, then of the second; of y: the halves of k.
  for (size_t step : {0, 1})
    addProduct({xs[2 * step][0], xs[2 * step + 1][0], xs[2 * step][1], xs[2 * step + 1][1]},
               {ys[step][0], ys[step][1]}, sums, first, half);
}

void MmaMatmul::addProduct(ValueRange x, ValueRange y, Values &sums, size_t first,
                           const TensorCoreTypes &own) const {
  SmallVector<Type> registers(static_cast<size_t>(sumsOfLane), own.sum());
  Type result = LLVM::LLVMStructType::getLiteral(b.getContext(), registers);
  auto overflow = isa<IntegerType>(own.element) ? std::optional(NVVM::MMAIntOverflow::wrapped) : std::nullopt;
  int64_t shape[] = {mmaInstruction.rows, mmaInstruction.columns, stepOf(own.element)};
  Value product = NVVM::MmaOp::create(b, loc, result, x, y, ValueRange(sums).slice(first, sumsOfLane), shape,
                                      std::nullopt, overflow,
                                      std::array{mmaTypeOf(own.xElement()), mmaTypeOf(own.yElement())},
                                      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  for (int64_t i = 0; i < sumsOfLane; ++i)
    sums[first + static_cast<size_t>(i)] = LLVM::ExtractValueOp::create(b, loc, product, i);
}

} // namespace

std::unique_ptr<TileMatmul> makeMmaMatmul(OpBuilder &b, Location loc, const ThreadLayout &sums, Value thread,
                                          const TensorCoreTypes &types) {
  return std::make_unique<MmaMatmul>(b, loc, sums, thread, types);
}

} // namespace proa
