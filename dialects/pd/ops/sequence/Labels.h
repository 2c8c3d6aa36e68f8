/// Types of ops on labels of sequences.
#pragma once

#include "dialects/pd/autodiff/GradientByKernel.h"
#include "dialects/pd/autodiff/KeepsDerivative.h"
#include "dialects/pd/ops/sequence/Sequence.h"

#include "mlir/IR/TypeUtilities.h"

namespace proa::pd {

/// Emissions and transitions of a conditional random field.
mlir::LogicalResult checkChain(std::optional<mlir::Location> location, mlir::Value emission,
                               mlir::Value transition, mlir::Value offsets);

template <class Adaptor>
mlir::LogicalResult inferLinearChainCrf(std::optional<mlir::Location> location, Adaptor adaptor,
                                        Results &results) {
  if (failed(checkChain(location, adaptor.getEmission(), adaptor.getTransition(), adaptor.getOffsets())))
    return mlir::failure();
  auto emission = tensorType(adaptor.getEmission());
  int64_t count = adaptor.getOffsets() ? sequenceCount(adaptor.getOffsets()) : emission.getDimSize(0);
  results.append(2, emission);
  results.push_back(adaptor.getTransition().getType());
  results.push_back(emission.clone({count, 1}));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferLinearChainCrfGrad(std::optional<mlir::Location>, Adaptor adaptor,
                                            Results &results) {
  results.push_back(adaptor.getEmission().getType());
  results.push_back(adaptor.getTransition().getType());
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferCrfDecoding(std::optional<mlir::Location> location, Adaptor adaptor,
                                     Results &results) {
  if (failed(checkChain(location, adaptor.getEmission(), adaptor.getTransition(), adaptor.getOffsets())))
    return mlir::failure();
  auto emission = tensorType(adaptor.getEmission());
  int64_t columns = adaptor.getOffsets() ? 1 : emission.getDimSize(1);
  results.push_back(mlir::RankedTensorType::get({emission.getDimSize(0), columns},
                                                mlir::IntegerType::get(emission.getContext(), 64)));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferViterbiDecode(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  auto x = tensorType(adaptor.getX());
  bool fits = x.getRank() == 3 && tensorType(adaptor.getTransition()).getRank() == 2 &&
              tensorType(adaptor.getLengths()).getRank() == 1;
  if (failed(require(location, fits, "C1: x must have rank 3, transition rank 2 and lengths rank 1",
                     adaptor.getOperands())))
    return mlir::failure();
  int64_t batch = x.getDimSize(0);
  results.push_back(x.clone({batch}));
  results.push_back(mlir::RankedTensorType::get({batch, mlir::ShapedType::kDynamic},
                                                mlir::IntegerType::get(x.getContext(), 64)));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferWarpctc(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto logits = tensorType(adaptor.getLogits());
  if (failed(require(location, logits.getRank() == 3 && tensorType(adaptor.getLabel()).getRank() == 2,
                     "C1: logits must have rank 3 and label rank 2", adaptor.getOperands())))
    return mlir::failure();
  auto blank = static_cast<int64_t>(adaptor.getBlank());
  if (blank < 0 || (!logits.isDynamicDim(2) && blank >= logits.getDimSize(2)))
    return inferenceError(location, "C2: blank must be a class, found " + llvm::Twine(blank));
  results.push_back(logits.clone({logits.getDimSize(1), 1}));
  results.push_back(logits);
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferCtcAlign(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto x = tensorType(adaptor.getX());
  if (adaptor.getOffsets()) {
    if (failed(checkOneElementRows(location, adaptor.getX(), adaptor.getOffsets())))
      return mlir::failure();
    results.push_back(x.clone({mlir::ShapedType::kDynamic, 1}));
    results.push_back(adaptor.getOffsets().getType());
    return mlir::success();
  }
  if (failed(require(location, x.getRank() == 2, "C1: without offsets x must have rank 2",
                     adaptor.getOperands())))
    return mlir::failure();
  results.push_back(x);
  results.push_back(x.clone({x.getDimSize(0), 1}));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferEditDistance(std::optional<mlir::Location> location, Adaptor adaptor,
                                      Results &results) {
  auto hyps = tensorType(adaptor.getHyps());
  bool fits = (adaptor.getHypsOffsets() || hyps.getRank() == 2) &&
              (adaptor.getRefsOffsets() || tensorType(adaptor.getRefs()).getRank() == 2);
  if (failed(require(location, fits, "C1: without offsets hyps and refs must have rank 2",
                     adaptor.getOperands())))
    return mlir::failure();
  int64_t count = adaptor.getHypsOffsets() ? sequenceCount(adaptor.getHypsOffsets()) : hyps.getDimSize(0);
  results.push_back(vectorOfInts(hyps.getContext(), 1));
  results.push_back(mlir::RankedTensorType::get({count, 1}, mlir::Float32Type::get(hyps.getContext())));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferGatherTree(std::optional<mlir::Location> location, Adaptor adaptor,
                                    Results &results) {
  auto ids = tensorType(adaptor.getIds());
  bool fits =
      ids.getRank() == 3 &&
      succeeded(mlir::verifyCompatibleShape(ids.getShape(), tensorType(adaptor.getParents()).getShape()));
  if (failed(require(location, fits, "C1: ids must have rank 3, and parents its dimensions",
                     adaptor.getOperands())))
    return mlir::failure();
  results.push_back(ids);
  return mlir::success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/sequence/Labels.h.inc"
