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
      : TileProducts(b, loc, op, choice), threadsOfM(choice.m / choice.warpM),
        threadsOfN(choice.n / choice.warpN) {
    threadRow = divide(thread, threadsOfN);
    threadColumn = remainder(thread, threadsOfN);
    passes = choice.warpM;
    rowsOfPass = threadsOfM;
    columnsOfPass = choice.n;
  }

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

  void store(int64_t pass, ValueRange sums, Value memory) override {
    for (int64_t first = 0; first < choice.warpN; first += group)
      storeAdjacent(sums.slice(static_cast<size_t>(pass * choice.warpN + first), group), memory,
                    {threadRow, position(first, threadsOfN, threadColumn)});
  }

  Value rowOf(int64_t pass, Value row) override { return add(position(pass, threadsOfM, row), pass % group); }

private:
  int64_t threadsOfM, threadsOfN;
  Value threadRow, threadColumn;

  /// The first row or column of the group of element `element` of the part of `thread`.
  Value position(int64_t element, int64_t threads, Value thread) {
    return add(multiply(thread, group), element / group * threads * group);
  }

  /// The elements of a thread's part of an operand for one k.
  Values elements(Value memory, Value k, int64_t part, int64_t threads, Value thread) {
    Type element = getElementTypeOrSelf(memory.getType());
    auto type = VectorType::get({group}, element);
    int64_t bytes = group * element.getIntOrFloatBitWidth() / 8;
    Values values;
    for (int64_t first = 0; first < part; first += group) {
      Value chunk = vector::LoadOp::create(
          b, loc, type, memory, ValueRange{k, position(first, threads, thread)},
          /*nontemporal=*/false, llvm::MaybeAlign(static_cast<uint64_t>(std::min(bytes, accessBytes))));
      for (int64_t i = 0; i < group; ++i)
        values.push_back(vector::ExtractOp::create(b, loc, chunk, i));
    }
    return values;
  }

  void addProducts(Value x, Value y, Value k, Values &sums) {
    Values xs = elements(x, k, choice.warpM, threadsOfM, threadRow);
    Values ys = elements(y, k, choice.warpN, threadsOfN, threadColumn);
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
