#include "dialects/pd/ops/sequence/Recurrent.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {

using Values = FailureOr<SmallVector<Value>>;

LogicalResult checkGates(std::optional<Location> location, Value x, Value weight, Value offsets,
                         int64_t gates) {
  RankedTensorType input = tensorType(x), matrix = tensorType(weight);
  if (failed(checkRows(location, x, offsets)))
    return failure();
  bool fits = input.getRank() == 2 && matrix.getRank() == 2;
  if (fits && !matrix.isDynamicDim(0)) {
    int64_t columns = gates * matrix.getDimSize(0);
    fits = succeeded(verifyCompatibleShape(matrix.getShape().take_back(), llvm::ArrayRef(columns))) &&
           succeeded(verifyCompatibleShape(input.getShape().take_back(), llvm::ArrayRef(columns)));
  }
  return require(location, fits,
                 "C1: x must be [rows, " + std::to_string(gates) + " D] and weight [D, " +
                     std::to_string(gates) + " D]",
                 {x, weight});
}

LogicalResult checkStates(std::optional<Location> location, Value weight, Value offsets, Value bias,
                          int64_t columns, llvm::ArrayRef<Value> states) {
  RankedTensorType expected = initialType(offsets, weight);
  int64_t width = expected.getDimSize(1);
  if (!mayHaveElements(bias, ShapedType::isDynamic(width) ? width : columns * width))
    return require(location, false, "C1: bias must be [1, " + std::to_string(columns) + " D]",
                   {weight, bias});
  for (Value state : states)
    if (state && failed(verifyCompatibleShape(expected.getShape(), tensorType(state).getShape())))
      return require(location, false, "C1: initial states must be [sequences, D]", {weight, offsets, state});
  return success();
}

Values GruOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  auto gradient = GruGradOp::create(builder, getLoc(), getX(), getWeight(), getOffsets(), getH0(), getBias(),
                                    cotangents[0], getActivationAttr(), getGateActivationAttr(),
                                    getIsReverseAttr(), getOriginModeAttr());
  SmallVector<Value> gradients{gradient.getXGrad(), gradient.getWeightGrad(), Value()};
  if (getH0())
    gradients.push_back(gradient.getH0Grad());
  if (getBias())
    gradients.push_back(gradient.getBiasGrad());
  return gradients;
}

Values LstmOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  auto gradient =
      LstmGradOp::create(builder, getLoc(), getX(), getWeight(), getBias(), getOffsets(), getH0(), getC0(),
                         cotangents[0], cotangents[1], getUsePeepholesAttr(), getIsReverseAttr(),
                         getGateActivationAttr(), getCellActivationAttr(), getCandidateActivationAttr());
  SmallVector<Value> gradients{gradient.getXGrad(), gradient.getWeightGrad(), gradient.getBiasGrad(),
                               Value()};
  if (getH0())
    gradients.push_back(gradient.getH0Grad());
  if (getC0())
    gradients.push_back(gradient.getC0Grad());
  return gradients;
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/sequence/Recurrent.cpp.inc"
#include "dialects/pd/ops/sequence/Recurrent.methods.inc"
#include "dialects/pd/ops/sequence/Recurrent.scalar.inc"
