/// Types of ops that match boxes with true boxes, and rows with columns.
#pragma once

#include "dialects/pd/ops/detection/Detection.h"
#include "dialects/pd/ops/sequence/Labels.h"

namespace proa::pd {

template <class Adaptor>
mlir::LogicalResult inferBipartiteMatch(std::optional<mlir::Location> location, Adaptor adaptor,
                                        Results &results) {
  auto distances = tensorType(adaptor.getDistMat());
  if (failed(require(location, distances.getRank() == 2, "C1: dist_mat must be a matrix",
                     adaptor.getOperands())))
    return mlir::failure();
  int64_t count = adaptor.getOffsets() ? sequenceCount(adaptor.getOffsets()) : 1;
  auto type = distances.clone({count, distances.getDimSize(1)});
  results.push_back(type.clone(mlir::IntegerType::get(type.getContext(), 32)));
  results.push_back(type);
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferMineHardExamples(std::optional<mlir::Location> location, Adaptor adaptor,
                                          Results &results) {
  auto matches = tensorType(adaptor.getMatchIndices());
  bool fits = matches.getRank() == 2 && tensorType(adaptor.getClsLoss()).getRank() == 2 &&
              tensorType(adaptor.getMatchDist()).getRank() == 2;
  if (failed(require(location, fits, "C1: all operands must be [N, boxes]", adaptor.getOperands())))
    return mlir::failure();
  addSelectedRows(matches, 1, matches.getDimSize(0), results);
  results.push_back(matches);
  return mlir::success();
}

mlir::LogicalResult inferSimilarityFocusOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                           int64_t axis, llvm::ArrayRef<int64_t> indexes, Results &results);

template <class Adaptor>
mlir::LogicalResult inferSimilarityFocus(std::optional<mlir::Location> location, Adaptor adaptor,
                                         Results &results) {
  return inferSimilarityFocusOf(location, tensorType(adaptor.getX()), static_cast<int64_t>(adaptor.getAxis()),
                                adaptor.getIndexes(), results);
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/detection/Matching.h.inc"
