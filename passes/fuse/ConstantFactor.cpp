#include "passes/fuse/ConstantFactor.h"

#include "dialects/pd/ops/math/ScaleOps.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/HostScalar.h"

using namespace mlir;

namespace proa {

std::optional<double> constantFactor(Operation *op) {
  auto scale = dyn_cast_or_null<pd::ScaleOp>(op);
  if (!scale || scale.getScaleTensor() || scale.getBiasTensor() || !scale.getBias().isZero())
    return std::nullopt;
  return scale.getScale().convertToDouble();
}

std::optional<double> constantNumber(Value value) {
  // A large tensor of equal elements.
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    return pd::loadScalar(pd::tensorFromAttribute(elements.resizeSplat(
                              cast<ShapedType>(RankedTensorType::get({}, elements.getElementType())))),
                          0)
        .real();
  std::optional<Tensor> known = pd::knownTensor(value);
  if (!known || known->size() == 0)
    return std::nullopt;
  double number = pd::loadScalar(*known, 0).real();
  for (int64_t i = 1; i < known->size(); ++i)
    if (pd::loadScalar(*known, i).real() != number)
      return std::nullopt;
  return number;
}

} // namespace proa
