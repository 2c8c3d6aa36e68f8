#include "passes/lower-gpu/ContractionThreads.h"

#include "passes/analysis/KernelAttributes.h"
#include "passes/lower-gpu/AccessWidth.h"
#include "passes/lower-gpu/ElementCode.h"
#include "passes/lower-gpu/ReductionForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;

namespace proa {

LogicalResult ContractionThreads::replace(linalg::LinalgOp replaced, linalg::LinalgOp reader) {
  op = replaced;
  epilogue = reader;
  loc = op.getLoc();
  FailureOr<ContractionChoice> read = ContractionChoice::read(op);
  if (failed(read))
    return failure();
  choice = *read;
  form = *ContractionForm::of(op);
  if (choice.threads != threads)
    return op->emitError() << "the contraction needs " << choice.threads << " threads, the block has "
                           << threads;
  b.setInsertionPoint(writer());
  sizes.clear();
  for (Range range : op.createLoopRanges(b, loc))
    sizes.push_back(range.size);
  x = std::make_unique<StagedOperand>(b, loc, op, op->getOpOperand(0), form.m, form.k,
                                      StagedOperand::Shape{choice.m, choice.k, threads});
  y = std::make_unique<StagedOperand>(b, loc, op, op->getOpOperand(1), form.n, form.k,
                                      StagedOperand::Shape{choice.n, choice.k, threads});
  products = choice.usesTensorCores ? makeMmaTile(b, loc, op, choice, thread)
                                    : makeFmaTile(b, loc, op, choice, thread);
  shared = allocate(x->isAdjacentAlongK(), y->isAdjacentAlongK());
  vector = chunkOfStores();
  Values indices(op.getNumLoops());
  indices[form.k] = constant(0);
  tiles(0, indices);
  if (epilogue)
    b.eraseOp(epilogue);
  b.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// Indices and memory
//===----------------------------------------------------------------------===//

Value ContractionThreads::constant(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

void ContractionThreads::loop(Value begin, OpFoldResult end, int64_t step, IndexBuilder body) {
  Value last = getValueOrCreateConstantIndexOp(b, loc, end);
  auto created = scf::ForOp::create(b, loc, begin, last, constant(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(created.getBody());
  body(created.getInductionVar());
}

/// `body` where `condition` holds; null: everywhere.
void ContractionThreads::guard(Value condition, function_ref<void()> body) {
  OpBuilder::InsertionGuard guard(b);
  if (condition)
    b.setInsertionPointToStart(scf::IfOp::create(b, loc, condition).thenBlock());
  body();
}

/// Whether an index of a tile is inside of the loop; null if that is known.
Value ContractionThreads::isBelow(Value index, unsigned loop, int64_t tile) {
  std::optional<int64_t> size = getConstantIntValue(sizes[loop]);
  if (size && *size % tile == 0)
    return {};
  Value end = getValueOrCreateConstantIndexOp(b, loc, sizes[loop]);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, end);
}

/// An operand at `offset` of the shared memory.
TileProducts::Staged ContractionThreads::viewOf(Value bytes, int64_t offset, Type element, int64_t outer,
                                                bool alongK) {
  TileProducts::Layout layout = products->layoutOf(element, alongK);
  int64_t lines = layout.kFirst ? choice.k : outer, length = (layout.kFirst ? outer : choice.k) + layout.pad;
  SmallVector<int64_t> dims{lines, length};
  if (copiesAsync())
    dims.insert(dims.begin(), choice.stages);
  auto type = MemRefType::get(dims, element, MemRefLayoutAttrInterface(),
                              cast<MemRefType>(bytes.getType()).getMemorySpace());
  return {memref::ViewOp::create(b, loc, type, bytes, constant(offset), ValueRange()), layout.kFirst};
}

ContractionThreads::Shared ContractionThreads::allocate(bool xAlongK, bool yAlongK) {
  auto space = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
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
  Type sum = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  constexpr int64_t pad = 8; // lanes with different rows access different banks
  auto sumsType =
      MemRefType::get({products->rowsOfPass, choice.n + pad}, sum, MemRefLayoutAttrInterface(), space);
  int64_t xBytes = operandBytes(*x, choice.m), yBytes = operandBytes(*y, choice.n);
  int64_t bytes = std::max(xBytes + yBytes, sumsType.getNumElements() * bytesOf(sum));
  Value memory = memref::AllocOp::create(
      b, loc, MemRefType::get({bytes}, b.getI8Type(), MemRefLayoutAttrInterface(), space), ValueRange(),
      ValueRange(), b.getI64IntegerAttr(accessBytes));
  return {viewOf(memory, 0, x->elementType(), choice.m, xAlongK),
          viewOf(memory, xBytes, y->elementType(), choice.n, yAlongK),
          memref::ViewOp::create(b, loc, sumsType, memory, constant(0), ValueRange())};
}

//===----------------------------------------------------------------------===//
// The sums of a tile
//===----------------------------------------------------------------------===//

/// Loops over the tiles of the op, from loop `next` on. A row of a kernel has one tile.
void ContractionThreads::tiles(unsigned next, Values &indices) {
  if (next == op.getNumLoops())
    return tile(indices);
  if (next == form.k)
    return tiles(next + 1, indices);
  int64_t size = next == form.m ? choice.m : next == form.n ? choice.n : 1;
  std::optional<int64_t> most = getConstantIntValue(sizes[next]);
  if (auto value = dyn_cast<Value>(sizes[next]); value && !most)
    if (FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
            presburger::BoundType::UB, value, nullptr, /*closedUB=*/true);
        succeeded(bound))
      most = *bound;
  bool isOneTile = most && *most <= size && (size > 1 || *most == 1);
  if (isOneTile) {
    indices[next] = constant(0);
    return tiles(next + 1, indices);
  }
  loop(constant(0), sizes[next], size, [&](Value index) {
    indices[next] = index;
    tiles(next + 1, indices);
  });
}

void ContractionThreads::tile(ValueRange indices) {
  storeTile(indices, copiesAsync() ? sumsOfStages(indices) : sumsOf(indices));
}

/// Each iteration multiplies what the one before loaded into registers, and loads the next part meanwhile. An
/// operand of too many chunks is copied when its part is needed.
ContractionThreads::Values ContractionThreads::sumsOf(ValueRange indices) {
  Values state = products->start();
  size_t numSums = state.size();
  Value zero = constant(0);
  std::pair<StagedOperand *, TileProducts::Staged *> operands[] = {{x.get(), &shared.x},
                                                                   {y.get(), &shared.y}};
  for (auto [operand, staged] : operands)
    if (operand->isLoadedEarly())
      state.append(operand->load(thread, indices, zero));
  Value end = getValueOrCreateConstantIndexOp(b, loc, sizes[form.k]);
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
  Values results = products->add(shared.x, shared.y, own.take_front(numSums));
  results.append(nextLoaded);
  scf::YieldOp::create(b, loc, results);
  return Values(created.getResults().take_front(numSums));
}

/// Whether the parts of both operands are copied asynchronously.
bool ContractionThreads::copiesAsync() {
  bool xFirst = products->layoutOf(x->elementType(), x->isAdjacentAlongK()).kFirst;
  bool yFirst = products->layoutOf(y->elementType(), y->isAdjacentAlongK()).kFirst;
  return choice.stages == 2 && x->canCopyAsync(xFirst) && y->canCopyAsync(yFirst);
}

/// Starts the copies of both operands, as one group.
void ContractionThreads::copyStage(ValueRange indices, Value k, Value stage) {
  x->copyAsync(thread, indices, k, shared.x.memory, stage, shared.x.kFirst);
  y->copyAsync(thread, indices, k, shared.y.memory, stage, shared.y.kFirst);
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
}

/// The memory of one stage.
TileProducts::Staged ContractionThreads::stageOf(const TileProducts::Staged &operand, Value stage) {
  auto type = cast<MemRefType>(operand.memory.getType());
  SmallVector<OpFoldResult> offsets{stage, b.getIndexAttr(0), b.getIndexAttr(0)},
      strides(3, b.getIndexAttr(1));
  SmallVector<OpFoldResult> viewSizes = getAsIndexOpFoldResult(b.getContext(), type.getShape());
  viewSizes[0] = b.getIndexAttr(1);
  auto view = memref::SubViewOp::inferRankReducedResultType(type.getShape().drop_front(), type, offsets,
                                                            viewSizes, strides);
  return {
      memref::SubViewOp::create(b, loc, cast<MemRefType>(view), operand.memory, offsets, viewSizes, strides),
      operand.kFirst};
}

/// While a part is multiplied, the next one is copied to the other stage.
ContractionThreads::Values ContractionThreads::sumsOfStages(ValueRange indices) {
  Value zero = constant(0);
  gpu::BarrierOp::create(b, loc); // the sums of the last tile are no longer read
  copyStage(indices, zero, zero);
  Values state = products->start();
  state.push_back(zero);
  Value end = getValueOrCreateConstantIndexOp(b, loc, sizes[form.k]);
  auto created = scf::ForOp::create(b, loc, zero, end, constant(choice.k), state);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(created.getBody());
  ValueRange own = created.getRegionIterArgs();
  Value stage = own.back(), other = arith::SubIOp::create(b, loc, constant(1), stage);
  copyStage(indices, arith::AddIOp::create(b, loc, created.getInductionVar(), constant(choice.k)), other);
  NVVM::CpAsyncWaitGroupOp::create(b, loc, /*n=*/1); // all but the copies of the next part
  gpu::BarrierOp::create(b, loc);
  Values results = products->add(stageOf(shared.x, stage), stageOf(shared.y, stage), own.drop_back());
  gpu::BarrierOp::create(b, loc); // the next iteration overwrites this stage
  results.push_back(other);
  scf::YieldOp::create(b, loc, results);
  b.setInsertionPointAfter(created);
  NVVM::CpAsyncWaitGroupOp::create(b, loc, /*n=*/0);
  return Values(created.getResults().drop_back());
}

//===----------------------------------------------------------------------===//
// The results of a tile
//===----------------------------------------------------------------------===//

/// Adjacent elements of the results.
int64_t ContractionThreads::chunkOfStores() {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  Value result = writer().getDpsInits()[0];
  auto type = cast<MemRefType>(result.getType());
  int64_t bits = type.getElementType().isIntOrFloat() ? type.getElementType().getIntOrFloatBitWidth() : 64;
  bool isAdjacent = map.getResults().back() == b.getAffineDimExpr(form.n) && type.isLastDimUnitStride();
  return isAdjacent && bits % 8 == 0 ? std::max<int64_t>(accessBytes * 8 / bits, 1) : 1;
}

/// The sums of all threads go through shared memory, so that threads side by side store adjacent elements.
void ContractionThreads::storeTile(ValueRange indices, ValueRange sums) {
  for (int64_t pass = 0; pass < products->passes; ++pass) {
    gpu::BarrierOp::create(b, loc);
    products->store(pass, sums, shared.sums);
    gpu::BarrierOp::create(b, loc);
    storePass(pass, indices);
  }
}

void ContractionThreads::storePass(int64_t pass, ValueRange indices) {
  int64_t chunksOfRow = choice.n / vector;
  loop(thread, b.getIndexAttr(products->rowsOfPass * chunksOfRow), threads, [&](Value chunk) {
    Value row = arith::DivUIOp::create(b, loc, chunk, constant(chunksOfRow));
    Value inRow = arith::RemUIOp::create(b, loc, chunk, constant(chunksOfRow));
    Value column = b.createOrFold<arith::MulIOp>(loc, inRow, constant(vector));
    Values own(indices);
    own[form.m] = b.createOrFold<arith::AddIOp>(loc, indices[form.m], products->rowOf(pass, row));
    own[form.n] = b.createOrFold<arith::AddIOp>(loc, indices[form.n], column);
    guard(isBelow(own[form.m], form.m, choice.m), [&] { storeChunk(own, row, column); });
  });
}

/// A chunk of a row; of its last chunk the elements that the result has.
void ContractionThreads::storeChunk(ValueRange indices, Value row, Value column) {
  std::optional<int64_t> size = getConstantIntValue(sizes[form.n]);
  if (size && *size % vector == 0)
    return guard(isBelow(indices[form.n], form.n, choice.n),
                 [&] { storeElements(indices, row, column, vector); });
  Value end = getValueOrCreateConstantIndexOp(b, loc, sizes[form.n]);
  Value left = arith::SubIOp::create(b, loc, end, indices[form.n]);
  Value isWhole = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, left, constant(vector));
  auto branches = scf::IfOp::create(b, loc, isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branches.thenBlock());
  storeElements(indices, row, column, vector);
  b.setInsertionPointToStart(branches.elseBlock());
  loop(constant(0), left, 1, [&](Value element) {
    Values own(indices);
    own[form.n] = arith::AddIOp::create(b, loc, indices[form.n], element);
    storeElements(own, row, arith::AddIOp::create(b, loc, column, element), 1);
  });
}

/// `count` elements: first all are computed, then they are stored, at once where the memory is aligned.
void ContractionThreads::storeElements(ValueRange indices, Value row, Value column, int64_t count) {
  SmallVector<Values> results, places;
  AffineMap resultMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (int64_t i = 0; i < count; ++i) {
    Values own(indices);
    own[form.n] = b.createOrFold<arith::AddIOp>(loc, indices[form.n], constant(i));
    Value at = b.createOrFold<arith::AddIOp>(loc, column, constant(i));
    Value sum = memref::LoadOp::create(b, loc, shared.sums, ValueRange{row, at});
    results.push_back(valuesAt(own, withStart(own, sum)));
    places.push_back(epilogue ? indicesThrough(b, loc, resultMap, own) : own);
  }
  for (auto [number, init] : llvm::enumerate(writer().getDpsInitsMutable())) {
    AffineMap map = writer().getMatchingIndexingMap(&init);
    OpFoldResult last =
        map.getNumResults() > 0
            ? memref::getMixedSize(b, loc, init.get(), static_cast<int64_t>(map.getNumResults()) - 1)
            : OpFoldResult(b.getIndexAttr(1));
    Type element = getElementTypeOrSelf(init.get().getType());
    if (count > 1 && chunkElements(init.get(), last) % count == 0) {
      auto type = VectorType::get({count}, element);
      Value chunk = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
      for (int64_t i = 0; i < count; ++i)
        chunk = vector::InsertOp::create(b, loc, results[static_cast<size_t>(i)][number], chunk, i);
      vector::StoreOp::create(
          b, loc, chunk, init.get(), indicesThrough(b, loc, map, places[0]), /*nontemporal=*/false,
          llvm::MaybeAlign(static_cast<uint64_t>(count * element.getIntOrFloatBitWidth() / 8)));
      continue;
    }
    for (auto [own, values] : llvm::zip(places, results))
      memref::StoreOp::create(b, loc, values[number], init.get(), indicesThrough(b, loc, map, own));
  }
}

/// The sum and what the result of the op starts with.
Value ContractionThreads::withStart(ValueRange indices, Value sum) {
  auto filled = op->getAttrOfType<ArrayAttr>(startsFilledAttribute);
  auto constantStart = filled ? dyn_cast<TypedAttr>(filled[0]) : TypedAttr();
  if (constantStart && isa<UnitAttr>(constantStart))
    constantStart = {};
  if (constantStart &&
      (matchPattern(constantStart, m_AnyZeroFloat()) || matchPattern(constantStart, m_Zero())))
    return sum;
  Value start = constantStart ? Value(arith::ConstantOp::create(b, loc, constantStart))
                              : loadElement(b, loc, op, *op.getDpsInitOperand(0), indices);
  return combinersOf(op)->front().build(b, start, sum);
}

/// The values that are stored for a sum: the results of the epilogue.
ContractionThreads::Values ContractionThreads::valuesAt(ValueRange indices, Value sum) {
  if (!epilogue)
    return {sum};
  Values own = indicesThrough(b, loc, op.getMatchingIndexingMap(op.getDpsInitOperand(0)), indices);
  Value result = op.getDpsInits()[0];
  return cloneBody(b, epilogue, own, [&](OpOperand &operand) {
    return operand.get() == result ? sum : loadElement(b, loc, epilogue, operand, own);
  });
}

} // namespace proa
