// Products of a tile by the arithmetic of each thread.
#include "passes/lower-gpu/AccessWidth.h"
#include "passes/lower-gpu/ElementCode.h"
#include "passes/lower-gpu/TileProducts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace proa {
namespace {

/// Elements that a thread reads from shared memory at once.
constexpr int64_t group = 4;
/// Products of one iteration of the loop over k in shared memory.
constexpr int64_t productsOfIteration = 256;

/// The part of a thread is divided into groups of 4 rows and 4 columns, between which those of other threads
/// lie. So lanes side by side read adjacent groups.
class FmaTile : public TileProducts {
public:
  FmaTile(IRRewriter &b, Location loc, linalg::LinalgOp op, ContractionChoice choice, Value thread)
      : TileProducts(b, loc, op, choice, tileLayout(choice), rowsOf(choice), thread) {}

  /// Lines start at multiples of an access.
  Layout layoutOf(Type element, bool) const override {
    return {.kFirst = true, .pad = std::max(group, accessBytes * 8 / element.getIntOrFloatBitWidth())};
  }

  Values start() override {
    Type type = getElementTypeOrSelf(op.getDpsInits()[0].getType());
    Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
    return Values(static_cast<size_t>(choice.warpM * choice.warpN), zero);
  }

  Values accumulate(const Staged &x, const Staged &y, ValueRange sums) override {
    int64_t unrolled = std::clamp<int64_t>(productsOfIteration / (choice.warpM * choice.warpN), 1, choice.k);
    while (choice.k % unrolled != 0)
      --unrolled;
    auto loop =
        scf::ForOp::create(b, loc, constant(0), constant(choice.k), constant(unrolled), sums,
                           [&](OpBuilder &inner, Location, Value k, ValueRange own) {
                             OpBuilder::InsertionGuard guard(b);
                             b.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
                             Values next(own);
                             for (int64_t i = 0; i < unrolled; ++i)
                               addProducts(x.memory, y.memory, add(k, i), next);
                             scf::YieldOp::create(b, loc, next);
                           });
    return Values(loop.getResults());
  }

private:
  /// Each pass has one row of each thread.
  static ThreadLayout::Digits rowsOf(const ContractionChoice &choice) {
    return {rowDigit(group, 1), rowDigit(choice.warpM / group, choice.m / choice.warpM * group)};
  }
  static ThreadLayout tileLayout(const ContractionChoice &choice) {
    int64_t threadsOfM = choice.m / choice.warpM, threadsOfN = choice.n / choice.warpN;
    ThreadLayout::Digits elements{columnDigit(group, 1),
                                  columnDigit(choice.warpN / group, threadsOfN * group)};
    llvm::append_range(elements, rowsOf(choice));
    return {{columnDigit(threadsOfN, group), rowDigit(threadsOfM, group)}, std::move(elements)};
  }

  /// The elements of a thread's part of an operand for one k.
  Values elements(Value memory, Value k, MatrixDim dim) {
    Type element = getElementTypeOrSelf(memory.getType());
    auto type = VectorType::get({group}, element);
    int64_t bytes = group * element.getIntOrFloatBitWidth() / 8;
    Values values;
    for (int64_t first = 0; first < layout.threadLayout().sizeOfThread(dim); first += group) {
      Value chunk = vector::LoadOp::create(
          b, loc, type, memory, ValueRange{k, layout.indexOf(dim, first)},
          /*nontemporal=*/false, llvm::MaybeAlign(static_cast<uint64_t>(std::min(bytes, accessBytes))));
      for (int64_t i = 0; i < group; ++i)
        values.push_back(vector::ExtractOp::create(b, loc, chunk, i));
    }
    return values;
  }

  void addProducts(Value x, Value y, Value k, Values &sums) {
    Values xs = elements(x, k, MatrixDim::Row);
    Values ys = elements(y, k, MatrixDim::Column);
    for (auto [i, sum] : llvm::enumerate(sums)) {
      Value own[] = {xs[i / ys.size()], ys[i % ys.size()], sum};
      sum = cloneBody(b, op, {}, [&](OpOperand &operand) { return own[operand.getOperandNumber()]; })[0];
    }
  }
};

} // namespace

std::unique_ptr<TileProducts> makeFmaTile(IRRewriter &b, Location loc, linalg::LinalgOp op,
                                          ContractionChoice choice, Value thread) {
  return std::make_unique<FmaTile>(b, loc, op, choice, thread);
}

} // namespace proa
