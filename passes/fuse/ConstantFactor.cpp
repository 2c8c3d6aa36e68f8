#include "passes/fuse/ConstantFactor.h"

#include "dialects/pd/ops/math/ScaleOps.h"

using namespace mlir;

namespace proa {

std::optional<double> constantFactor(Operation *op) {
  auto scale = dyn_cast_or_null<pd::ScaleOp>(op);
  if (!scale || scale.getScaleTensor() || scale.getBiasTensor() || !scale.getBias().isZero())
    return std::nullopt;
  return scale.getScale().convertToDouble();
}

} // namespace proa
