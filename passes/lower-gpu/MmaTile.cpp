// Products of a tile by mma.sync: the PTX ISA describes which elements of the matrices a lane holds.
#include "passes/lower-gpu/TileProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace proa {
namespace {

constexpr int64_t warpSize = 32;
/// Rows, columns and k of one instruction.
constexpr int64_t mmaM = 16, mmaN = 8, mmaK = 16;
/// Results of a lane.
constexpr int64_t sumsOfLane = 4;

class MmaTile : public TileProducts {
public:
  MmaTile(IRRewriter &b, Location loc, linalg::LinalgOp op, ContractionChoice choice, Value thread)
      : TileProducts(b, loc, op, choice) {
    Value warp = divide(thread, warpSize);
    lane = remainder(thread, warpSize);
    int64_t warpsOfN = choice.n / choice.partOfN;
    warpRow = divide(warp, warpsOfN);
    warpColumn = remainder(warp, warpsOfN);
    passes = choice.partOfM / mmaM;
    rowsOfPass = choice.m / choice.partOfM * mmaM;
  }

  /// ldmatrix transposes, so memory has the order of global memory. 8 more elements of a line shift it by 16
  /// bytes.
  Layout layoutOf(Type, bool isAdjacentAlongK) const override {
    return {.kFirst = !isAdjacentAlongK, .pad = 8};
  }

  Values start() override {
    Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
    return Values(static_cast<size_t>(rows() * columns() * sumsOfLane), zero);
  }

  using TileProducts::add;
  Values add(const Staged &x, const Staged &y, ValueRange sums) override {
    Values next(sums);
    for (int64_t k = 0; k < choice.k; k += mmaK)
      addProducts(x, y, k, next);
    return next;
  }

  void store(int64_t pass, ValueRange sums, Value memory) override {
    Value row = add(multiply(warpRow, mmaM), divide(lane, 4));
    Value column = add(multiply(warpColumn, choice.partOfN), multiply(remainder(lane, 4), 2));
    for (int64_t j = 0; j < columns(); ++j) {
      auto own = sums.slice(static_cast<size_t>((pass * columns() + j) * sumsOfLane), sumsOfLane);
      storeAdjacent(own.take_front(2), memory, {row, add(column, j * mmaN)});
      storeAdjacent(own.drop_front(2), memory, {add(row, 8), add(column, j * mmaN)});
    }
  }

  Value rowOf(int64_t pass, Value row) override {
    return add(add(multiply(divide(row, mmaM), choice.partOfM), remainder(row, mmaM)), pass * mmaM);
  }

private:
  Value lane, warpRow, warpColumn;

  int64_t rows() const { return choice.partOfM / mmaM; }
  int64_t columns() const { return choice.partOfN / mmaN; }

  /// Four matrices of 8x8 elements. Lane l has the address of line l % 8 of matrix l / 8.
  Values loadMatrices(const Staged &operand, Value outer, Value k) {
    Type element = getElementTypeOrSelf(operand.memory.getType());
    auto type = VectorType::get({4, 2}, element);
    Value indices[] = {operand.kFirst ? k : outer, operand.kFirst ? outer : k};
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

  /// Rows first, first + 8 and k, k + 8: the matrices in the order (0, 0), (8, 0), (0, 8), (8, 8).
  Values loadX(const Staged &x, int64_t first, int64_t k) {
    Value line = remainder(lane, 8), lower = multiply(remainder(divide(lane, 8), 2), 8);
    Value right = multiply(divide(lane, 16), 8);
    Value row = add(multiply(warpRow, choice.partOfM), add(lower, first));
    Value column = add(right, k);
    return loadMatrices(x, x.kFirst ? row : add(row, line), x.kFirst ? add(column, line) : column);
  }

  /// Columns first, first + 8 and k, k + 8: the matrices in the order (0, 0), (0, 8), (8, 0), (8, 8).
  Values loadY(const Staged &y, int64_t first, int64_t k) {
    Value line = remainder(lane, 8), lower = multiply(remainder(divide(lane, 8), 2), 8);
    Value right = multiply(divide(lane, 16), 8);
    Value outer = add(multiply(warpColumn, choice.partOfN), add(right, first));
    Value inner = add(lower, k);
    return loadMatrices(y, y.kFirst ? outer : add(outer, line), y.kFirst ? add(inner, line) : inner);
  }

  void addProducts(const Staged &x, const Staged &y, int64_t k, Values &sums) {
    SmallVector<Values> ys;
    for (int64_t j = 0; j < columns(); j += 2)
      ys.push_back(loadY(y, j * mmaN, k));
    for (int64_t i = 0; i < rows(); ++i) {
      Values own = loadX(x, i * mmaM, k);
      for (int64_t j = 0; j < columns(); ++j)
        multiplyMatrices(own,
                         ValueRange(ys[static_cast<size_t>(j / 2)]).slice(static_cast<size_t>(j % 2) * 2, 2),
                         sums, static_cast<size_t>((i * columns() + j) * sumsOfLane));
    }
  }

  void multiplyMatrices(ValueRange x, ValueRange y, Values &sums, size_t first) {
    bool isBrain = x[0].getType().isInteger(32);
    NVVM::MMATypes type = isBrain ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
    Type f32 = b.getF32Type();
    Type result = LLVM::LLVMStructType::getLiteral(b.getContext(), {f32, f32, f32, f32});
    Value product =
        NVVM::MmaOp::create(b, loc, result, x, y, ValueRange(sums).slice(first, sumsOfLane),
                            ArrayRef<int64_t>{mmaM, mmaN, mmaK}, std::nullopt, std::nullopt,
                            std::array{type, type}, std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
    for (int64_t i = 0; i < sumsOfLane; ++i)
      sums[first + static_cast<size_t>(i)] = LLVM::ExtractValueOp::create(b, loc, product, i);
  }
};

} // namespace

std::unique_ptr<TileProducts> makeMmaTile(IRRewriter &b, Location loc, linalg::LinalgOp op,
                                          ContractionChoice choice, Value thread) {
  return std::make_unique<MmaTile>(b, loc, op, choice, thread);
}

} // namespace proa
