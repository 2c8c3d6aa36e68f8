// Products in f32 by the arithmetic of each thread: 16 lanes share four rows.
#include "passes/lower-gpu/attention/BlockProducts.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace proa {
namespace {

/// Elements that a thread reads from shared memory at once.
constexpr int64_t elementsOfRead = 4;

class FmaProducts : public BlockProducts {
public:
  explicit FmaProducts(const AttentionSite &site) : BlockProducts(site, /*pad=*/elementsOfRead) {}

  void prepare() override {
    weightMemory =
        allocateShared(site, {site.choice.rows(), site.choice.columns() + elementsOfRead}, b.getF32Type());
  }

  Values multiply(Value x, Value y, int64_t elements) override {
    int64_t rows = fragments.rows(), columns = fragments.columns();
    Values sums(static_cast<size_t>(rows * columns), zero());
    return overGroups(elements, sums, [&](Value first, Values next) {
      SmallVector<Values> xs, ys;
      for (int64_t i = 0; i < rows; ++i)
        xs.push_back(load(x, fragments.rowOf(i), first, elementsOfRead));
      for (int64_t j = 0; j < columns; ++j)
        ys.push_back(load(y, fragments.columnOf(j), first, elementsOfRead));
      for (size_t k = 0; k < elementsOfRead; ++k)
        for (size_t i = 0; i < xs.size(); ++i)
          for (size_t j = 0; j < ys.size(); ++j)
            addProduct(next[i * ys.size() + j], xs[i][k], ys[j][k]);
      return next;
    });
  }

  Values addWeighted(ValueRange weights, Value y, int64_t elements, ValueRange outputs) override {
    int64_t count = fragments.outputsOfRow(elements), width = fragments.adjacentOutputs(elements);
    int64_t rows = fragments.rows(), columns = fragments.columns();
    Value all = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(-1));
    NVVM::SyncWarpOp::create(b, loc, all); // the last weights are no longer read
    for (auto [i, weight] : llvm::enumerate(weights)) {
      auto number = static_cast<int64_t>(i);
      memref::StoreOp::create(
          b, loc, weight, weightMemory,
          ValueRange{fragments.rowOf(number / columns), fragments.columnOf(number % columns)});
    }
    // The lanes of a warp read what they wrote.
    NVVM::SyncWarpOp::create(b, loc, all);
    return overGroups(site.choice.columns(), Values(outputs), [&](Value first, Values next) {
      SmallVector<Values> xs;
      for (int64_t i = 0; i < rows; ++i)
        xs.push_back(load(weightMemory, fragments.rowOf(i), first, elementsOfRead));
      for (int64_t k = 0; k < elementsOfRead; ++k)
        for (int64_t j = 0; j < count; j += width) {
          Values ys = load(y, add(first, k), fragments.outputOf(j, elements), width);
          for (size_t i = 0; i < xs.size(); ++i)
            for (size_t c = 0; c < ys.size(); ++c)
              addProduct(next[i * static_cast<size_t>(count) + static_cast<size_t>(j) + c],
                         xs[i][static_cast<size_t>(k)], ys[c]);
        }
      return next;
    });
  }

private:
  Value weightMemory;

  void addProduct(Value &sum, Value x, Value y) { sum = math::FmaOp::create(b, loc, x, y, sum); }

  Values load(Value memory, Value row, Value column, int64_t count) {
    auto type = VectorType::get({count}, b.getF32Type());
    Value chunk = vector::LoadOp::create(b, loc, type, memory, ValueRange{row, column}, /*nontemporal=*/false,
                                         llvm::MaybeAlign(static_cast<uint64_t>(count * 4)));
    Values elements;
    for (int64_t i = 0; i < count; ++i)
      elements.push_back(vector::ExtractOp::create(b, loc, chunk, i));
    return elements;
  }

  /// A loop over groups of `count` elements.
  Values overGroups(int64_t count, Values state, function_ref<Values(Value first, Values)> body) {
    auto loop = scf::ForOp::create(b, loc, constant(0), constant(count), constant(elementsOfRead), state);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(b, loc, body(loop.getInductionVar(), Values(loop.getRegionIterArgs())));
    return Values(loop.getResults());
  }
};

} // namespace

std::unique_ptr<BlockProducts> makeFmaProducts(const AttentionSite &site) {
  return std::make_unique<FmaProducts>(site);
}

} // namespace proa
