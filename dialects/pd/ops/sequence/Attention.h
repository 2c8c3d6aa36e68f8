/// Recurrences with attention.
#pragma once

#include "dialects/pd/ops/sequence/Labels.h"

#include "mlir/IR/TypeUtilities.h"

namespace proa::pd {

template <class Adaptor>
mlir::LogicalResult inferAttentionLstm(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  auto x = tensorType(adaptor.getX()), c0 = tensorType(adaptor.getC0()),
       weight = tensorType(adaptor.getLstmWeight());
  bool fits = x.getRank() == 2 && c0.getRank() == 2 && weight.getRank() == 2;
  if (fits && !x.isDynamicDim(1) && !c0.isDynamicDim(1)) {
    int64_t width = c0.getDimSize(1), inputs = x.getDimSize(1) + width;
    fits = succeeded(mlir::verifyCompatibleShape({inputs, 4 * width}, weight.getShape())) &&
           mayHaveElements(adaptor.getAttentionWeight(), inputs) &&
           mayHaveElements(adaptor.getLstmBias(), 4 * width);
  }
  for (mlir::Value state : {adaptor.getC0(), adaptor.getH0()})
    fits = fits &&
           (!state ||
            succeeded(mlir::verifyCompatibleShape({sequenceCount(adaptor.getOffsets()), c0.getDimSize(1)},
                                                  tensorType(state).getShape())));
  if (failed(require(location, fits,
                     "C1: x must be [T, M], c0 and h0 [sequences, D], attention_weight have M + D elements, "
                     "lstm_weight be [D + M, 4 D] and lstm_bias have 4 D elements",
                     adaptor.getOperands())))
    return mlir::failure();
  results.append(2, x.clone({x.getDimSize(0), c0.getDimSize(1)}));
  return mlir::success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/sequence/Attention.h.inc"
