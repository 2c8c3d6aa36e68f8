#include "dialects/pd/autodiff/Broadcasting.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/linalg/Contract.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/reduce/ReduceAsOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/shape/DimRoots.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// The operand's dimension that broadcasts to dimension d of the result; negative if otherDim is none.
int64_t aligned(Value operand, Value result, int64_t d) {
  return d - (tensorType(result).getRank() - tensorType(operand).getRank());
}

bool isOne(Value value, int64_t d) { return d < 0 || tensorType(value).getDimSize(d) == 1; }

/// Whether dimension d of the operand, a dynamic dim, may be 1 at run time while the result's dim is not 1.
bool mayBeBroadcast(OpOperand &operand, int64_t d) {
  Operation *op = operand.getOwner();
  if (auto expand = dyn_cast<ExpandOp>(op)) {
    int64_t added = tensorType(expand.getOut()).getRank() - tensorType(expand.getX()).getRank();
    return expand.getShapeTensor() || expand.getShape()[d + added] != -1;
  }
  if (isa<MatmulOp>(op)) {
    auto hasBatch = [](Value matrices) { return tensorType(matrices).getRank() > 2; };
    if (d >= tensorType(operand.get()).getRank() - 2 || !llvm::all_of(op->getOperands(), hasBatch))
      return false;
  } else if (!isa<ScalarOpInterface>(op)) {
    return op->hasTrait<BroadcastsOperands>();
  }
  Value result = op->getResult(0);
  int64_t resultDim = d + tensorType(result).getRank() - tensorType(operand.get()).getRank();
  return llvm::any_of(op->getOperands(), [&](Value other) {
    int64_t otherDim = aligned(other, result, resultDim);
    return other != operand.get() && !isOne(other, otherDim) &&
           !areSameDims(operand.get(), d, other, otherDim);
  });
}

} // namespace

Value sumToShapeOf(OpBuilder &builder, Location location, Value gradient, Value like) {
  auto from = tensorType(gradient), to = tensorType(like);
  int64_t added = from.getRank() - to.getRank();
  llvm::SmallVector<int64_t> axes, leading;
  for (int64_t d = 0; d < from.getRank(); ++d)
    if (d < added || (to.getDimSize(d - added) == 1 && from.getDimSize(d) != 1))
      axes.push_back(d);
  if (axes.empty())
    return gradient;
  auto element = TypeAttr::get(from.getElementType());
  TypeAttr kept = from.getElementType().isInteger() ? element : TypeAttr();
  gradient = SumOp::create(builder, location, gradient, axes, /*keepdim=*/true, kept);
  if (added == 0)
    return gradient;
  for (int64_t d = 0; d < added; ++d)
    leading.push_back(d);
  return SumOp::create(builder, location, gradient, leading, /*keepdim=*/false, kept);
}

Value gradientOfOperand(OpBuilder &builder, OpOperand &operand, Value gradient) {
  Location location = operand.getOwner()->getLoc();
  gradient = sumToShapeOf(builder, location, gradient, operand.get());
  auto from = tensorType(gradient), to = tensorType(operand.get());
  for (int64_t d = 0; d < to.getRank(); ++d)
    if (to.isDynamicDim(d) && from.getDimSize(d) != 1 && mayBeBroadcast(operand, d))
      return ReduceAsOp::create(builder, location, gradient, operand.get());
  return gradient;
}

bool mayBroadcast(Operation *op) {
  return llvm::any_of(op->getOpOperands(), [](OpOperand &operand) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    for (int64_t d = 0; type && d < type.getRank(); ++d)
      if (type.isDynamicDim(d) && mayBeBroadcast(operand, d))
        return true;
    return false;
  });
}

} // namespace proa::pd
