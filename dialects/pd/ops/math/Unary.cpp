#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/reference/Evaluate.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

/// x rounded to a decimal.
template <class Builder>
typename Builder::Value rounded(Builder &b, typename Builder::Value x, int64_t decimals, bool halfToEven) {
  auto round = [&](typename Builder::Value v) { return halfToEven ? b.roundEven(v) : b.round(v); };
  if (decimals == 0)
    return round(x);
  auto power = b.number(std::pow(10.0, static_cast<double>(decimals)), x);
  return b.divide(round(b.multiply(x, power)), power);
}

/// The derivative of |x|: the sign of x; of a complex number x / |x|, which has derivatives itself, and 0 at
/// 0.
Expression direction(Expression x, Expression modulus) {
  TensorBuilder &e = x.owner();
  Type element = x.type().getElementType();
  if (!isa<ComplexType>(element))
    return e.wrap(e.create<SignOp>(x));
  return x / e.cast(e.select(e.equal(modulus, 0.0), 1.0, modulus), element);
}

} // namespace
} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/math/Unary.cpp.inc"
#include "dialects/pd/ops/math/Unary.methods.inc"
#include "dialects/pd/ops/math/Unary.scalar.inc"
