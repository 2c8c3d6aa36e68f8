#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/math/ActivationOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;

namespace proa::pd {

LogicalResult SwigluOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  if (Value y = adaptor.getY()) {
    if (failed(verifyCompatibleShape(type, tensorType(y))) ||
        tensorType(y).getElementType() != type.getElementType())
      return inferenceError(location, "C1: x is " + llvm::Twine(debugString(type)) + " and y " +
                                          debugString(y.getType()));
    results.push_back(type);
    return success();
  }
  if (type.getRank() == 0 || type.getShape().back() % 2 == 1)
    return inferenceError(location, "C1: the last dim of " + llvm::Twine(debugString(type)) + " is not even");
  llvm::SmallVector<int64_t> shape(type.getShape());
  if (!ShapedType::isDynamic(shape.back()))
    shape.back() /= 2;
  results.push_back(type.clone(shape));
  return success();
}

FailureOr<SmallVector<Value>> SwigluOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0);
  if (getY())
    return e.results({x * e.sigmoid(x) * e.operand(1)});
  int64_t axis = x.rank() - 1;
  auto halves = SplitOp::create(builder, getLoc(), x, Value(), Value(), llvm::ArrayRef<int64_t>{}, 2, axis);
  Expression gate = e.wrap(halves.getResult(0)), y = e.wrap(halves.getResult(1));
  return e.results({gate * e.sigmoid(gate) * y});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/math/Activation.cpp.inc"
#include "dialects/pd/ops/math/Activation.methods.inc"
#include "dialects/pd/ops/math/Activation.scalar.inc"
