#include "translator/import/legacy/hooks/Activations.h"

#include "dialects/pd/ops/math/ActivationOps.h"

using namespace mlir;

namespace proa::import::hooks {

Value activation(pd::Expression x, llvm::StringRef name) {
  pd::TensorBuilder &e = x.owner();
  Value operand = x;
  if (name == "abs")
    return e.abs(x);
  if (name == "gelu")
    return e.create<pd::GeluOp>(x);
  if (name == "mish")
    return e.create<pd::MishOp>(ValueRange(operand)); // with the default threshold
  if (name == "relu")
    return e.create<pd::ReluOp>(x);
  if (name == "relu6")
    return e.create<pd::Relu6Op>(x);
  if (name == "sigmoid")
    return e.sigmoid(x);
  if (name == "sqrt")
    return e.sqrt(x);
  if (name == "tanh")
    return e.tanh(x);
  return {};
}

} // namespace proa::import::hooks
