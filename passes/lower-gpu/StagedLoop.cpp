// The loop over k in which the threads copy tiles of the operands to shared memory.
#include "passes/lower-gpu/AccessWidth.h"
#include "passes/lower-gpu/LinalgElements.h"
#include "passes/lower-gpu/Prologue.h"
#include "passes/lower-gpu/StagedMemory.h"
#include "passes/lower-gpu/TileCopy.h"
#include "passes/lower-gpu/TileLoop.h"
#include "passes/lower-gpu/TileMatmul.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace proa {
namespace {

/// An operand of a contraction at the tile that a block computes.
///
/// Its elements are named by two indices: `outer` (a row of x or a column of y) and `k`. Lines of the copy
/// are along the index whose elements are adjacent in memory.
class StagedOperand : public CodeBuilder {
public:
  struct Shape {
    int64_t outer = 0, k = 0; ///< of the tile
    int64_t threads = 0;
  };

  /// `outerLoop` is the loop of the op that is not shared with the other operand.
  StagedOperand(OpBuilder &b, Location loc, linalg::LinalgOp op, OpOperand &operand, unsigned outerLoop,
                unsigned kLoop, Shape shape, Value thread);

  /// Elements that are adjacent in global memory differ in k.
  bool isAdjacentAlongK() const { return alongK; }
  Type elementType() const { return getElementTypeOrSelf(operand.get().getType()); }
  /// Whether few enough chunks for registers are loaded before they are stored.
  bool isLoadedEarly() const { return copies->chunksOfThread() <= maxEarlyChunks; }
  /// Whether asynchronous copies are possible to memory [outer][k], or [k][outer] with `kFirst`.
  bool canCopyAsync(bool kFirst) const { return vector > 1 && !isTransposed(kFirst) && !prologue; }
  /// Whether lines in such memory are columns of it.
  bool isTransposed(bool kFirst) const { return alongK == kFirst; }

  /// The tile whose first element has `indices` of the loops, and `k`.
  CopySource at(ValueRange indices, Value k);
  TileCopy &copy() { return *copies; }

private:
  static constexpr int64_t maxEarlyChunks = 8;

  linalg::LinalgOp op;
  OpOperand &operand;
  unsigned outerLoop, kLoop;
  int64_t outer; ///< of the tile
  bool alongK = true;
  int64_t vector = 1;               ///< elements of a chunk
  std::optional<Prologue> prologue; ///< computes the elements instead of loading them
  OpFoldResult outerSize, kSize;
  std::optional<TileCopy> copies;
};

StagedOperand::StagedOperand(OpBuilder &b, Location loc, linalg::LinalgOp op, OpOperand &operand,
                             unsigned outerLoop, unsigned kLoop, Shape shape, Value thread)
    : CodeBuilder(b, loc), op(op), operand(operand), outerLoop(outerLoop), kLoop(kLoop), outer(shape.outer),
      prologue(Prologue::of(operand)) {
  auto type = cast<MemRefType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto sizeOf = [&](unsigned loop) {
    unsigned dim = *map.getResultPosition(b.getAffineDimExpr(loop));
    return memref::getMixedSize(b, loc, operand.get(), dim);
  };
  outerSize = sizeOf(outerLoop);
  kSize = sizeOf(kLoop);
  AffineExpr last = map.getResults().back();
  alongK = last != b.getAffineDimExpr(outerLoop);
  bool isAdjacent = type.isLastDimUnitStride() && (!alongK || last == b.getAffineDimExpr(kLoop));
  vector = isAdjacent ? chunkElements(operand.get(), alongK ? kSize : outerSize) : 1;
  TileCopy::Shape lines{alongK ? shape.outer : shape.k, alongK ? shape.k : shape.outer, shape.threads,
                        vector};
  copies.emplace(b, loc, elementType(), lines, thread);
}

CopySource StagedOperand::at(ValueRange indices, Value k) {
  auto ofLine = [this](Value line, Value element) {
    return alongK ? std::pair(line, element) : std::pair(element, line);
  };
  CopySource source{operand.get(), indices[outerLoop], k, {}, {}};
  if (!alongK)
    std::swap(source.firstLine, source.firstElement);
  source.indices = [=, this, all = SmallVector<Value>(indices)](Value line, Value element) {
    SmallVector<Value> own(all);
    std::tie(own[outerLoop], own[kLoop]) = ofLine(line, element);
    return indicesThrough(b, loc, op.getMatchingIndexingMap(&operand), own);
  };
  source.isInside = [=, this](Value line, Value element) {
    auto [ofOuter, ofK] = ofLine(line, element);
    Value isInside = isBelow(ofK, toValue(kSize));
    std::optional<int64_t> size = getConstantIntValue(outerSize);
    if (size && *size % outer == 0)
      return isInside;
    Value isOuter = isBelow(ofOuter, toValue(outerSize));
    return both(isOuter, isInside);
  };
  if (prologue)
    source.compute = [this](ValueRange own) { return prologue->elementsAt(b, loc, own, vector); };
  return source;
}

class StagedLoop : public TileLoop, private CodeBuilder {
public:
  explicit StagedLoop(const ContractionSite &site)
      : CodeBuilder(site.b, site.loc), op(site.target.op), form(site.target.form), choice(site.target.choice),
        kSize(site.target.sizes[form.k]), thread(site.thread) {
    x = std::make_unique<StagedOperand>(b, loc, op, op->getOpOperand(0), form.m, form.k,
                                        StagedOperand::Shape{choice.m, choice.k, choice.threads}, thread);
    y = std::make_unique<StagedOperand>(b, loc, op, op->getOpOperand(1), form.n, form.k,
                                        StagedOperand::Shape{choice.n, choice.k, choice.threads}, thread);
    matmul = makeMatmul(site.results.layout());
    shared = allocate(site.results.sumsType());
  }

