// Matmuls of a tile by the arithmetic of each thread.
#include "passes/lower-gpu/AccessWidth.h"
#include "passes/lower-gpu/TileMatmul.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace proa {
namespace {

/// Elements that a thread reads from shared memory at once.
constexpr int64_t group = 4;
/// Products of one iteration of the loop over k in shared memory.
constexpr int64_t productsOfIteration = 256;

class FmaMatmul : public TileMatmul {
public:
  FmaMatmul(OpBuilder &b, Location loc, const ThreadLayout &sums, Value thread, Type sum, MultiplyAdd body)
      : TileMatmul(b, loc, sums, thread, sum), body(std::move(body)) {}

  /// Lines start at multiples of an access.
  Layout layoutOf(Type element, bool) const override {
    return {.kFirst = true, .pad = std::max(group, accessBytes * 8 / element.getIntOrFloatBitWidth())};
  }

  Values accumulate(const Operand &x, const Operand &y, int64_t k, ValueRange sums) override {
    int64_t step = x.kFirst ? stepOf(k) : group;
    return loop(constant(0), constant(k), constant(step), sums, [&](Value first, ValueRange own) {
      Values next(own);
      addProducts(x, y, first, step, next);
      return next;
    });
  }

private:
  MultiplyAdd body;

  int64_t stepOf(int64_t k) const {
    int64_t step = std::clamp<int64_t>(productsOfIteration / layout.threadLayout().elements(), 1, k);
    while (k % step != 0)
      --step;
    return step;
  }

  /// Adjacent rows or columns of the thread.
  int64_t adjacentOf(MatrixDim dim) const {
    for (const LayoutDigit &digit : layout.threadLayout().elementDigits())
      if (digit.dim == dim)
        return digit.stride == 1 ? digit.count : 1;
    return 1;
  }

  Values load(Value memory, ValueRange indices, int64_t count) {
    Type element = getElementTypeOrSelf(memory.getType());
    int64_t bytes = count * element.getIntOrFloatBitWidth() / 8;
    Value chunk = vector::LoadOp::create(
        b, loc, VectorType::get({count}, element), memory, indices,
        /*nontemporal=*/false, llvm::MaybeAlign(static_cast<uint64_t>(std::min(bytes, accessBytes))));
    Values values;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(vector::ExtractOp::create(b, loc, chunk, i));
    return values;
  }

  /// [row or column of the thread][k], of an operand whose elements are adjacent along k.
  SmallVector<Values> alongK(const Operand &operand, MatrixDim dim, Value k, int64_t step) {
    SmallVector<Values> values;
    for (int64_t i = 0; i < layout.threadLayout().sizeOfThread(dim) && !operand.kFirst; ++i)
      values.push_back(load(operand.memory, {layout.indexOf(dim, i), k}, step));
    return values;
  }
  /// The elements of the thread for one k.
  Values at(const Operand &operand, MatrixDim dim, Value k) {
    const ThreadLayout &own = layout.threadLayout();
    int64_t width = std::min(group, adjacentOf(dim));
    Values values;
    for (int64_t first = 0; first < own.sizeOfThread(dim); first += width)
      values.append(load(operand.memory, {k, layout.indexOf(dim, first)}, width));
    return values;
  }

  void addProducts(const Operand &x, const Operand &y, Value first, int64_t step, Values &sums) {
    SmallVector<Values> xs = alongK(x, MatrixDim::Row, first, step),
                        ys = alongK(y, MatrixDim::Column, first, step);
    for (int64_t k = 0; k < step; ++k) {
      auto of = [&](const Operand &operand, ArrayRef<Values> loaded, MatrixDim dim) {
        return operand.kFirst ? at(operand, dim, add(first, k))
                              : llvm::map_to_vector(
                                    loaded, [&](const Values &own) { return own[static_cast<size_t>(k)]; });
      };
      Values xk = of(x, xs, MatrixDim::Row), yk = of(y, ys, MatrixDim::Column);
      for (size_t i = 0; i < xk.size(); ++i)
        for (size_t j = 0; j < yk.size(); ++j) {
          auto element = static_cast<size_t>(
              layout.threadLayout().elementAt(static_cast<int64_t>(i), static_cast<int64_t>(j)));
          sums[element] = body(xk[i], yk[j], sums[element]);
        }
    }
  }
};

} // namespace

std::unique_ptr<TileMatmul> makeFmaMatmul(OpBuilder &b, Location loc, const ThreadLayout &sums, Value thread,
                                          Type sum, MultiplyAdd body) {
  return std::make_unique<FmaMatmul>(b, loc, sums, thread, sum, std::move(body));
}

} // namespace proa
