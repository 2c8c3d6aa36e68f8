// The loop over k in which the tensor memory accelerator fills a ring of parts in shared memory.
#include "passes/analysis/KernelAttributes.h"
#include "passes/lower-gpu/LaunchForm.h"
#include "passes/lower-gpu/TileLoop.h"
#include "passes/lower-gpu/hopper/TensorView.h"
#include "passes/lower-gpu/hopper/WgmmaTile.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace proa {
namespace {

/// An operand of the contraction: where it is in memory, and how its parts are in shared memory.
struct RingOperand {
  OpOperand *operand = nullptr;
  unsigned outerLoop = 0;
  TensorView view;
  WgmmaOperand shared;
  Value map; ///< the tensor map
};

class RingLoop : public TileLoop, private IndexCode {
public:
  RingLoop(const ContractionSite &site, RingOperand xOperand, RingOperand yOperand)
      : IndexCode(site.b, site.loc), op(site.target.op), form(site.target.form), choice(site.target.choice),
        kSize(site.target.sizes[form.k]), thread(site.thread), results(site.results), code(b, loc),
        x(std::move(xOperand)), y(std::move(yOperand)),
        products(b, loc, op, choice, x.shared, y.shared, thread) {
    auto kernel = op->getParentOfType<func::FuncOp>();
    x.map = addMap(kernel, x);
    y.map = addMap(kernel, y);
    prepare(kernel, site.results.sumsType(products));
  }

  void tile(ValueRange indices, Store store) override {
    Value isReader = isBelow(thread, constant(choice.storingThreads));
    auto roles = scf::IfOp::create(b, loc, isReader, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(roles.thenBlock());
    TileSums::Values registers = read();
    results.setThread(code.pinned(thread));
    store(products, registers, sums);
    b.setInsertionPointToStart(roles.elseBlock());
    Value isProducer = isEqual(thread, choice.storingThreads);
    b.setInsertionPointToStart(scf::IfOp::create(b, loc, isProducer).thenBlock());
    fill(indices);
  }

private:
  linalg::LinalgOp op;
  ContractionForm form;
  ContractionChoice choice;
  OpFoldResult kSize;
  Value thread;
  TileResults &results;
  HopperCode code;
  RingOperand x, y;
  WgmmaTile products;
  std::optional<Ring> ring;
  Value base, sums;                     ///< of the stages, as an address; of the sums of a pass
  std::optional<RingVariable> position; ///< across tiles

  int64_t stageBytes() const { return x.shared.bytes() + y.shared.bytes(); }

  Value addMap(func::FuncOp kernel, const RingOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(operand.operand);
    SmallVector<int64_t> box(operand.view.sizes.size(), 1);
    for (auto [result, dim] : llvm::zip(map.getResults(), operand.view.dims)) {
      if (result == b.getAffineDimExpr(form.k))
        box[dim] = operand.shared.partK();
      if (result == b.getAffineDimExpr(operand.outerLoop))
        box[dim] = operand.shared.boxOfOuter();
    }
    return operand.view.addTensorMap(kernel, box, swizzleBytes);
  }

  /// Allocates shared memory and initializes the barriers, at the start of the kernel.
  void prepare(func::FuncOp kernel, MemRefType sumsType) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(thread);
    int64_t ringBytes = choice.stages * stageBytes();
    int64_t sumsBytes = sumsType.getNumElements() * sumsType.getElementTypeBitWidth() / 8;
    auto type = MemRefType::get({ringBytes + sumsBytes + Ring::barrierBytes(choice.stages)}, b.getI8Type(),
                                MemRefLayoutAttrInterface(), sumsType.getMemorySpace());
    Value memory =
        memref::AllocOp::create(b, loc, type, ValueRange(), ValueRange(), b.getI64IntegerAttr(patternBytes));
    base = code.addressOf(memory);
    sums = memref::ViewOp::create(b, loc, sumsType, memory, constant(ringBytes), ValueRange());
    // One lane of each warp frees a stage.
    ring.emplace(code, add(base, ringBytes + sumsBytes), choice.stages, choice.storingThreads / warpSize);
    // LLVM keeps variables of the first block only in registers.
    position.emplace(b, loc, ring->first());
    Value isFirst = isEqual(thread, 0);
    {
      OpBuilder::InsertionGuard inner(b);
      b.setInsertionPointToStart(scf::IfOp::create(b, loc, isFirst).thenBlock());
      ring->init();
      code.fenceBarriers();
      code.prefetchMap(x.map);
      code.prefetchMap(y.map);
    }
    gpu::BarrierOp::create(b, loc);
  }

