/// Logic of bool tensors in formulas.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"

namespace proa::pd {

inline Expression both(Expression x, Expression y) {
  return x.owner().wrap(x.owner().create<LogicalAndOp>(x, y));
}

inline Expression either(Expression x, Expression y) {
  return x.owner().wrap(x.owner().create<LogicalOrOp>(x, y));
}

inline Expression negation(Expression x) { return x.owner().wrap(x.owner().create<LogicalNotOp>(x)); }

} // namespace proa::pd
