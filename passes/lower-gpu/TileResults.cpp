#include "passes/lower-gpu/TileResults.h"

#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/lower-gpu/AccessWidth.h"
#include "passes/lower-gpu/LinalgElements.h"
#include "passes/lower-gpu/ReductionForm.h"
#include "passes/lower-gpu/StagedMemory.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;

namespace proa {

TileResults::TileResults(OpBuilder &b, Location loc, Target given, Value thread)
    : CodeBuilder(b, loc), target(std::move(given)), passes(TilePasses::of(target.choice)), holder(thread),
      thread(thread) {}

MemRefType TileResults::sumsType() const {
  constexpr int64_t pad = 8; // lanes with different rows access different banks
  linalg::LinalgOp op = target.op;
  Type sum = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  return sharedType({rowsOfPass(), columnsOfPass() + pad}, sum);
}

/// The threads that have sums wait for each other.
void TileResults::barrier() {
  const ContractionChoice &choice = target.choice;
  if (choice.storingThreads == choice.threads) {
    gpu::BarrierOp::create(b, loc);
    return;
  }
  constexpr int32_t scalar = 1; // 0 is the barrier of all threads
  NVVM::BarrierOp::create(b, loc, TypeRange(), i32(scalar), i32(choice.storingThreads),
                          NVVM::BarrierReductionAttr(), Value());
}

/// Whether an index of a tile is inside of the loop; null if that is known.
Value TileResults::isInside(Value index, unsigned loop, int64_t tile) {
  OpFoldResult end = target.sizes[loop];
  std::optional<int64_t> size = getConstantIntValue(end);
  if (size && *size % tile == 0)
    return {};
  return isBelow(index, toValue(end));
}

/// Adjacent elements of the results.
int64_t TileResults::chunkOfStores() {
  AffineMap map = target.op.getMatchingIndexingMap(target.op.getDpsInitOperand(0));
  Value result = writer().getDpsInits()[0];
  auto type = cast<MemRefType>(result.getType());
  int64_t bits = type.getElementType().isIntOrFloat() ? type.getElementType().getIntOrFloatBitWidth() : 64;
  bool isAdjacent =
      map.getResults().back() == b.getAffineDimExpr(target.form.n) && type.isLastDimUnitStride();
  return isAdjacent && bits % 8 == 0 ? std::max<int64_t>(accessBytes * 8 / bits, 1) : 1;
}

void TileResults::store(ValueRange indices, ValueRange sums, Value sumsMemory) {
  memory = sumsMemory;
  vector = std::gcd(chunkOfStores(), columnsOfPass());
  for (int64_t pass = 0; pass < passes.count(); ++pass) {
    barrier();
    sumsToMemory(pass, sums);
    barrier();
    storePass(pass, indices);
  }
}

/// Stores adjacent elements at once.
void TileResults::sumsToMemory(int64_t pass, ValueRange sums) {
  const ThreadLayout &own = passes.layout();
  LayoutCode code(b, loc, own, holder);
  Value firstRow = code.rowOf(0), firstColumn = code.columnOf(0);
  int64_t adjacent = own.adjacentColumns();
  for (int64_t first = 0; first < own.elements(); first += adjacent) {
    Values elements;
    for (int64_t i = first; i < first + adjacent; ++i)
      elements.push_back(sums[static_cast<size_t>(passes.elementOf(pass, i))]);
    ThreadLayout::Position offset = own.positionOf({0, first});
    storeVector(elements, memory, {add(firstRow, offset.row), add(firstColumn, offset.column)});
  }
}

void TileResults::storeVector(ValueRange elements, Value to, ValueRange indices) {
  Type element = elements[0].getType();
  auto type = VectorType::get({static_cast<int64_t>(elements.size())}, element);
  Value chunk = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
  for (auto [i, value] : llvm::enumerate(elements))
    chunk = vector::InsertOp::create(b, loc, value, chunk, static_cast<int64_t>(i));
  int64_t bytes = type.getNumElements() * element.getIntOrFloatBitWidth() / 8;
  vector::StoreOp::create(b, loc, chunk, to, indices, /*nontemporal=*/false,
                          llvm::MaybeAlign(static_cast<uint64_t>(std::min(bytes, accessBytes))));
}

void TileResults::storePass(int64_t pass, ValueRange indices) {
  int64_t chunksOfRow = columnsOfPass() / vector;
  Value count = constant(rowsOfPass() * chunksOfRow);
  loop(thread, count, constant(target.choice.storingThreads), [&](Value chunk) {
    Value row = divide(chunk, chunksOfRow), column = multiply(remainder(chunk, chunksOfRow), vector);
    Values own(indices);
    own[target.form.m] = add(indices[target.form.m], passes.indexInTile(*this, MatrixDim::Row, pass, row));
    own[target.form.n] =
        add(indices[target.form.n], passes.indexInTile(*this, MatrixDim::Column, pass, column));
    where(isInside(own[target.form.m], target.form.m, target.choice.m),
          [&] { storeChunk(own, row, column); });
  });
}

/// A chunk of a row; of its last chunk the elements that the result has.
void TileResults::storeChunk(ValueRange indices, Value row, Value column) {
  unsigned n = target.form.n;
  std::optional<int64_t> size = getConstantIntValue(target.sizes[n]);
  if (size && *size % vector == 0)
    return where(isInside(indices[n], n, target.choice.n),
                 [&] { storeElements(indices, row, column, vector); });
  Value end = toValue(target.sizes[n]);
  Value left = arith::SubIOp::create(b, loc, end, indices[n]);
  Value isWhole = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, left, constant(vector));
  auto storeWhole = [&] {
    storeElements(indices, row, column, vector);
    return Values();
  };
  auto storeRest = [&] {
    loop(constant(0), left, constant(1), [&](Value element) {
      Values own(indices);
      own[n] = add(indices[n], element);
      storeElements(own, row, add(column, element), 1);
    });
    return Values();
  };
  where(isWhole, TypeRange(), storeWhole, storeRest);
}

