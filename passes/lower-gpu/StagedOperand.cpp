#include "passes/lower-gpu/StagedOperand.h"

#include "passes/lower-gpu/AccessWidth.h"
#include "passes/lower-gpu/ElementCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace proa {
StagedOperand::StagedOperand(IRRewriter &b, Location loc, linalg::LinalgOp op, OpOperand &operand,
                             unsigned outerLoop, unsigned kLoop, Shape shape)
    : b(b), loc(loc), op(op), operand(operand), type(cast<MemRefType>(operand.get().getType())),
      outerLoop(outerLoop), kLoop(kLoop), shape(shape), prologue(Prologue::of(operand)) {
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
}

Value StagedOperand::constant(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

Type StagedOperand::chunkType() const {
  return vector == 1 ? elementType() : VectorType::get({vector}, elementType());
}

/// The place of chunk number first + chunk * threads.
StagedOperand::Place StagedOperand::placeOf(Value first, int64_t chunk, bool isKnownInTile) {
  int64_t perLine = (alongK ? shape.k : shape.outer) / vector;
  Value number = b.createOrFold<arith::AddIOp>(loc, first, constant(chunk * shape.threads));
  Value line = arith::DivUIOp::create(b, loc, number, constant(perLine));
  Value inLine = arith::RemUIOp::create(b, loc, number, constant(perLine));
  Value start = b.createOrFold<arith::MulIOp>(loc, inLine, constant(vector));
  Value isInTile;
  if (!isKnownInTile)
    isInTile = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, number, constant(chunks()));
  return alongK ? Place{line, start, isInTile} : Place{start, line, isInTile};
}

/// Whether the chunk is inside of the operand; null if that is known.
Value StagedOperand::isInside(const Place &place, Value outer, Value k) {
  Value inside = place.isInTile;
  auto require = [&](Value index, OpFoldResult size) {
    Value is = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index,
                                     getValueOrCreateConstantIndexOp(b, loc, size));
    inside = inside ? b.createOrFold<arith::AndIOp>(loc, inside, is) : is;
  };
  std::optional<int64_t> size = getConstantIntValue(outerSize);
  if (!size || *size % shape.outer != 0)
    require(outer, outerSize);
  require(k, kSize);
  return inside;
}

Value StagedOperand::loadChunk(ValueRange indices) {
  SmallVector<Value> own = indicesThrough(b, loc, op.getMatchingIndexingMap(&operand), indices);
  if (prologue) {
    SmallVector<Value> elements = prologue->elementsAt(b, loc, own, vector);
    return vector == 1
               ? elements[0]
               : vector::FromElementsOp::create(b, loc, cast<VectorType>(chunkType()), elements).getResult();
  }
  if (vector == 1)
    return memref::LoadOp::create(b, loc, operand.get(), own);
  return vector::LoadOp::create(b, loc, cast<VectorType>(chunkType()), operand.get(), own,
                                /*nontemporal=*/false, llvm::MaybeAlign(accessBytes));
}

/// The chunk, or zeros.
Value StagedOperand::loadGuarded(const Place &place, ValueRange indices, Value k) {
  Values own(indices);
  own[outerLoop] = b.createOrFold<arith::AddIOp>(loc, indices[outerLoop], place.outer);
  own[kLoop] = b.createOrFold<arith::AddIOp>(loc, k, place.k);
  Value inside = isInside(place, own[outerLoop], own[kLoop]);
  auto guarded = scf::IfOp::create(b, loc, TypeRange(chunkType()), inside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(guarded.thenBlock());
  scf::YieldOp::create(b, loc, loadChunk(own));
  b.setInsertionPointToStart(guarded.elseBlock());
  Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(chunkType())));
  scf::YieldOp::create(b, loc, zero);
  return guarded.getResult(0);
}

