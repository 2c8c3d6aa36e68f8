// The loop over k in which the threads copy parts of the operands to shared memory.
#include "passes/lower-gpu/AccessWidth.h"
#include "passes/lower-gpu/SharedStages.h"
#include "passes/lower-gpu/StagedOperand.h"
#include "passes/lower-gpu/TileLoop.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace proa {
namespace {

class StagedLoop : public TileLoop, private IndexCode {
public:
  explicit StagedLoop(const ContractionSite &site)
      : IndexCode(site.b, site.loc), op(site.target.op), form(site.target.form), choice(site.target.choice),
        kSize(site.target.sizes[form.k]), thread(site.thread) {
    x = std::make_unique<StagedOperand>(b, loc, op, op->getOpOperand(0), form.m, form.k,
                                        StagedOperand::Shape{choice.m, choice.k, choice.threads});
    y = std::make_unique<StagedOperand>(b, loc, op, op->getOpOperand(1), form.n, form.k,
                                        StagedOperand::Shape{choice.n, choice.k, choice.threads});
    bool usesMma = choice.kind == MatmulKind::Mma;
    products = (usesMma ? makeMmaTile : makeFmaTile)(b, loc, op, choice, thread);
    shared = allocate(site.results.sumsType(*products));
  }

  void tile(ValueRange indices, Store store) override {
    store(*products, copiesAsync() ? sumsOfStages(indices) : sumsOf(indices), shared.sums);
  }

private:
  using Values = SmallVector<Value>;

  /// The operands in shared memory, and later the sums of a pass, which take their place.
  struct Shared {
    TileProducts::Staged x, y;
    Value sums;
  };

  TileProducts::Staged viewOf(Value bytes, int64_t offset, const StagedOperand &operand, int64_t outer);
  Shared allocate(MemRefType sumsType);
  bool copiesAsync();
  Values sumsOf(ValueRange indices);
  Values sumsOfStages(ValueRange indices);
  void copyStage(ValueRange indices, Value k, Value stage);
  TileProducts::Staged stageOf(const TileProducts::Staged &operand, Value stage);