  /// A loop over the parts of k, whose state ends with the position in the ring.
  TileSums::Values parts(TileSums::Values state,
                         function_ref<TileSums::Values(Value k, Ring::Position, ValueRange)> body) {
    Ring::Position start = position->load();
    state.append({start.stage, start.parity});
    Value end = getValueOrCreateConstantIndexOp(b, loc, kSize);
    auto loop = scf::ForOp::create(b, loc, constant(0), end, constant(choice.k), state);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      ValueRange own = loop.getRegionIterArgs();
      Ring::Position at{own.drop_back().back(), own.back()};
      TileSums::Values next = body(loop.getInductionVar(), at, own.drop_back(2));
      at = ring->next(at);
      next.append({at.stage, at.parity});
      scf::YieldOp::create(b, loc, next);
    }
    ValueRange results = loop.getResults();
    position->save({results.drop_back().back(), results.back()});
    return TileSums::Values(results.drop_back(2));
  }

  Value stageAddress(const Ring::Position &position) {
    return add(base, multiply(position.stage, stageBytes()));
  }

  TileSums::Values read() {
    return parts(products.start(), [&](Value, Ring::Position position, ValueRange own) {
      ring->awaitFull(position);
      Value address = stageAddress(position);
      TileSums::Values next = products.accumulate(address, add(address, x.shared.bytes()), own);
      Value isFirstLane = isEqual(remainder(thread, warpSize), 0);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(scf::IfOp::create(b, loc, isFirstLane).thenBlock());
      ring->release(position);
      return next;
    });
  }

  void fill(ValueRange indices) {
    parts({}, [&](Value k, Ring::Position position, ValueRange) {
      ring->acquire(position, stageBytes());
      Value address = stageAddress(position), barrier = ring->full(position.stage);
      copyPart(x, indices, k, address, barrier);
      copyPart(y, indices, k, add(address, x.shared.bytes()), barrier);
      return TileSums::Values();
    });
  }

  void copyPart(const RingOperand &operand, ValueRange indices, Value k, Value address, Value barrier) {
    AffineMap map = op.getMatchingIndexingMap(operand.operand);
    for (int64_t box = 0; box < operand.shared.boxes(); ++box) {
      TileSums::Values coordinates;
      for (OpFoldResult offset : operand.view.offsets)
        coordinates.push_back(getValueOrCreateConstantIndexOp(b, loc, offset));
      for (auto [result, dim] : llvm::zip(map.getResults(), operand.view.dims)) {
        auto loop = dyn_cast<AffineDimExpr>(result);
        if (!loop)
          continue; // index 0
        Value index = loop.getPosition() == form.k ? k : indices[loop.getPosition()];
        if (loop.getPosition() == operand.outerLoop)
          index = add(index, box * operand.shared.boxOfOuter());
        coordinates[dim] = add(coordinates[dim], index);
      }
      code.copyBox(add(address, box * operand.shared.boxBytes()), operand.map, coordinates, barrier);
    }
  }
};

/// Finds an operand in memory. Error: the accelerator cannot address it.
FailureOr<RingOperand> operandOf(const ContractionSite &site, OpOperand &operand, unsigned outerLoop,
                                 int64_t outer) {
  linalg::LinalgOp op = site.target.op;
  std::string reason = whyNotForRing(op, operand, outerLoop, site.target.form.k);
  if (!reason.empty())
    return op->emitError() << "'wgmma' cannot read operand " << operand.getOperandNumber() << ": " << reason;
  RingOperand found{&operand, outerLoop, *TensorView::of(operand.get(), reason), {}, {}};
  AffineMap map = op.getMatchingIndexingMap(&operand);
  found.shared.element = found.view.element;
  found.shared.alongK = map.getResults().back() == site.b.getAffineDimExpr(site.target.form.k);
  found.shared.outer = outer;
  return found;
}

} // namespace

std::string whyNotForRing(linalg::LinalgOp op, OpOperand &operand, unsigned outerLoop, unsigned kLoop) {
  std::string reason;
  std::optional<TensorView> view = TensorView::of(operand.get(), reason);
  if (!view)
    return reason;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  MLIRContext *context = op.getContext();
  AffineExpr last = map.getResults().back(), k = getAffineDimExpr(kLoop, context);
  if (view->dims.back() + 1 != view->sizes.size() ||
      (last != k && last != getAffineDimExpr(outerLoop, context)))
    return "its adjacent elements differ in another loop than its rows, its columns or k";
  if (last != k && view->element.getIntOrFloatBitWidth() != 16)
    return "elements of other than 16 bits must be adjacent along k";
  // Beyond the end of k both operands have zeros, if that is the end of the tensors.
  for (auto [result, dim] : llvm::zip(map.getResults(), view->dims))
    if (result == k && !view->isWhole(dim) && !contractionOf(op).getWholeSteps())
      return "it is a slice along k";
  return "";
}

FailureOr<std::unique_ptr<TileLoop>> makeRingLoop(const ContractionSite &site) {
  const TileResults::Target &target = site.target;
  linalg::LinalgOp op = target.op;
  FailureOr<RingOperand> x = operandOf(site, op->getOpOperand(0), target.form.m, target.choice.m);
  FailureOr<RingOperand> y = operandOf(site, op->getOpOperand(1), target.form.n, target.choice.n);
  if (failed(x) || failed(y))
    return failure();
  return std::unique_ptr<TileLoop>(std::make_unique<RingLoop>(site, std::move(*x), std::move(*y)));
}

} // namespace proa
