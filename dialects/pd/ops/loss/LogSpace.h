/// Sums of probabilities in formulas, as logarithms.
#pragma once

#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/reduce/NormOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

namespace proa::pd {

/// The logarithm of probability zero: finite, so that differences with it are finite.
inline constexpr double impossible = -1e30;

/// The logarithm of the sum of exp(x) along an axis.
inline Expression logSum(Expression x, int64_t axis, bool keepdim = true) {
  return x.owner().wrap(x.owner().create<LogsumexpOp>(x, llvm::ArrayRef<int64_t>(axis), keepdim));
}

/// The logarithm of the elementwise sum of exp(term).
inline Expression logSumOf(llvm::ArrayRef<Expression> terms) {
  int64_t rank = terms.front().rank();
  llvm::SmallVector<Expression> stacked;
  for (Expression term : terms)
    stacked.push_back(insertDim(term, rank));
  return logSum(concat(stacked, rank), rank, /*keepdim=*/false);
}

/// The fraction of each element in the sum of exp(x) along an axis.
inline Expression shareOf(Expression x, int64_t axis) { return x.owner().exp(x - logSum(x, axis)); }

/// The elements of x along an axis at the indices in `index`.
inline Expression takeAlong(Expression x, Expression index, int64_t axis) {
  return x.owner().wrap(
      x.owner().create<TakeAlongAxisOp>(x, index, x.owner().getBuilder().getI64IntegerAttr(axis)));
}

} // namespace proa::pd
