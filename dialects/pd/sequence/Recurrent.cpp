#include "dialects/pd/sequence/Recurrent.h"
#include "dialects/pd/shape/Extent.h"

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

namespace {

/// Activation by number: identity, sigmoid, tanh, relu.
Expression activate(Expression x, uint64_t number) {
  TensorBuilder &e = x.owner();
  switch (number) {
  case 1:
    return e.sigmoid(x);
  case 2:
    return e.tanh(x);
  case 3:
    return e.maximum(0.0, x);
  default:
    return x;
  }
}

} // namespace

Values GruUnitOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression input = e.computed(getInput()), hidden = e.computed(getHiddenPrev());
  int64_t size = tensorType(getWeight()).getDimSize(0);
  if (ShapedType::isDynamic(size))
    return failure();
  if (getBias())
    input = input + e.reshape(e.computed(getBias()), {1, 3 * size});
  // The weights are two matrices, one after the other.
  Expression flat = e.reshape(e.computed(getWeight()), {-1});
  Expression gateWeights = e.reshape(slice(flat, 0, 0, 2 * size * size), {size, 2 * size});
  Expression stateWeights = e.reshape(slice(flat, 0, 2 * size * size, toTheEnd), {size, size});
  Expression gates =
      activate(slice(input, 1, 0, 2 * size) + e.matmul(hidden, gateWeights), getGateActivation());
  Expression update = slice(gates, 1, 0, size), reset = slice(gates, 1, size, 2 * size) * hidden;
  Expression candidate =
      activate(slice(input, 1, 2 * size, 3 * size) + e.matmul(reset, stateWeights), getActivation());
  Expression out = getOriginMode() ? update * hidden + (1.0 - update) * candidate
                                   : (1.0 - update) * hidden + update * candidate;
  return e.results({concat({gates, candidate}, 1), reset, out});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/sequence/Recurrent.cpp.inc"
#include "dialects/pd/sequence/Recurrent.methods.inc"
#include "dialects/pd/sequence/Recurrent.scalar.inc"
