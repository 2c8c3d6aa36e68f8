#include "passes/lower-gpu/StagedMemory.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace proa {

MemRefType sharedType(ArrayRef<int64_t> dims, Type element) {
  auto space = gpu::AddressSpaceAttr::get(element.getContext(), gpu::AddressSpace::Workgroup);
  return MemRefType::get(dims, element, MemRefLayoutAttrInterface(), space);
}

Value allocateShared(OpBuilder &b, Location loc, ArrayRef<int64_t> dims, Type element, int64_t alignment) {
  return memref::AllocOp::create(b, loc, sharedType(dims, element), ValueRange(), ValueRange(),
                                 b.getI64IntegerAttr(alignment));
}

Value stageView(OpBuilder &b, Location loc, Value memory, Value stage) {
  auto type = cast<MemRefType>(memory.getType());
  auto rank = static_cast<size_t>(type.getRank());
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)), strides(rank, b.getIndexAttr(1));
  offsets[0] = stage;
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(b.getContext(), type.getShape());
  sizes[0] = b.getIndexAttr(1);
  auto view = memref::SubViewOp::inferRankReducedResultType(type.getShape().drop_front(), type, offsets,
                                                            sizes, strides);
  return memref::SubViewOp::create(b, loc, cast<MemRefType>(view), memory, offsets, sizes, strides);
}

ChunkPosition positionOfChunk(const CodeBuilder &code, Value first, int64_t chunk, int64_t threads,
                              int64_t chunksOfLine) {
  if (threads % chunksOfLine == 0)
    return {code.add(code.divide(first, chunksOfLine), chunk * (threads / chunksOfLine)),
            code.remainder(first, chunksOfLine)};
  Value value = code.add(first, chunk * threads);
  return {code.divide(value, chunksOfLine), code.remainder(value, chunksOfLine)};
}

} // namespace proa
