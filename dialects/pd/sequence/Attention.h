/// Recurrences that look at the whole sequence in each step.
#pragma once

#include "dialects/pd/sequence/Labels.h"

namespace proa::pd {

template <class Adaptor>
mlir::LogicalResult inferAttentionLstm(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  auto x = tensorType(adaptor.getX()), c0 = tensorType(adaptor.getC0()),
       weight = tensorType(adaptor.getLstmWeight());
  bool fits = x.getRank() == 2 && c0.getRank() == 2 && weight.getRank() == 2;
  if (fits && x.hasStaticShape() && c0.hasStaticShape() && weight.hasStaticShape())
    fits = weight.getDimSize(0) == x.getDimSize(1) + c0.getDimSize(1) &&
           weight.getDimSize(1) == 4 * c0.getDimSize(1);
  if (failed(require(location, fits, "C1: x must be [T, M], c0 [sequences, D] and lstm_weight [D + M, 4 D]",
                     adaptor.getOperands())))
    return mlir::failure();
  results.append(2, x.clone({x.getDimSize(0), c0.getDimSize(1)}));
  return mlir::success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/sequence/Attention.h.inc"
