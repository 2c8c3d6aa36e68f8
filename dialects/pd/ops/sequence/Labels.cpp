#include "dialects/pd/ops/sequence/Labels.h"
#include "dialects/pd/autodiff/FormulaGradient.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {

LogicalResult checkChain(std::optional<Location> location, Value emission, Value transition, Value offsets) {
  RankedTensorType x = tensorType(emission), w = tensorType(transition);
  if (offsets && failed(checkOffsets(location, offsets)))
    return failure();
  int64_t rank = offsets ? 2 : 3, tags = x.getRank() == 0 ? ShapedType::kDynamic : x.getShape().back();
  if (failed(require(location, x.getRank() == rank, "C1: emission must have rank " + std::to_string(rank),
                     {emission})))
    return failure();
  int64_t rows = ShapedType::isDynamic(tags) ? tags : tags + 2;
  bool fits =
      w.getRank() == 2 && succeeded(verifyCompatibleShape(w.getShape(), llvm::ArrayRef<int64_t>{rows, tags}));
  return require(location, fits, "C2: transition must be [tags + 2, tags]", {emission, transition});
}

/// The kernel computes only the gradient of the cost.
FailureOr<SmallVector<Value>> LinearChainCrfOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  SmallVector<Value> gradients(getOperation()->getNumOperands());
  if (cotangents[3] && llvm::all_of(cotangents.take_front(3), [](Value v) { return !v; })) {
    auto gradient = LinearChainCrfGradOp::create(builder, getLoc(), getEmission(), getTransition(),
                                                 getLabel(), getLength(), getOffsets(), cotangents[3]);
    gradients[0] = gradient.getEmissionGrad();
    gradients[1] = gradient.getTransitionGrad();
    return gradients;
  }
  auto found =
      gradientOfFormula(builder, getLoc(), {getEmission(), getTransition()}, cotangents, [&](ValueRange in) {
        return LinearChainCrfOp::create(builder, getLoc(), in[0], in[1], getLabel(), getLength(),
                                        getOffsets())
            .getOperation();
      });
  if (failed(found))
    return failure();
  llvm::copy(*found, gradients.begin());
  return gradients;
}

FailureOr<SmallVector<Value>> WarpctcOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  SmallVector<Value> gradients(getOperation()->getNumOperands());
  if (!cotangents[0])
    return gradients;
  TensorBuilder e(builder, getOperation());
  Expression derivative = e.wrap(getWarpctcgrad());
  Expression factor = e.reshape(e.wrap(cotangents[0]), {1, -1, 1});
  if (getNormByTimes() && getLogitsLength())
    factor =
        factor / e.reshape(e.cast(e.wrap(getLogitsLength()), derivative.type().getElementType()), {1, -1, 1});
  else if (getNormByTimes())
    factor = factor / e.cast(e.wrap(DimSize(derivative, 0).getValue(e)), derivative.type().getElementType());
  gradients[0] = derivative * factor;
  return gradients;
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/sequence/Labels.cpp.inc"
#include "dialects/pd/ops/sequence/Labels.methods.inc"
#include "dialects/pd/ops/sequence/Labels.scalar.inc"
