/// Encodings of positions.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/ElementInterface.h"
#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

mlir::LogicalResult checkPositionEncoding(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                          bool hasOffsets);
template <class Adaptor>
mlir::LogicalResult inferPositionEncoding(std::optional<mlir::Location> location, Adaptor adaptor,
                                          Results &results) {
  if (failed(checkPositionEncoding(location, tensorType(adaptor.getX()),
                                   static_cast<bool>(adaptor.getOffsets()))))
    return mlir::failure();
  results.push_back(adaptor.getX().getType());
  return mlir::success();
}

mlir::LogicalResult checkRotaryEmbedding(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                         mlir::RankedTensorType cosines, mlir::RankedTensorType sines);

template <class Adaptor>
mlir::LogicalResult inferRotaryEmbedding(std::optional<mlir::Location> location, Adaptor adaptor,
                                         Results &results) {
  if (failed(checkRotaryEmbedding(location, tensorType(adaptor.getX()), tensorType(adaptor.getCosines()),
                                  tensorType(adaptor.getSines()))))
    return mlir::failure();
  results.push_back(adaptor.getX().getType());
  return mlir::success();
}

} // namespace proa::pd