  linalg::LinalgOp op;
  ContractionForm form;
  ContractionChoice choice;
  OpFoldResult kSize;
  Value thread;
  std::unique_ptr<StagedOperand> x, y;
  std::unique_ptr<TileProducts> products;
  Shared shared;
};

/// An operand at `offset` of the shared memory.
TileProducts::Staged StagedLoop::viewOf(Value bytes, int64_t offset, const StagedOperand &operand,
                                        int64_t outer) {
  TileProducts::Layout layout = products->layoutOf(operand.elementType(), operand.isAdjacentAlongK());
  int64_t lines = layout.kFirst ? choice.k : outer, length = (layout.kFirst ? outer : choice.k) + layout.pad;
  SmallVector<int64_t> dims{lines, length};
  if (copiesAsync())
    dims.insert(dims.begin(), choice.stages);
  auto type = MemRefType::get(dims, operand.elementType(), MemRefLayoutAttrInterface(),
                              cast<MemRefType>(bytes.getType()).getMemorySpace());
  return {memref::ViewOp::create(b, loc, type, bytes, constant(offset), ValueRange()), layout.kFirst};
}

StagedLoop::Shared StagedLoop::allocate(MemRefType sumsType) {
  auto bytesOf = [](Type type) {
    return static_cast<int64_t>(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
  };
  auto operandBytes = [&](const StagedOperand &operand, int64_t outer) {
    TileProducts::Layout layout = products->layoutOf(operand.elementType(), operand.isAdjacentAlongK());
    int64_t lines = layout.kFirst ? choice.k : outer,
            length = (layout.kFirst ? outer : choice.k) + layout.pad;
    int64_t stages = copiesAsync() ? choice.stages : 1;
    return static_cast<int64_t>(
        llvm::alignTo(stages * lines * length * bytesOf(operand.elementType()), accessBytes));
  };
  int64_t xBytes = operandBytes(*x, choice.m), yBytes = operandBytes(*y, choice.n);
  int64_t bytes = std::max(xBytes + yBytes, sumsType.getNumElements() * bytesOf(sumsType.getElementType()));
  auto type = MemRefType::get({bytes}, b.getI8Type(), MemRefLayoutAttrInterface(), sumsType.getMemorySpace());
  Value memory =
      memref::AllocOp::create(b, loc, type, ValueRange(), ValueRange(), b.getI64IntegerAttr(accessBytes));
  return {viewOf(memory, 0, *x, choice.m), viewOf(memory, xBytes, *y, choice.n),
          memref::ViewOp::create(b, loc, sumsType, memory, constant(0), ValueRange())};
}

/// Each iteration multiplies what the one before loaded into registers, and loads the next part meanwhile. An
/// operand of too many chunks is copied when its part is needed.
StagedLoop::Values StagedLoop::sumsOf(ValueRange indices) {
  Values state = products->start();
  size_t numSums = state.size();
  Value zero = constant(0);
  std::pair<StagedOperand *, TileProducts::Staged *> operands[] = {{x.get(), &shared.x},
                                                                   {y.get(), &shared.y}};
  for (auto [operand, staged] : operands)
    if (operand->isLoadedEarly())
      state.append(operand->load(thread, indices, zero));
  Value end = getValueOrCreateConstantIndexOp(b, loc, kSize);
  auto created = scf::ForOp::create(b, loc, zero, end, constant(choice.k), state);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(created.getBody());
  Value k = created.getInductionVar();
  ValueRange own = created.getRegionIterArgs(), loaded = own.drop_front(numSums);
  gpu::BarrierOp::create(b, loc); // the last part is no longer read
  for (auto [operand, staged] : operands) {
    if (!operand->isLoadedEarly()) {
      operand->copy(thread, indices, k, staged->memory, staged->kFirst);
      continue;
    }
    operand->store(thread, loaded.take_front(operand->chunksOfThread()), staged->memory, staged->kFirst);
    loaded = loaded.drop_front(operand->chunksOfThread());
  }
  gpu::BarrierOp::create(b, loc);
  Value next = arith::AddIOp::create(b, loc, k, constant(choice.k));
  Values nextLoaded;
  for (auto [operand, staged] : operands)
    if (operand->isLoadedEarly())
      nextLoaded.append(operand->load(thread, indices, next));
  Values results = products->accumulate(shared.x, shared.y, own.take_front(numSums));
  results.append(nextLoaded);
  scf::YieldOp::create(b, loc, results);
  return Values(created.getResults().take_front(numSums));
}

/// Whether the parts of both operands are copied asynchronously.
bool StagedLoop::copiesAsync() {
  bool xFirst = products->layoutOf(x->elementType(), x->isAdjacentAlongK()).kFirst;
  bool yFirst = products->layoutOf(y->elementType(), y->isAdjacentAlongK()).kFirst;
  return choice.stages > 1 && x->canCopyAsync(xFirst) && y->canCopyAsync(yFirst);
}

/// Starts the copies of both operands, as one group.
void StagedLoop::copyStage(ValueRange indices, Value k, Value stage) {
  x->copyAsync(thread, indices, k, shared.x.memory, stage, shared.x.kFirst);
  y->copyAsync(thread, indices, k, shared.y.memory, stage, shared.y.kFirst);
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
}

/// The memory of one stage.
TileProducts::Staged StagedLoop::stageOf(const TileProducts::Staged &operand, Value stage) {
  return {stageView(b, loc, operand.memory, stage), operand.kFirst};
}

/// While a part is multiplied, the next ones are copied to the other stages. The stage of the last part is
/// free when all threads are at the barrier.
StagedLoop::Values StagedLoop::sumsOfStages(ValueRange indices) {
  Value zero = constant(0);
  auto ahead = static_cast<uint32_t>(choice.stages - 1);
  gpu::BarrierOp::create(b, loc); // the sums of the last tile are no longer read
  for (int64_t stage = 0; stage < ahead; ++stage)
    copyStage(indices, constant(stage * choice.k), constant(stage));
  Values state = products->start();
  state.append({zero, constant(ahead)});
  Value end = getValueOrCreateConstantIndexOp(b, loc, kSize);
  auto created = scf::ForOp::create(b, loc, zero, end, constant(choice.k), state);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(created.getBody());
  ValueRange own = created.getRegionIterArgs();
  Value stage = own.drop_back().back(), last = own.back();
  NVVM::CpAsyncWaitGroupOp::create(b, loc, ahead - 1); // all but the copies of later parts
  gpu::BarrierOp::create(b, loc);
  copyStage(indices, add(created.getInductionVar(), ahead * choice.k), last);
  Values results = products->accumulate(stageOf(shared.x, stage), stageOf(shared.y, stage), own.drop_back(2));
  Value next = add(stage, 1);
  results.append({select(isEqual(next, choice.stages), zero, next), stage});
  scf::YieldOp::create(b, loc, results);
  b.setInsertionPointAfter(created);
  NVVM::CpAsyncWaitGroupOp::create(b, loc, /*n=*/0);
  return Values(created.getResults().drop_back(2));
}

} // namespace

std::unique_ptr<TileLoop> makeStagedLoop(const ContractionSite &site) {
  return std::make_unique<StagedLoop>(site);
}

} // namespace proa