/// `count` elements: first all are computed, then they are stored, at once where the memory is aligned.
void TileResults::storeElements(ValueRange indices, Value row, Value column, int64_t count) {
  SmallVector<Values> results, positions;
  AffineMap resultMap = target.op.getMatchingIndexingMap(target.op.getDpsInitOperand(0));
  for (int64_t i = 0; i < count; ++i) {
    Values own(indices);
    own[target.form.n] = add(indices[target.form.n], i);
    Value sum = memref::LoadOp::create(b, loc, memory, ValueRange{row, add(column, i)});
    results.push_back(valuesAt(own, withStart(own, sum)));
    positions.push_back(target.epilogue ? indicesThrough(b, loc, resultMap, own) : own);
  }
  for (auto [index, init] : llvm::enumerate(writer().getDpsInitsMutable())) {
    AffineMap map = writer().getMatchingIndexingMap(&init);
    OpFoldResult last =
        map.getNumResults() > 0
            ? memref::getMixedSize(b, loc, init.get(), static_cast<int64_t>(map.getNumResults()) - 1)
            : OpFoldResult(b.getIndexAttr(1));
    if (count > 1 && chunkElements(init.get(), last) % count == 0) {
      Values chunk;
      for (const Values &own : results)
        chunk.push_back(own[index]);
      storeVector(chunk, init.get(), indicesThrough(b, loc, map, positions[0]));
      continue;
    }
    for (auto [own, values] : llvm::zip(positions, results))
      memref::StoreOp::create(b, loc, values[index], init.get(), indicesThrough(b, loc, map, own));
  }
}

/// The sum and what the result of the op starts with.
Value TileResults::withStart(ValueRange indices, Value sum) {
  linalg::LinalgOp op = target.op;
  ArrayAttr filled = LoopsAttr::of(op).getStarts();
  auto constantStart = filled ? dyn_cast<TypedAttr>(filled[0]) : TypedAttr();
  if (constantStart && isa<UnitAttr>(constantStart))
    constantStart = {};
  if (constantStart &&
      (matchPattern(constantStart, m_AnyZeroFloat()) || matchPattern(constantStart, m_Zero())))
    return sum;
  Value start = constantStart ? Value(arith::ConstantOp::create(b, loc, constantStart))
                              : loadElement(b, loc, op, *op.getDpsInitOperand(0), indices);
  return Combiner::of(op)->build(b, start, sum)[0];
}

/// The values that are stored for a sum: the results of the epilogue.
TileResults::Values TileResults::valuesAt(ValueRange indices, Value sum) {
  linalg::LinalgOp op = target.op, epilogue = target.epilogue;
  if (!epilogue)
    return {sum};
  Values own = indicesThrough(b, loc, op.getMatchingIndexingMap(op.getDpsInitOperand(0)), indices);
  Value result = op.getDpsInits()[0];
  return cloneBody(b, epilogue, own, [&](OpOperand &operand) {
    return operand.get() == result ? sum : loadElement(b, loc, epilogue, operand, own);
  });
}

} // namespace proa
