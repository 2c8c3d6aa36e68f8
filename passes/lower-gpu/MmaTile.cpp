// Products of a tile by mma.sync.
#include "passes/lower-gpu/LaunchForm.h"
#include "passes/lower-gpu/MmaCode.h"
#include "passes/lower-gpu/TileProducts.h"

using namespace mlir;

namespace proa {
namespace {

constexpr int64_t mmaM = MmaCode::m, mmaN = MmaCode::n;

class MmaTile : public TileProducts {
public:
  MmaTile(IRRewriter &b, Location loc, linalg::LinalgOp op, ContractionChoice choice, Value thread)
      : TileProducts(b, loc, op, choice), types(*TensorCoreTypes::of(op, /*allowsTf32=*/true)),
        lane(remainder(thread, warpSize)), code(b, loc, lane) {
    Value warp = divide(thread, warpSize);
    int64_t warpsOfN = choice.n / choice.warpN;
    warpRow = divide(warp, warpsOfN);
    warpColumn = remainder(warp, warpsOfN);
    passes = choice.warpM / mmaM;
    rowsOfPass = choice.m / choice.warpM * mmaM;
    columnsOfPass = choice.n;
  }

  /// Memory has the order of global memory: ldmatrix transposes 16-bit elements, and lanes load f32
  /// themselves. Only elements of 8 bits are transposed when they are stored. A line is shifted so that the
  /// lanes access different banks: by 16 bytes for ldmatrix.
  Layout layoutOf(Type element, bool isAdjacentAlongK) const override {
    int64_t bits = element.getIntOrFloatBitWidth();
    bool isLoadedByMatrix = isAdjacentAlongK || bits <= 16;
    return {.kFirst = !isAdjacentAlongK && bits != 8, .pad = isLoadedByMatrix ? 128 / bits : 8};
  }

  Values start() override {
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(types.sum()));
    return Values(static_cast<size_t>(rows() * columns() * MmaCode::sumsOfLane), zero);
  }

  Values accumulate(const Staged &x, const Staged &y, ValueRange sums) override {
    Values next(sums);
    for (int64_t k = 0; k < choice.k; k += MmaCode::kOf(types.element))
      addProducts({x.memory, x.kFirst}, {y.memory, y.kFirst}, k, next);
    return next;
  }

  void store(int64_t pass, ValueRange sums, Value memory) override {
    Value row = add(multiply(warpRow, mmaM), divide(lane, MmaCode::lanesOfRow));
    Value column = add(multiply(warpColumn, choice.warpN), multiply(remainder(lane, MmaCode::lanesOfRow), 2));
    for (int64_t j = 0; j < columns(); ++j) {
      auto own =
          sums.slice(static_cast<size_t>((pass * columns() + j) * MmaCode::sumsOfLane), MmaCode::sumsOfLane);
      storeAdjacent(own.take_front(2), memory, {row, add(column, j * mmaN)});
      storeAdjacent(own.drop_front(2), memory, {add(row, 8), add(column, j * mmaN)});
    }
  }

  Value rowOf(int64_t pass, Value row) override {
    return add(add(multiply(divide(row, mmaM), choice.warpM), remainder(row, mmaM)), pass * mmaM);
  }

private:
  TensorCoreTypes types;
  Value lane, warpRow, warpColumn;
  MmaCode code;

  int64_t rows() const { return choice.warpM / mmaM; }
  int64_t columns() const { return choice.warpN / mmaN; }

  void addProducts(const MmaCode::Operand &x, const MmaCode::Operand &y, int64_t k, Values &sums) {
    Value inner = constant(k), left = multiply(warpColumn, choice.warpN),
          top = multiply(warpRow, choice.warpM);
    SmallVector<Values> ys;
    for (int64_t j = 0; j < columns(); j += 2)
      ys.push_back(code.loadY(y, add(left, j * mmaN), inner));
    for (int64_t i = 0; i < rows(); ++i) {
      Values own = code.loadX(x, add(top, i * mmaM), inner);
      for (int64_t j = 0; j < columns(); ++j)
        code.multiply(own,
                      ValueRange(ys[static_cast<size_t>(j / 2)]).slice(static_cast<size_t>(j % 2) * 2, 2),
                      sums, static_cast<size_t>((i * columns() + j) * MmaCode::sumsOfLane), types);
    }
  }
};

} // namespace

std::unique_ptr<TileProducts> makeMmaTile(IRRewriter &b, Location loc, linalg::LinalgOp op,
                                          ContractionChoice choice, Value thread) {
  return std::make_unique<MmaTile>(b, loc, op, choice, thread);
}

} // namespace proa
