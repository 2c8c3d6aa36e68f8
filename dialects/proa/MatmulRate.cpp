#include "dialects/proa/MatmulRate.h"

#include "dialects/proa/Proa.h"
#include "lib/base/target/MatmulRate.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa {

double matmulFlopsPerSecond(Operation *op) {
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  constexpr int64_t other = 32; // index, which no matmul has
  return matmulFlopsPerSecond(targetOf(op), element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : other);
}

} // namespace proa
