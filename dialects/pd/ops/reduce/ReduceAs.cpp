#include "dialects/pd/autodiff/Broadcasting.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/reduce/ReduceAsOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

using namespace mlir;

namespace proa::pd {

LogicalResult ReduceAsOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                           Results &results) {
  RankedTensorType x = tensorType(adaptor.getX()), target = tensorType(adaptor.getTarget());
  int64_t added = x.getRank() - target.getRank();
  if (added < 0)
    return inferenceError(location, "C1: expected a target of rank up to " + llvm::Twine(x.getRank()) +
                                        ", found " + llvm::Twine(target.getRank()));
  SmallVector<int64_t> shape;
  for (int64_t d = 0; d < target.getRank(); ++d) {
    int64_t from = x.getDimSize(added + d), to = target.getDimSize(d);
    if (!ShapedType::isDynamic(from) && !ShapedType::isDynamic(to) && to != 1 && from != to)
      return inferenceError(location, "C2: dimension " + llvm::Twine(d) + " of the target is " +
                                          llvm::Twine(to) + ", expected 1 or " + llvm::Twine(from));
    // A dim of target that is 1 and reduced can only be 1 if x has it.
    shape.push_back(from == 1 ? 1 : to);
  }
  results.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

OpFoldResult ReduceAsOp::fold(FoldAdaptor) {
  bool isSame = tensorType(getX()).hasStaticShape() &&
                tensorType(getX()).getShape() == tensorType(getTarget()).getShape();
  return isSame ? getX() : Value();
}

/// A dim of n that meets m, which is n or 1, becomes [n / m, m], of which the first is summed.
FailureOr<SmallVector<Value>> ReduceAsOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(sumToShapeOf(builder, getLoc(), e.operand(0), getTarget())),
             target = e.wrap(getTarget());
  SmallVector<DimSize> shape;
  SmallVector<int64_t> axes;
  for (int64_t d = 0; d < x.rank(); ++d) {
    DimSize from(x, d), to(target, d);
    if (!to.isKnown() && !from.isNumber(1)) {
      Expression divisor = e.wrap(atLeast(e, to, 1).getValue(e));
      axes.push_back(static_cast<int64_t>(shape.size()));
      shape.push_back(dimSizeOf(e.wrap(e.create<FloorDivideOp>(from.getValue(e), divisor))));
    }
    shape.push_back(from.isNumber(1) ? from : to);
  }
  if (!axes.empty())
    x = e.cast(e.sum(reshapeTo(x, shape), axes, /*keepdim=*/false), x.type().getElementType());
  return e.results({x});
}

FailureOr<SmallVector<Value>> ReduceAsOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  return SmallVector<Value>{expandTo(e.wrap(cotangents[0]), dimSizesOf(e.wrap(getX()))), Value()};
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/reduce/ReduceAs.cpp.inc"
#include "dialects/pd/ops/reduce/ReduceAs.methods.inc"
