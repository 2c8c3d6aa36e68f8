#include "dialects/pd/Evaluate.h"
#include "dialects/pd/Infer.h"
#include "dialects/pd/TensorBuilder.h"
#include "dialects/pd/math/BinaryOps.h"

using namespace mlir;

namespace proa::pd {

/// y * x^(y - 1). Of 0^0, which is constant along x, it is 0 and not 0 times an infinity, in derivatives of
/// it too: the third derivative of x^2 comes here with y = 0.
static Expression derivativeByBase(TensorBuilder &e, Expression x, Expression y) {
  Expression isConstant = e.wrap(e.create<LogicalAndOp>(Value(e.equal(x, 0.0)), Value(e.equal(y, 0.0))));
  return e.select(isConstant, 0.0, y * e.pow(e.select(isConstant, 1.0, x), y - 1.0));
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/math/Binary.cpp.inc"
#include "dialects/pd/math/Binary.methods.inc"
#include "dialects/pd/math/Binary.scalar.inc"
