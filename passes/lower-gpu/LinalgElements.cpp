#include "passes/lower-gpu/LinalgElements.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace proa {

Value rootOf(Value memory) { return memref::skipViewLikeOps(cast<MemrefValue>(memory)); }

SmallVector<Value> indicesThrough(OpBuilder &b, Location loc, AffineMap map, ValueRange indices) {
  SmallVector<OpFoldResult> operands;
  for (Value index : indices)
    operands.push_back(index ? OpFoldResult(index) : OpFoldResult(b.getIndexAttr(0)));
  SmallVector<Value> results;
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    results.push_back(getValueOrCreateConstantIndexOp(
        b, loc, affine::makeComposedFoldedAffineApply(b, loc, map.getSubMap({i}), operands)));
  return results;
}

Value loadElement(OpBuilder &b, Location loc, linalg::LinalgOp op, OpOperand &operand, ValueRange indices) {
  if (!isa<MemRefType>(operand.get().getType()))
    return operand.get();
  return memref::LoadOp::create(b, loc, operand.get(),
                                indicesThrough(b, loc, op.getMatchingIndexingMap(&operand), indices));
}

SmallVector<Value> cloneBody(OpBuilder &b, linalg::LinalgOp op, ValueRange indices,
                             function_ref<Value(OpOperand &)> read, std::optional<ValueRange> values) {
  IRMapping map;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (argument && !argument.use_empty())
      map.map(argument, read(operand));
  }
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      map.map(index.getResult(), indices[index.getDim()]);
    else
      b.clone(inner, map);
  }
  SmallVector<Value> results;
  for (Value value : values ? *values : ValueRange(op.getBlock()->getTerminator()->getOperands()))
    results.push_back(map.lookupOrDefault(value));
  return results;
}

void storeElements(OpBuilder &b, Location loc, linalg::LinalgOp op, ValueRange values, ValueRange indices) {
  for (auto [value, init] : llvm::zip(values, op.getDpsInitsMutable()))
    memref::StoreOp::create(b, loc, value, init.get(),
                            indicesThrough(b, loc, op.getMatchingIndexingMap(&init), indices));
}

} // namespace proa
