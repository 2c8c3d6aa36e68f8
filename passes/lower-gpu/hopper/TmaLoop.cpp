// The loop over k in which the tensor memory accelerator fills a circular buffer of stages in shared memory.
#include "passes/analysis/KernelAttributes.h"
#include "passes/lower-gpu/TileLoop.h"
#include "passes/lower-gpu/hopper/WgmmaMatmul.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace proa {
namespace {

/// An operand of the contraction: its tile in shared memory, and the loops of its dims.
struct TmaOperand {
  OpOperand *operand = nullptr;
  MappedTile tile;
  bool alongK = true; ///< adjacent elements differ in k
};

class TmaLoop : public TileLoop, private CodeBuilder {
public:
  TmaLoop(const ContractionSite &site, TmaOperand xOperand, TmaOperand yOperand)
      : CodeBuilder(site.b, site.loc), op(site.target.op), form(site.target.form), choice(site.target.choice),
        kSize(site.target.sizes[form.k]), thread(site.thread), results(site.results),
        threads(b, loc, thread, choice.storingThreads, /*fillers=*/warpSize), x(std::move(xOperand)),
        y(std::move(yOperand)),
        matmul(b, loc, *TensorCoreTypes::of(op, /*allowsTf32=*/true), choice.warpM, thread) {
    for (TmaOperand *operand : {&x, &y})
      operand->tile.addMap(op->getParentOfType<func::FuncOp>());
    prepare(site.results.sumsType());
  }

  void tile(ValueRange indices, Store store) override {
    auto readAll = [&] {
      Values registers;
      for (Value ofRows : read())
        registers.append(matmul.registersOf(ofRows, choice.n));
      results.setThread(threads.pinned(thread));
      store(registers, sums);
    };
    threads.assignRoles(readAll, [&] { fill(indices); });
  }

private:
  linalg::LinalgOp op;
  ContractionForm form;
  ContractionChoice choice;
  OpFoldResult kSize;
  Value thread;
  TileResults &results;
  StageThreads threads;
  TmaOperand x, y;
  WgmmaMatmul matmul;
  std::optional<StageBuffer> buffer;
  Value base, sums;                      ///< of the stages, as an address; of the sums of a pass
  std::optional<StageVariable> position; ///< across tiles

  int64_t stageBytes() const { return x.tile.shared.bytes() + y.tile.shared.bytes(); }

  /// Allocates shared memory and initializes the barriers, at the start of the kernel.
  void prepare(MemRefType sumsType) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(thread);
    int64_t bytesOfStages = choice.stages * stageBytes();
    int64_t sumsBytes = sumsType.getNumElements() * sumsType.getElementTypeBitWidth() / 8;
    Value memory = threads.allocate(bytesOfStages + sumsBytes + StageBuffer::barrierBytes(choice.stages));
    base = threads.addressOf(memory);
    sums = memref::ViewOp::create(b, loc, sumsType, memory, constant(bytesOfStages), ValueRange());
    buffer.emplace(threads, add(base, bytesOfStages + sumsBytes), choice.stages, threads.arrivals());
    // LLVM keeps variables of the first block only in registers.
    position.emplace(b, loc, buffer->first());
    threads.start({&*buffer}, {x.tile.map, y.tile.map});
  }

  /// A loop over the stages of k, whose state ends with the position in the buffer.
  Values overStages(Values state, function_ref<Values(Value k, StageBuffer::Position, ValueRange)> body) {
    StageBuffer::Position start = position->load();
    state.append({start.stage, start.parity});
    Value end = toValue(kSize);
    Values last = loop(constant(0), end, constant(choice.k), state, [&](Value k, ValueRange own) {
      StageBuffer::Position at{own.drop_back().back(), own.back()};
      Values next = body(k, at, own.drop_back(2));
      at = buffer->next(at);
      next.append({at.stage, at.parity});
      return next;
    });
    Value parity = last.pop_back_val(), stage = last.pop_back_val();
    position->save({stage, parity});
    return last;
  }

  Value stageAddress(const StageBuffer::Position &position) {
    return add(base, multiply(position.stage, stageBytes()));
  }

  Values read() {
    return overStages(matmul.start(choice.n), [&](Value, StageBuffer::Position at, ValueRange own) {
      buffer->awaitFull(at);
      Values next = accumulate(stageAddress(at), own);
      threads.release(*buffer, at);
      return next;
    });
  }

