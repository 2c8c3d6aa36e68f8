#include "dialects/pd/ops/math/Special.h"

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/math/SpecialOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {

/// I0 - I1 / x, near zero its series, because the difference and its derivatives lose all digits there.
/// Scaled: exp(-|x|) times it, minus sign(x) times the value.
static Expression derivativeOfI1(TensorBuilder &e, Expression x, Expression out, bool isScaled) {
  Expression isSmall = e.abs(x) < 0.02, square = x * x;
  Expression series = ((square * (7.0 / 18432) + 5.0 / 384) * square + 3.0 / 16) * square + 0.5;
  Expression i0 = e.wrap(isScaled ? e.create<I0eOp>(x) : e.create<I0Op>(x));
  Expression ratio = i0 - out / e.select(isSmall, 1.0, x);
  if (!isScaled)
    return e.select(isSmall, series, ratio);
  return e.select(isSmall, e.exp(-e.abs(x)) * series, ratio) - e.wrap(e.create<SignOp>(x)) * out;
}

LogicalResult GammainccOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            llvm::SmallVectorImpl<Type> &results) {
  auto x = tensorType(adaptor.getX()), y = tensorType(adaptor.getY());
  if (x.getElementType() != y.getElementType() || failed(verifyCompatibleShape(x, y))) {
    std::string text;
    llvm::raw_string_ostream(text) << "C1: x and y must have one type, found " << x << " and " << y;
    return inferenceError(location, text);
  }
  results.push_back(x);
  return success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/math/Special.cpp.inc"
#include "dialects/pd/ops/math/Special.methods.inc"
#include "dialects/pd/ops/math/Special.scalar.inc"
