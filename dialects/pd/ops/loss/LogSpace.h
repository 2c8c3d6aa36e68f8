/// Sums of probabilities in formulas, by their logarithms.
#pragma once

#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/reduce/NormOps.h"
#include "dialects/pd/ops/shape/Extent.h"

namespace proa::pd {

/// The logarithm of a probability that is zero: a number, so that differences with it are numbers too.
inline constexpr double impossible = -1e30;

/// The logarithm of the sum of exp(x) along an axis.
inline Expression logSum(Expression x, int64_t axis, bool keepdim = true) {
  return x.owner().wrap(x.owner().create<LogsumexpOp>(x, llvm::ArrayRef<int64_t>(axis), keepdim));
}

/// The logarithm of the sum of exp(term), element by element.
inline Expression logSumOf(llvm::ArrayRef<Expression> terms) {
  int64_t rank = terms.front().rank();
  llvm::SmallVector<Expression> stacked;
  for (Expression term : terms)
    stacked.push_back(insertDim(term, rank));
  return logSum(concat(stacked, rank), rank, /*keepdim=*/false);
}

/// Each element's share of the sum of exp(x) along an axis.
inline Expression shareOf(Expression x, int64_t axis) { return x.owner().exp(x - logSum(x, axis)); }

/// The elements of x along an axis at the positions in `index`.
inline Expression takeAlong(Expression x, Expression index, int64_t axis) {
  return x.owner().wrap(
      x.owner().create<TakeAlongAxisOp>(x, index, x.owner().getBuilder().getI64IntegerAttr(axis)));
}

} // namespace proa::pd
