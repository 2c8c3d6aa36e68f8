#include "passes/lower-gpu/StagedOperand.h"

#include "passes/lower-gpu/AccessWidth.h"
#include "passes/lower-gpu/LinalgElements.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;

namespace proa {

StagedOperand::StagedOperand(IRRewriter &b, Location loc, linalg::LinalgOp op, OpOperand &operand,
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
    Value isInside = isBelow(ofK, getValueOrCreateConstantIndexOp(b, loc, kSize));
    std::optional<int64_t> size = getConstantIntValue(outerSize);
    if (size && *size % outer == 0)
      return isInside;
    Value isOuter = isBelow(ofOuter, getValueOrCreateConstantIndexOp(b, loc, outerSize));
    return both(isOuter, isInside);
  };
  if (prologue)
    source.compute = [this](ValueRange own) { return prologue->elementsAt(b, loc, own, vector); };
  return source;
}

} // namespace proa
