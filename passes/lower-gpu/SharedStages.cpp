#include "passes/lower-gpu/SharedStages.h"

using namespace mlir;

namespace proa {

Value stageView(IRRewriter &b, Location loc, Value memory, Value stage) {
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

} // namespace proa
