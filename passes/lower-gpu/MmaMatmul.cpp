// Matmuls of a tile by mma.sync.
#include "passes/lower-gpu/LaunchForm.h"
#include "passes/lower-gpu/MmaCode.h"
#include "passes/lower-gpu/TileMatmul.h"

using namespace mlir;

namespace proa {
namespace {

/// The sums of one instruction are 2 x 2 elements of a thread.
constexpr int64_t ofInstruction = 2;

class MmaMatmul : public TileMatmul {
public:
  MmaMatmul(IRRewriter &b, Location loc, const ThreadLayout &sums, Value thread, const TensorCoreTypes &types)
      : TileMatmul(b, loc, sums, thread, types.sum()), types(types),
        code(b, loc, remainder(thread, warpSize)), top(layout.firstOfWarp(MatrixDim::Row)),
        left(layout.firstOfWarp(MatrixDim::Column)) {}

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
  MmaCode code;
  Value top, left;

  int64_t step() const { return MmaCode::kOf(types.element); }
  int64_t count(MatrixDim dim) const { return layout.threadLayout().sizeOfThread(dim) / ofInstruction; }

  Values loadX(const Operand &x, int64_t instruction, int64_t k) const {
    if (x.registers)
      return x.registers(instruction, k);
    Value row = add(top, layout.threadLayout().offsetOf(MatrixDim::Row, instruction * ofInstruction));
    return code.loadX({x.memory, x.kFirst}, row, constant(k));
  }

  void addProducts(const Operand &x, const Operand &y, int64_t k, Values &sums) {
    const ThreadLayout &own = layout.threadLayout();
    auto loadY = [&](int64_t pair) {
      Value column = add(left, own.offsetOf(MatrixDim::Column, 2 * pair * ofInstruction));
      return code.loadY({y.memory, y.kFirst}, column, constant(k));
    };
    SmallVector<Values> ys(static_cast<size_t>(count(MatrixDim::Column) / 2));
    if (count(MatrixDim::Row) > 1) // otherwise y is used once
      for (auto [pair, loaded] : llvm::enumerate(ys))
        loaded = loadY(static_cast<int64_t>(pair));
    for (int64_t i = 0; i < count(MatrixDim::Row); ++i) {
      Values xs = loadX(x, i, k);
      for (int64_t j = 0; j < count(MatrixDim::Column); ++j) {
        Values &loaded = ys[static_cast<size_t>(j / 2)];
        if (loaded.empty())
          loaded = loadY(j / 2);
        code.multiply(xs, ValueRange(loaded).slice(static_cast<size_t>(j % 2) * 2, 2), sums,
                      static_cast<size_t>(own.elementAt(i * ofInstruction, j * ofInstruction)), types);
      }
    }
  }
};

} // namespace

std::unique_ptr<TileMatmul> makeMmaMatmul(IRRewriter &b, Location loc, const ThreadLayout &sums, Value thread,
                                          const TensorCoreTypes &types) {
  return std::make_unique<MmaMatmul>(b, loc, sums, thread, types);
}

} // namespace proa
