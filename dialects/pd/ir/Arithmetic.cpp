#include "dialects/pd/ir/Arithmetic.h"

#include "dialects/pd/ir/Contraction.h"
#include "dialects/pd/ir/DeviceKernel.h"
#include "dialects/pd/ir/Pd.h"

using namespace mlir;

namespace proa::pd {
namespace {

std::optional<int64_t> elementsOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? productOfDims(type.getShape()) : 0;
}

} // namespace

std::optional<int64_t> operationsOf(Operation *op) {
  if (auto contraction = dyn_cast<ContractionOpInterface>(op)) {
    std::optional<int64_t> multiplyAdds = contraction.getMultiplyAdds();
    return multiplyAdds ? std::optional<int64_t>(2 * *multiplyAdds) : std::nullopt;
  }
  if (auto kernel = dyn_cast<DeviceKernelOpInterface>(op))
    return kernel.getDeviceOperations();
  if (isa<ReductionOpInterface>(op))
    return elementsOf(op->getOperand(0));
  if (isa<ScalarOpInterface, DecomposableOpInterface>(op) && op->getNumResults() > 0)
    return elementsOf(op->getResult(0));
  return 0;
}

} // namespace proa::pd

#include "dialects/pd/ir/DeviceKernel.cpp.inc"
