#include "dialects/pd/autodiff/KeepsDerivative.h"

#include "dialects/pd/ir/Pd.h"

using namespace mlir;

namespace proa::pd {

LogicalResult splitDerivative(Operation *op) {
  if (!isa<DecomposableOpInterface>(op))
    return failure();
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Operation *copy = builder.clone(*op);
  Value derivative = op->getResults().back(), copied = copy->getResults().back();
  derivative.replaceAllUsesWith(copied);
  builder.setInsertionPoint(copy);
  auto values = cast<DecomposableOpInterface>(copy).tryDecompose(builder);
  copied.replaceAllUsesWith(succeeded(values) ? values->back() : derivative);
  copy->erase();
  return success(succeeded(values));
}

} // namespace proa::pd
