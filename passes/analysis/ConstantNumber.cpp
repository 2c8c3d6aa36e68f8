#include "passes/analysis/ConstantNumber.h"

#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/HostScalar.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace proa {

static double elementOf(const Tensor &tensor, int64_t index) { return pd::loadScalar(tensor, index).real(); }

std::optional<double> constantNumber(Value value) {
  // A large tensor of equal elements.
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    return elementOf(pd::tensorFromAttribute(elements.resizeSplat(
                         cast<ShapedType>(RankedTensorType::get({}, elements.getElementType())))),
                     0);
  std::optional<Tensor> known = pd::knownTensor(value);
  if (!known || known->size() == 0)
    return std::nullopt;
  double scalar = elementOf(*known, 0);
  for (int64_t i = 1; i < known->size(); ++i)
    if (elementOf(*known, i) != scalar)
      return std::nullopt;
  return scalar;
}

std::optional<SmallVector<double>> constantNumbers(Value value) {
  DenseElementsAttr elements;
  std::optional<Tensor> known = matchPattern(value, m_Constant(&elements))
                                    ? std::optional(pd::tensorFromAttribute(elements))
                                    : pd::knownTensor(value);
  if (!known || !getElementTypeOrSelf(value).isIntOrFloat())
    return std::nullopt;
  return llvm::map_to_vector(llvm::seq(known->size()), [&](int64_t i) { return elementOf(*known, i); });
}

} // namespace proa
