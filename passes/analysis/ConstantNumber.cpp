#include "passes/analysis/ConstantNumber.h"

#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/HostScalar.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace proa {

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
  double scalar = pd::loadScalar(*known, 0).real();
  for (int64_t i = 1; i < known->size(); ++i)
    if (pd::loadScalar(*known, i).real() != scalar)
      return std::nullopt;
  return scalar;
}

} // namespace proa