StagedOperand::Values StagedOperand::load(Value thread, ValueRange indices, Value k) {
  Values loaded;
  for (int64_t chunk = 0; chunk < chunksOfThread(); ++chunk) {
    bool isInTile = (chunk + 1) * shape.threads <= chunks();
    loaded.push_back(loadGuarded(placeOf(thread, chunk, isInTile), indices, k));
  }
  return loaded;
}

void StagedOperand::store(Value thread, ValueRange values, Value memory, bool kFirst) {
  for (auto [i, value] : llvm::enumerate(values)) {
    auto chunk = static_cast<int64_t>(i);
    storeChunk(placeOf(thread, chunk, (chunk + 1) * shape.threads <= chunks()), value, memory, kFirst);
  }
}

void StagedOperand::copy(Value thread, ValueRange indices, Value k, Value memory, bool kFirst) {
  constexpr int64_t unrolled = 4; // loads that are under way at once
  int64_t step = unrolled * shape.threads;
  auto loop = scf::ForOp::create(b, loc, thread, constant(chunks()), constant(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Place> places;
  Values loaded;
  for (int64_t chunk = 0; chunk < unrolled; ++chunk) {
    places.push_back(placeOf(loop.getInductionVar(), chunk, chunks() % step == 0));
    loaded.push_back(loadGuarded(places.back(), indices, k));
  }
  for (auto [place, value] : llvm::zip(places, loaded))
    storeChunk(place, value, memory, kFirst);
}

void StagedOperand::copyAsync(Value thread, ValueRange indices, Value k, Value memory, Value stage,
                              bool kFirst) {
  auto token = nvgpu::DeviceAsyncTokenType::get(b.getContext());
  for (int64_t chunk = 0; chunk < chunksOfThread(); ++chunk) {
    Place place = placeOf(thread, chunk, (chunk + 1) * shape.threads <= chunks());
    OpBuilder::InsertionGuard guard(b);
    if (place.isInTile)
      b.setInsertionPointToStart(scf::IfOp::create(b, loc, place.isInTile).thenBlock());
    place.isInTile = {};
    Values own(indices);
    own[outerLoop] = b.createOrFold<arith::AddIOp>(loc, indices[outerLoop], place.outer);
    own[kLoop] = b.createOrFold<arith::AddIOp>(loc, k, place.k);
    Value inside = isInside(place, own[outerLoop], own[kLoop]);
    // Elements that are not read are zeros in shared memory. Their address is that of the first element.
    for (unsigned loop : {outerLoop, kLoop})
      own[loop] = arith::SelectOp::create(b, loc, inside, own[loop], constant(0));
    Value read = arith::SelectOp::create(b, loc, inside, constant(vector), constant(0));
    Values to{stage, kFirst ? place.k : place.outer, kFirst ? place.outer : place.k};
    nvgpu::DeviceAsyncCopyOp::create(b, loc, token, memory, to, operand.get(),
                                     indicesThrough(b, loc, op.getMatchingIndexingMap(&operand), own),
                                     b.getIndexAttr(vector), read, /*bypassL1=*/b.getUnitAttr());
  }
}

void StagedOperand::storeChunk(const Place &place, Value value, Value memory, bool kFirst) {
  OpBuilder::InsertionGuard guard(b);
  if (place.isInTile)
    b.setInsertionPointToStart(scf::IfOp::create(b, loc, place.isInTile).thenBlock());
  Values indices{kFirst ? place.k : place.outer, kFirst ? place.outer : place.k};
  if (vector == 1) {
    memref::StoreOp::create(b, loc, value, memory, indices);
  } else if (alongK != kFirst) {
    vector::StoreOp::create(b, loc, value, memory, indices, /*nontemporal=*/false,
                            llvm::MaybeAlign(accessBytes));
  } else {
    // The chunk is a column of the memory.
    Value first = indices[0];
    for (int64_t i = 0; i < vector; ++i) {
      indices[0] = b.createOrFold<arith::AddIOp>(loc, first, constant(i));
      Value element = vector::ExtractOp::create(b, loc, value, i);
      memref::StoreOp::create(b, loc, element, memory, indices);
    }
  }
}

} // namespace proa