  /// The sums plus the products of the operands at an address.
  Values accumulate(Value address, ValueRange before) {
    bool addsLater = matmul.losesBits();
    Values zeros = addsLater ? matmul.start(choice.n) : Values();
    matmul.begin();
    Values next = matmul.multiply({x.tile.shared, address, x.alongK},
                                  {y.tile.shared, add(address, x.tile.shared.bytes()), y.alongK},
                                  addsLater ? ValueRange(zeros) : before, choice.n, /*addsSums=*/!addsLater);
    matmul.end();
    if (addsLater)
      for (auto [own, sum] : llvm::zip_equal(next, before))
        own = matmul.addSums(sum, own, choice.n);
    return next;
  }

  void fill(ValueRange indices) {
    overStages({}, [&](Value k, StageBuffer::Position at, ValueRange) {
      buffer->acquire(at, stageBytes());
      Value address = stageAddress(at), barrier = buffer->full(at.stage);
      x.tile.copy(threads, coordinatesOf(x, indices, k), address, barrier);
      y.tile.copy(threads, coordinatesOf(y, indices, k), add(address, x.tile.shared.bytes()), barrier);
      return Values();
    });
  }

  /// Of the first element, in the tensor.
  Values coordinatesOf(const TmaOperand &operand, ValueRange indices, Value k) {
    const TensorView &view = operand.tile.view;
    Values coordinates;
    for (OpFoldResult offset : view.offsets)
      coordinates.push_back(toValue(offset));
    AffineMap map = op.getMatchingIndexingMap(operand.operand);
    for (auto [result, dim] : llvm::zip(map.getResults(), view.dims))
      if (auto loop = dyn_cast<AffineDimExpr>(result)) // otherwise index 0
        coordinates[dim] =
            add(coordinates[dim], loop.getPosition() == form.k ? k : indices[loop.getPosition()]);
    return coordinates;
  }
};

/// Finds an operand in memory. Error: the accelerator cannot address it.
FailureOr<TmaOperand> operandOf(const ContractionSite &site, OpOperand &operand, unsigned outerLoop,
                                int64_t outer) {
  linalg::LinalgOp op = site.target.op;
  std::string reason = whyNotForTma(op, operand, outerLoop, site.target.form.k);
  if (!reason.empty())
    return op->emitError() << "'wgmma' cannot read operand " << operand.getOperandNumber() << ": " << reason;
  TmaOperand found{&operand, {{}, *TensorView::of(operand.get(), reason)}};
  MappedTile &tile = found.tile;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  AffineExpr k = site.b.getAffineDimExpr(site.target.form.k), outerDim = site.b.getAffineDimExpr(outerLoop);
  found.alongK = map.getResults().back() == k;
  auto dimOf = [&](AffineExpr loop) { return tile.view.dims[*map.getResultPosition(loop)]; };
  tile.lineDim = dimOf(found.alongK ? outerDim : k);
  tile.elementDim = dimOf(found.alongK ? k : outerDim);
  tile.shared.element = tile.view.element;
  int64_t ofLine = tile.shared.lineElements(); // and of k
  tile.shared.lines = found.alongK ? outer : ofLine;
  tile.shared.elements = found.alongK ? ofLine : outer;
  return found;
}

} // namespace

std::string whyNotForTma(linalg::LinalgOp op, OpOperand &operand, unsigned outerLoop, unsigned kLoop) {
  std::string reason;
  std::optional<TensorView> view = TensorView::of(operand.get(), reason);
  if (!view)
    return reason;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  AffineExpr k = getAffineDimExpr(kLoop, op.getContext());
  if (view->dims.back() + 1 != view->sizes.size())
    return "its elements are not adjacent in memory";
  if (std::string why = whyNotForWgmma(map, outerLoop, kLoop, view->element); !why.empty())
    return why;
  // Beyond the end of k both operands have zeros, if that is the end of the tensors.
  for (auto [result, dim] : llvm::zip(map.getResults(), view->dims))
    if (result == k && !view->isWhole(dim) && !contractionOf(op).getWholeSteps())
      return "it is a slice along k";
  return "";
}

FailureOr<std::unique_ptr<TileLoop>> makeTmaLoop(const ContractionSite &site) {
  const TileResults::Target &target = site.target;
  linalg::LinalgOp op = target.op;
  FailureOr<TmaOperand> x = operandOf(site, op->getOpOperand(0), target.form.m, target.choice.m);
  FailureOr<TmaOperand> y = operandOf(site, op->getOpOperand(1), target.form.n, target.choice.n);
  if (failed(x) || failed(y))
    return failure();
  return std::unique_ptr<TileLoop>(std::make_unique<TmaLoop>(site, std::move(*x), std::move(*y)));
}

} // namespace proa
