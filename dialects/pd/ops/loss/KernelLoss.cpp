#include "dialects/pd/ops/loss/KernelLoss.h"
#include "dialects/pd/builders/TensorBuilder.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {

bool mayHaveShape(RankedTensorType type, llvm::ArrayRef<int64_t> shape) {
  return succeeded(verifyCompatibleShape(type.getShape(), shape));
}

SmallVector<Value> scaledDerivative(OpBuilder &builder, Operation *op, Value derivative, Value cotangent) {
  SmallVector<Value> gradients(op->getNumOperands());
  if (!cotangent)
    return gradients;
  TensorBuilder e(builder, op);
  gradients[0] = e.wrap(derivative) * e.reshape(e.wrap(cotangent), {-1, 1, 1, 1});
  return gradients;
}

} // namespace proa::pd