  void tile(ValueRange indices, Store store) override {
    store(copiesAsync() ? sumsOfStages(indices) : sumsOf(indices), shared.sums);
  }

private:
  /// The operands in shared memory, and later the sums of a pass, which take their place.
  struct Shared {
    TileMatmul::Operand x, y;
    Value sums;
  };

  std::unique_ptr<TileMatmul> makeMatmul(const ThreadLayout &sums);
  TileMatmul::Layout layoutOf(const StagedOperand &operand) const;
  SmallVector<int64_t> dimsOf(const StagedOperand &operand, int64_t outer) const;
  TileMatmul::Operand viewOf(Value bytes, int64_t offset, const StagedOperand &operand, int64_t outer);
  Shared allocate(MemRefType sumsType);
  bool copiesAsync() const;
  Values sumsOf(ValueRange indices);
  Values sumsOfStages(ValueRange indices);
  void copyStage(ValueRange indices, Value k, Value stage);
  TileMatmul::Operand stageOf(const TileMatmul::Operand &operand, Value stage);

  linalg::LinalgOp op;
  ContractionForm form;
  ContractionChoice choice;
  OpFoldResult kSize;
  Value thread;
  std::unique_ptr<StagedOperand> x, y;
  std::unique_ptr<TileMatmul> matmul;
  Shared shared;
};

std::unique_ptr<TileMatmul> StagedLoop::makeMatmul(const ThreadLayout &sums) {
  if (choice.kind == MatmulKind::Mma)
    return makeMmaMatmul(b, loc, sums, thread, *TensorCoreTypes::of(op, /*allowsTf32=*/true));
  auto body = [this](Value left, Value right, Value sum) {
    Value own[] = {left, right, sum};
    return cloneBody(b, op, {}, [&](OpOperand &operand) { return own[operand.getOperandNumber()]; })[0];
  };
  return makeFmaMatmul(b, loc, sums, thread, getElementTypeOrSelf(op.getDpsInits()[0].getType()), body);
}

TileMatmul::Layout StagedLoop::layoutOf(const StagedOperand &operand) const {
  return matmul->layoutOf(operand.elementType(), operand.isAdjacentAlongK());
}

/// [line][element] of an operand in shared memory, or [stage][line][element].
SmallVector<int64_t> StagedLoop::dimsOf(const StagedOperand &operand, int64_t outer) const {
  TileMatmul::Layout layout = layoutOf(operand);
  int64_t lines = layout.kFirst ? choice.k : outer, length = (layout.kFirst ? outer : choice.k) + layout.pad;
  return copiesAsync() ? SmallVector<int64_t>{choice.stages, lines, length}
                       : SmallVector<int64_t>{lines, length};
}

/// An operand at `offset` of the shared memory.
TileMatmul::Operand StagedLoop::viewOf(Value bytes, int64_t offset, const StagedOperand &operand,
                                       int64_t outer) {
  MemRefType type = sharedType(dimsOf(operand, outer), operand.elementType());
  return {memref::ViewOp::create(b, loc, type, bytes, constant(offset), ValueRange()),
          layoutOf(operand).kFirst};
}

StagedLoop::Shared StagedLoop::allocate(MemRefType sumsType) {
  auto bytesOf = [](Type type) {
    return static_cast<int64_t>(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
  };
  auto operandBytes = [&](const StagedOperand &operand, int64_t outer) {
    int64_t elements = ShapedType::getNumElements(dimsOf(operand, outer));
    return static_cast<int64_t>(llvm::alignTo(elements * bytesOf(operand.elementType()), accessBytes));
  };
  int64_t xBytes = operandBytes(*x, choice.m), yBytes = operandBytes(*y, choice.n);
  int64_t bytes = std::max(xBytes + yBytes, sumsType.getNumElements() * bytesOf(sumsType.getElementType()));
  Value memory = allocateShared(b, loc, bytes, b.getI8Type());
  return {viewOf(memory, 0, *x, choice.m), viewOf(memory, xBytes, *y, choice.n),
          memref::ViewOp::create(b, loc, sumsType, memory, constant(0), ValueRange())};
}

/// Each iteration multiplies what the one before loaded into registers, and loads the next tile meanwhile. An
/// operand of too many chunks is copied when its tile is needed.
StagedLoop::Values StagedLoop::sumsOf(ValueRange indices) {
  Values state = matmul->start();
  size_t numSums = state.size();
  Value zero = constant(0);
  std::pair<StagedOperand *, TileMatmul::Operand *> operands[] = {{x.get(), &shared.x}, {y.get(), &shared.y}};
  for (auto [operand, staged] : operands)
    if (operand->isLoadedEarly())
      state.append(operand->copy().load(operand->at(indices, zero)));
  Value end = toValue(kSize);
  Values last = loop(zero, end, constant(choice.k), state, [&](Value k, ValueRange own) {
    ValueRange loaded = own.drop_front(numSums);
    gpu::BarrierOp::create(b, loc); // all threads have read the last tile
    for (auto [operand, staged] : operands) {
      if (!operand->isLoadedEarly()) {
        operand->copy().copy(operand->at(indices, k), staged->memory, operand->isTransposed(staged->kFirst));
        continue;
      }
      int64_t count = operand->copy().chunksOfThread();
      operand->copy().store(loaded.take_front(count), staged->memory, operand->isTransposed(staged->kFirst));
      loaded = loaded.drop_front(count);
    }
    gpu::BarrierOp::create(b, loc);
    Value next = arith::AddIOp::create(b, loc, k, constant(choice.k));
    Values nextLoaded;
    for (auto [operand, staged] : operands)
      if (operand->isLoadedEarly())
        nextLoaded.append(operand->copy().load(operand->at(indices, next)));
    Values results = matmul->accumulate(shared.x, shared.y, choice.k, own.take_front(numSums));
    results.append(nextLoaded);
    return results;
  });
  last.resize(numSums);
  return last;
}

/// Whether the tiles of both operands are copied asynchronously.
bool StagedLoop::copiesAsync() const {
  return choice.stages > 1 && x->canCopyAsync(layoutOf(*x).kFirst) && y->canCopyAsync(layoutOf(*y).kFirst);
}

/// Starts the copies of both operands, as one group.
void StagedLoop::copyStage(ValueRange indices, Value k, Value stage) {
  for (auto [operand, staged] : {std::pair(x.get(), &shared.x), std::pair(y.get(), &shared.y)})
    operand->copy().copyAsync(operand->at(indices, k), stageView(b, loc, staged->memory, stage),
                              operand->copy().chunksOfThread());
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
}

/// The memory of one stage.
TileMatmul::Operand StagedLoop::stageOf(const TileMatmul::Operand &operand, Value stage) {
  return {stageView(b, loc, operand.memory, stage), operand.kFirst};
}

/// While a tile is multiplied, the next ones are copied to the other stages. The stage of the last tile is
/// free when all threads are at the barrier.
StagedLoop::Values StagedLoop::sumsOfStages(ValueRange indices) {
  Value zero = constant(0);
  auto ahead = static_cast<uint32_t>(choice.stages - 1);
  gpu::BarrierOp::create(b, loc); // the sums of the last tile are no longer read
  for (int64_t stage = 0; stage < ahead; ++stage)
    copyStage(indices, constant(stage * choice.k), constant(stage));
  Values state = matmul->start();
  state.append({zero, constant(ahead)});
  Value end = toValue(kSize);
  Values sums = loop(zero, end, constant(choice.k), state, [&](Value k, ValueRange own) {
    Value stage = own.drop_back().back(), last = own.back();
    NVVM::CpAsyncWaitGroupOp::create(b, loc, ahead - 1); // all but the copies of later tiles
    gpu::BarrierOp::create(b, loc);
    copyStage(indices, add(k, ahead * choice.k), last);
    Values results =
        matmul->accumulate(stageOf(shared.x, stage), stageOf(shared.y, stage), choice.k, own.drop_back(2));
    Value next = add(stage, 1);
    results.append({select(isEqual(next, choice.stages), zero, next), stage});
    return results;
  });
  NVVM::CpAsyncWaitGroupOp::create(b, loc, /*n=*/0);
  sums.pop_back_n(2);
  return sums;
}

} // namespace

std::unique_ptr<TileLoop> makeStagedLoop(const ContractionSite &site) {
  return std::make_unique<StagedLoop>(site);
}

} // namespace proa
