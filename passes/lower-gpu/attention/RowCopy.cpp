#include "passes/lower-gpu/attention/RowCopy.h"

#include "passes/lower-gpu/AccessWidth.h"
#include "passes/lower-gpu/SharedStages.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;

namespace proa {

RowCopy::RowCopy(const AttentionSite &site, const AttentionTensor &tensor, int64_t rows, int64_t elements)
    : IndexCode(site.b, site.loc), site(site), tensor(tensor), rows(rows), elements(elements) {
  int64_t most = accessBytes * 8 / site.element.getIntOrFloatBitWidth();
  auto type = cast<MemRefType>(tensor.memory.getType());
  // Buffers are contiguous: all rows are aligned if one has a multiple of 16 bytes.
  bool isAligned = tensor.dims[3] == 3 && type.getLayout().isIdentity() && tensor.elements() % most == 0;
  vector = isAligned ? most : 1;
}

void RowCopy::copy(Value batch, Value head, Value firstRow, Value end, Value memory) {
  int64_t chunks = rows * elements / vector, threads = site.choice.threads;
  SmallVector<Value> place{batch, head, firstRow};
  constexpr int64_t mostUnrolled = 8, mostPagedUnrolled = 4;
  int64_t ofThread = chunks % threads == 0 && vector > 1 ? chunks / threads : 0;
  int64_t unrolled = tensor.blockTable && ofThread > 0 ? std::gcd(ofThread, mostPagedUnrolled)
                     : ofThread <= mostUnrolled        ? ofThread
                                                       : 0;
  auto copyChunks = [&](Value first) {
    SmallVector<Chunk> own;
    for (int64_t chunk = 0; chunk < std::max<int64_t>(unrolled, 1); ++chunk) {
      own.push_back(chunkAt(first, chunk, place, end));
      if (!tensor.blockTable) // the reads of a table do not wait for each other
        copyChunk(own.pop_back_val(), memory);
    }
    for (const Chunk &chunk : own)
      copyChunk(chunk, memory);
  };
  if (ofThread > 0 && unrolled == ofThread)
    return copyChunks(site.thread);
  int64_t step = std::max<int64_t>(unrolled, 1) * threads;
  auto loop = scf::ForOp::create(b, loc, site.thread, constant(chunks), constant(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  copyChunks(loop.getInductionVar());
}

/// An entry that is not a block of the cache, which the kernel reports, reads the first one.
SmallVector<Value> RowCopy::indicesOf(ValueRange place, Value row, Value element) {
  if (!tensor.blockTable)
    return tensor.indices({place[0], place[1], row, element});
  Value entry = memref::LoadOp::create(b, loc, tensor.blockTable,
                                       ValueRange{place[0], divide(row, tensor.rowsOfBlock)});
  entry = arith::IndexCastOp::create(b, loc, b.getIndexType(), entry);
  // As unsigned numbers, negative ones are large.
  Value isBlock = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, entry, constant(tensor.blocks));
  return tensor.indices(
      {select(isBlock, entry, constant(0)), place[1], remainder(row, tensor.rowsOfBlock), element});
}

/// Elements that are not read are zeros. Their address is that of the first row.
RowCopy::Chunk RowCopy::chunkAt(Value number, int64_t chunk, ValueRange place, Value end) {
  auto [inTile, inRow] = placeOfChunk(*this, number, chunk, site.choice.threads, elements / vector);
  Value first = multiply(inRow, vector);
  Value row = add(place[2], inTile);
  Value isInside = isBelow(row, end);
  if (tensor.elements() < elements)
    isInside = b.createOrFold<arith::AndIOp>(loc, isInside, isBelow(first, constant(tensor.elements())));
  Value zeroIndex = constant(0);
  Value from = select(isInside, first, zeroIndex);
  return {inTile, first, isInside, indicesOf(place, select(isInside, row, zeroIndex), from)};
}

void RowCopy::copyChunk(const Chunk &chunk, Value memory) {
  const auto &[inTile, first, isInside, indices] = chunk;
  if (vector > 1) {
    Value read = select(isInside, constant(vector), constant(0));
    nvgpu::DeviceAsyncCopyOp::create(b, loc, nvgpu::DeviceAsyncTokenType::get(b.getContext()), memory,
                                     ValueRange{inTile, first}, tensor.memory, indices,
                                     b.getIndexAttr(vector), read, /*bypassL1=*/b.getUnitAttr());
    return;
  }
  Value nothing = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(site.element)));
  auto guarded = scf::IfOp::create(b, loc, TypeRange(site.element), isInside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(guarded.thenBlock());
  Value loaded = memref::LoadOp::create(b, loc, tensor.memory, indices);
  scf::YieldOp::create(b, loc, loaded);
  b.setInsertionPointToStart(guarded.elseBlock());
  scf::YieldOp::create(b, loc, nothing);
  b.setInsertionPointAfter(guarded);
  memref::StoreOp::create(b, loc, guarded.getResult(0), memory, ValueRange{inTile, first});
}

void commitCopies(const AttentionSite &site) { NVVM::CpAsyncCommitGroupOp::create(site.b, site.loc); }

void awaitCopies(const AttentionSite &site, uint32_t pending) {
  NVVM::CpAsyncWaitGroupOp::create(site.b, site.loc, pending);
  gpu::BarrierOp::create(site.b, site.loc);
}

} // namespace proa
