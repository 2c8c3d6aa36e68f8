/// Ops on the edges of graphs.
#pragma once

#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

#include "mlir/IR/TypeUtilities.h"

namespace proa::pd {

mlir::LogicalResult checkEdges(std::optional<mlir::Location> location, mlir::Value source,
                               mlir::Value target);
/// The type of the messages along the edges: a row of x combined with a row of y.
mlir::FailureOr<mlir::RankedTensorType> messageType(std::optional<mlir::Location> location,
                                                    mlir::RankedTensorType x, mlir::RankedTensorType y,
                                                    int64_t edges);
/// `message` reduced to as many rows as out_size, or as x.
mlir::LogicalResult inferReceived(std::optional<mlir::Location> location, mlir::RankedTensorType message,
                                  mlir::Value x, mlir::Value sizeTensor, llvm::ArrayRef<int64_t> size,
                                  Results &results);
mlir::LogicalResult inferSegmentPoolOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                       mlir::RankedTensorType ids, Results &results);

template <class Adaptor>
mlir::LogicalResult inferSegmentPool(std::optional<mlir::Location> location, Adaptor adaptor,
                                     Results &results) {
  return inferSegmentPoolOf(location, tensorType(adaptor.getX()), tensorType(adaptor.getSegmentIds()),
                            results);
}

template <class Adaptor>
mlir::LogicalResult inferSendURecv(std::optional<mlir::Location> location, Adaptor adaptor,
                                   Results &results) {
  if (failed(checkEdges(location, adaptor.getSrcIndex(), adaptor.getDstIndex())))
    return mlir::failure();
  return inferReceived(location, tensorType(adaptor.getX()), adaptor.getX(), adaptor.getOutSizeTensor(),
                       adaptor.getOutSize(), results);
}

template <class Adaptor>
mlir::LogicalResult inferSendUeRecv(std::optional<mlir::Location> location, Adaptor adaptor,
                                    Results &results) {
  if (failed(checkEdges(location, adaptor.getSrcIndex(), adaptor.getDstIndex())))
    return mlir::failure();
  auto message = messageType(location, tensorType(adaptor.getX()), tensorType(adaptor.getY()), 1);
  if (failed(message))
    return mlir::failure();
  return inferReceived(location, *message, adaptor.getX(), adaptor.getOutSizeTensor(), adaptor.getOutSize(),
                       results);
}

template <class Adaptor>
mlir::LogicalResult inferSendUv(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  if (failed(checkEdges(location, adaptor.getSrcIndex(), adaptor.getDstIndex())))
    return mlir::failure();
  auto message = messageType(location, tensorType(adaptor.getX()), tensorType(adaptor.getY()),
                             tensorType(adaptor.getSrcIndex()).getDimSize(0));
  if (failed(message))
    return mlir::failure();
  results.push_back(*message);
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferReindexGraph(std::optional<mlir::Location> location, Adaptor adaptor,
                                      Results &results) {
  auto x = tensorType(adaptor.getX()), neighbors = tensorType(adaptor.getNeighbors()),
       count = tensorType(adaptor.getCount());
  if (x.getRank() != 1 || neighbors.getRank() != 1 || count.getRank() != 1)
    return inferenceError(location, "C1: x, neighbors and count must be vectors");
  if (failed(mlir::verifyCompatibleShape(x.getShape(), count.getShape())))
    return inferenceError(location, "C1: count must have as many elements as x, found " +
                                        llvm::Twine(count.getDimSize(0)) + " and " +
                                        llvm::Twine(x.getDimSize(0)));
  results.append(2, neighbors);
  results.push_back(x.clone({mlir::ShapedType::kDynamic}));
  return mlir::success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/graph/Graph.h.inc"
