#include "dialects/proa/MatmulRate.h"

#include "dialects/proa/Proa.h"
#include "lib/base/target/MatmulRate.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa {

static MatmulElement elementOf(Value value) {
  Type element = getElementTypeOrSelf(value);
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  if (!element.isIntOrFloat()) // index, which no matmul has
    return {};
  return {.bits = element.getIntOrFloatBitWidth(), .isFloat = isa<FloatType>(element)};
}

/// The type of elements before casts to wider ones: ops with one operand of the same shape.
static MatmulElement storedElementOf(Value value) {
  MatmulElement element = elementOf(value);
  for (Operation *op = value.getDefiningOp(); op && op->getNumOperands() == 1; op = value.getDefiningOp()) {
    value = op->getOperand(0);
    MatmulElement from = elementOf(value);
    if (from.isFloat != element.isFloat || from.bits >= element.bits ||
        failed(verifyCompatibleShape(value.getType(), op->getResult(0).getType())))
      break;
    element = from;
  }
  return element;
}

double matmulFlopsPerSecond(Operation *op) {
  MatmulElement widest{.bits = 0};
  for (Value operand : op->getOperands().take_front(2))
    if (MatmulElement element = storedElementOf(operand); element.bits > widest.bits)
      widest = element;
  return matmulFlopsPerSecond(targetOf(op), widest);
}

} // namespace proa
