/// Communication between processes.
#pragma once

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

/// The effect of communicating ops.
struct Network : mlir::SideEffects::Resource::Base<Network> {
  llvm::StringRef getName() final { return "Network"; }
};

/// C1.
mlir::LogicalResult checkGroup(std::optional<mlir::Location> location, int64_t group);
/// C2 and C3; 0 ranks means an unknown number if `mayBeUnknown`.
mlir::LogicalResult checkProcess(std::optional<mlir::Location> location, llvm::StringRef name,
                                 int64_t process, int64_t ranks, bool mayBeUnknown = true);
/// x with its first or last dim multiplied by `factor` or divided by `divisor`. Emits C4.
mlir::LogicalResult inferScaledDim(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                   bool isLast, int64_t factor, int64_t divisor, Results &results);
mlir::LogicalResult checkShard(std::optional<mlir::Location> location, int64_t id, int64_t count);
mlir::LogicalResult inferExchangeOf(std::optional<mlir::Location> location, mlir::ValueRange operands,
                                    Results &results);
mlir::LogicalResult inferPartialEmbeddingOf(std::optional<mlir::Location> location,
                                            mlir::RankedTensorType weight, mlir::RankedTensorType x,
                                            Results &results);
mlir::LogicalResult inferParallelCrossEntropyOf(std::optional<mlir::Location> location,
                                                mlir::RankedTensorType logits, mlir::RankedTensorType label,
                                                Results &results);

template <class Adaptor>
mlir::LogicalResult inferInProcessGroup(std::optional<mlir::Location> location, Adaptor adaptor,
                                        Results &results) {
  results.push_back(adaptor.getOperands()[0].getType());
  if constexpr (requires { adaptor.getRoot(); })
    if (failed(checkProcess(location, "root", static_cast<int64_t>(adaptor.getRoot()), 0)))
      return mlir::failure();
  return checkGroup(location, static_cast<int64_t>(adaptor.getRingId()));
}

/// Ops with rank and nranks.
template <class Adaptor>
mlir::LogicalResult checkRanked(std::optional<mlir::Location> location, Adaptor adaptor) {
  int64_t process = 0, ranks = static_cast<int64_t>(adaptor.getNranks());
  llvm::StringRef name = "rank";
  if constexpr (requires { adaptor.getRank(); })
    process = static_cast<int64_t>(adaptor.getRank());
  if constexpr (requires { adaptor.getRoot(); }) {
    process = static_cast<int64_t>(adaptor.getRoot());
    name = "root";
  }
  if (failed(checkProcess(location, name, process, ranks, false)))
    return mlir::failure();
  return checkGroup(location, static_cast<int64_t>(adaptor.getRingId()));
}

template <class Adaptor>
mlir::LogicalResult inferRankedInProcessGroup(std::optional<mlir::Location> location, Adaptor adaptor,
                                              Results &results) {
  results.push_back(adaptor.getX().getType());
  return checkRanked(location, adaptor);
}

template <class Adaptor>
mlir::LogicalResult inferGatherShards(std::optional<mlir::Location> location, Adaptor adaptor,
                                      Results &results) {
  auto ranks = static_cast<int64_t>(adaptor.getNranks());
  if (failed(checkProcess(location, "rank", 0, ranks)) ||
      failed(checkGroup(location, static_cast<int64_t>(adaptor.getRingId()))))
    return mlir::failure();
  return inferScaledDim(location, tensorType(adaptor.getX()), false,
                        ranks == 0 ? mlir::ShapedType::kDynamic : ranks, 1, results);
}

template <class Adaptor>
mlir::LogicalResult inferConcatShards(std::optional<mlir::Location> location, Adaptor adaptor,
                                      Results &results) {
  if (failed(checkRanked(location, adaptor)))
    return mlir::failure();
  return inferScaledDim(location, tensorType(adaptor.getX()), true, static_cast<int64_t>(adaptor.getNranks()),
                        1, results);
}

template <class Adaptor>
mlir::LogicalResult inferFirstShard(std::optional<mlir::Location> location, Adaptor adaptor,
                                    Results &results) {
  if (failed(checkRanked(location, adaptor)))
    return mlir::failure();
  return inferScaledDim(location, tensorType(adaptor.getX()), false, 1,
                        static_cast<int64_t>(adaptor.getNranks()), results);
}

template <class Adaptor>
mlir::LogicalResult inferLastShard(std::optional<mlir::Location> location, Adaptor adaptor,
                                   Results &results) {
  if (failed(checkRanked(location, adaptor)))
    return mlir::failure();
  return inferScaledDim(location, tensorType(adaptor.getX()), true, 1,
                        static_cast<int64_t>(adaptor.getNranks()), results);
}

template <class Adaptor>
mlir::LogicalResult inferExchange(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  if (failed(checkGroup(location, static_cast<int64_t>(adaptor.getRingId()))))
    return mlir::failure();
  return inferExchangeOf(location, adaptor.getOperands(), results);
}

template <class Adaptor>
mlir::LogicalResult inferSend(std::optional<mlir::Location> location, Adaptor adaptor, Results &) {
  if (failed(checkGroup(location, static_cast<int64_t>(adaptor.getRingId()))))
    return mlir::failure();
  return checkProcess(location, "peer", static_cast<int64_t>(adaptor.getPeer()), 0);
}

template <class Adaptor>
mlir::LogicalResult inferPartialSend(std::optional<mlir::Location> location, Adaptor adaptor,
                                     Results &results) {
  if (failed(inferSend(location, adaptor, results)))
    return mlir::failure();
  return checkShard(location, static_cast<int64_t>(adaptor.getId()), static_cast<int64_t>(adaptor.getNum()));
}

template <class Adaptor>
mlir::LogicalResult inferReceive(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  llvm::SmallVector<int64_t> shape(adaptor.getOutShape());
  bool isOpen = false;
  if constexpr (requires { adaptor.getDynamicShape(); })
    isOpen = adaptor.getDynamicShape();
  for (int64_t &dimSize : shape)
    if (dimSize < 0 || isOpen)
      dimSize = mlir::ShapedType::kDynamic;
  results.push_back(mlir::RankedTensorType::get(shape, adaptor.getDtype()));
  return inferSend(location, adaptor, results);
}

template <class Adaptor>
mlir::LogicalResult inferPartialReceive(std::optional<mlir::Location> location, Adaptor adaptor,
                                        Results &results) {
  if (failed(inferReceive(location, adaptor, results)))
    return mlir::failure();
  return checkShard(location, static_cast<int64_t>(adaptor.getId()), static_cast<int64_t>(adaptor.getNum()));
}

template <class Adaptor>
mlir::LogicalResult inferPartialEmbedding(std::optional<mlir::Location> location, Adaptor adaptor,
                                          Results &results) {
  return inferPartialEmbeddingOf(location, tensorType(adaptor.getWeight()), tensorType(adaptor.getX()),
                                 results);
}

template <class Adaptor>
mlir::LogicalResult inferParallelCrossEntropy(std::optional<mlir::Location> location, Adaptor adaptor,
                                              Results &results) {
  if (failed(checkGroup(location, static_cast<int64_t>(adaptor.getRingId()))) ||
      failed(checkProcess(location, "rank", static_cast<int64_t>(adaptor.getRank()),
                          static_cast<int64_t>(adaptor.getNranks()))))
    return mlir::failure();
  return inferParallelCrossEntropyOf(location, tensorType(adaptor.getLogits()),
                                     tensorType(adaptor.getLabel()), results);
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/distributed/Distributed.h.inc"
