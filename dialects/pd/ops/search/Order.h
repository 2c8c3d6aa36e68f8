/// Order of elements in formulas.
#pragma once

#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

namespace proa::pd {

/// Elements along the last axis in descending order, equal ones in their order, and their indices.
struct Descending {
  Expression values, indices;
};

inline Descending descending(Expression x) {
  auto op = ArgsortOp::create(x.owner().getBuilder(), mlir::Value(x).getLoc(), x, x.rank() - 1,
                              /*descending=*/true, /*stable=*/true);
  return {x.owner().wrap(op.getOut()), x.owner().wrap(op.getIndices())};
}

/// The place of each element in the descending order along the last axis.
inline Expression descendingRank(Expression x) {
  TensorBuilder &e = x.owner();
  int64_t axis = x.rank() - 1;
  Expression position = expandTo(iota(e, DimSize(x, axis), e.getBuilder().getI64Type()), dimSizesOf(x));
  return e.wrap(e.create<PutAlongAxisOp>(position, descending(x).indices, position,
                                         e.getBuilder().getI64IntegerAttr(axis)));
}

} // namespace proa::pd
