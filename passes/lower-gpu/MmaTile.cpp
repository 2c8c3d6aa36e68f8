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
      : TileProducts(b, loc, op, choice, tileLayout(choice), {rowDigit(choice.warpM / mmaM, mmaM)}, thread),
        types(*TensorCoreTypes::of(op, /*allowsTf32=*/true)), code(b, loc, remainder(thread, warpSize)) {
    Value warp = divide(thread, warpSize);
    int64_t warpsOfN = choice.n / choice.warpN;
    warpRow = divide(warp, warpsOfN);
    warpColumn = remainder(warp, warpsOfN);
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

private:
  TensorCoreTypes types;
  Value warpRow, warpColumn;
  MmaCode code;

  /// Instructions follow each other along the columns of a warp, then along its rows.
  static ThreadLayout tileLayout(const ContractionChoice &choice) {
    ThreadLayout warp = mmaInstruction.sums(choice.warpN);
    ThreadLayout::Digits threads = warp.threadDigits(), elements = warp.elementDigits();
    threads.push_back(columnDigit(choice.n / choice.warpN, choice.warpN));
    threads.push_back(rowDigit(choice.m / choice.warpM, choice.warpM));
    elements.push_back(rowDigit(choice.warpM / mmaM, mmaM));
    return {std::move(threads), std::move(elements)};
  }

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
