#include "passes/lower-gpu/TileCopy.h"

#include "passes/lower-gpu/AccessWidth.h"
#include "passes/lower-gpu/StagedMemory.h"

#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace proa {

//===----------------------------------------------------------------------===//
// Chunks of a thread
//===----------------------------------------------------------------------===//

/// Chunk number `first + chunk * threads`.
TileCopy::Chunk TileCopy::chunkAt(Value first, int64_t chunk, bool isKnownInTile) const {
  auto [line, inLine] = positionOfChunk(*this, first, chunk, shape.threads, shape.elements / shape.vector);
  Value isInTile;
  if (!isKnownInTile)
    isInTile = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, add(first, chunk * shape.threads),
                                     constant(chunks()));
  return {line, multiply(inLine, shape.vector), isInTile};
}

SmallVector<TileCopy::Chunk> TileCopy::chunksOfAll() const {
  SmallVector<Chunk> all;
  for (int64_t chunk = 0; chunk < chunksOfThread(); ++chunk)
    all.push_back(chunkAt(thread, chunk, (chunk + 1) * shape.threads <= chunks()));
  return all;
}

/// A loop over `unrolled` chunks at a time, or no loop if these are all.
void TileCopy::overChunks(int64_t unrolled, function_ref<void(ArrayRef<Chunk>)> body) {
  if (unrolled >= chunksOfThread())
    return body(chunksOfAll());
  loop(thread, constant(chunks()), constant(unrolled * shape.threads), [&](Value first) {
    SmallVector<Chunk> own;
    for (int64_t chunk = 0; chunk < unrolled; ++chunk)
      own.push_back(chunkAt(first, chunk, unrolled == 1 || isExact(unrolled)));
    body(own);
  });
}

//===----------------------------------------------------------------------===//
// Copies through registers
//===----------------------------------------------------------------------===//

Type TileCopy::chunkType() const {
  return shape.vector == 1 ? element : VectorType::get({shape.vector}, element);
}

Value TileCopy::loadChunk(const CopySource &from, ValueRange indices) {
  if (from.compute) {
    Values elements = from.compute(indices);
    return shape.vector == 1
               ? elements[0]
               : vector::FromElementsOp::create(b, loc, cast<VectorType>(chunkType()), elements).getResult();
  }
  if (shape.vector == 1)
    return memref::LoadOp::create(b, loc, from.memory, indices);
  return vector::LoadOp::create(b, loc, cast<VectorType>(chunkType()), from.memory, indices,
                                /*nontemporal=*/false, llvm::MaybeAlign(accessBytes));
}

/// The chunk, or zeros.
Value TileCopy::loadGuarded(const CopySource &from, const Chunk &chunk) {
  Value line = add(from.firstLine, chunk.line), inLine = add(from.firstElement, chunk.element);
  Value isInside = from.isInside(line, inLine);
  if (chunk.isInTile)
    isInside = both(chunk.isInTile, isInside);
  auto loaded = [&]() -> Values { return {loadChunk(from, from.indices(line, inLine))}; };
  auto zeros = [&]() -> Values {
    return {arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(chunkType())))};
  };
  return where(isInside, chunkType(), loaded, zeros)[0];
}

void TileCopy::storeChunk(const Chunk &chunk, Value value, Value memory, bool isTransposed) {
  where(chunk.isInTile, [&] {
    Values indices{chunk.line, chunk.element};
    if (isTransposed)
      std::swap(indices[0], indices[1]);
    if (shape.vector == 1) {
      memref::StoreOp::create(b, loc, value, memory, indices);
    } else if (!isTransposed) {
      vector::StoreOp::create(b, loc, value, memory, indices, /*nontemporal=*/false,
                              llvm::MaybeAlign(accessBytes));
    } else {
      // The chunk is a column of the memory.
      for (int64_t i = 0; i < shape.vector; ++i) {
        Value own = vector::ExtractOp::create(b, loc, value, i);
        memref::StoreOp::create(b, loc, own, memory, ValueRange{add(indices[0], i), indices[1]});
      }
    }
  });
}

TileCopy::Values TileCopy::load(const CopySource &from) {
  return llvm::map_to_vector(chunksOfAll(), [&](const Chunk &chunk) { return loadGuarded(from, chunk); });
}

void TileCopy::store(ValueRange loaded, Value memory, bool isTransposed) {
  for (auto [chunk, value] : llvm::zip_equal(chunksOfAll(), loaded))
    storeChunk(chunk, value, memory, isTransposed);
}

void TileCopy::copy(const CopySource &from, Value memory, bool isTransposed) {
  constexpr int64_t unrolled = 4; // loads that are under way at once
  overChunks(unrolled, [&](ArrayRef<Chunk> own) {
    Values loaded = llvm::map_to_vector(own, [&](const Chunk &chunk) { return loadGuarded(from, chunk); });
    for (auto [chunk, value] : llvm::zip_equal(own, loaded))
      storeChunk(chunk, value, memory, isTransposed);
  });
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

/// Elements that are not read are zeros in shared memory. Their address is the first one of the matrix.
void TileCopy::copyAsync(const CopySource &from, Value memory, int64_t unrolled) {
  auto token = nvgpu::DeviceAsyncTokenType::get(b.getContext());
  auto startOne = [&](const Chunk &chunk, Value isInside, const Values &indices) {
    Value read = select(isInside, constant(shape.vector), constant(0));
    nvgpu::DeviceAsyncCopyOp::create(b, loc, token, memory, ValueRange{chunk.line, chunk.element},
                                     from.memory, indices, b.getIndexAttr(shape.vector), read,
                                     /*bypassL1=*/b.getUnitAttr());
  };
  overChunks(unrolled, [&](ArrayRef<Chunk> own) {
    SmallVector<std::pair<Value, Values>> sources;
    for (const Chunk &chunk : own)
      where(chunk.isInTile, [&] {
        Value line = add(from.firstLine, chunk.line), inLine = add(from.firstElement, chunk.element);
        Value isInside = from.isInside(line, inLine), zero = constant(0);
        Values indices = from.indices(select(isInside, line, zero), select(isInside, inLine, zero));
        if (from.readsTable)
          sources.emplace_back(isInside, indices);
        else
          startOne(chunk, isInside, indices);
      });
    for (auto [chunk, source] : llvm::zip(own, sources)) // the reads of a table do not wait for each other
      startOne(chunk, source.first, source.second);
  });
}

} // namespace proa
