/// Neighbors in graphs and trees.
#pragma once

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/SamplingInterface.h"

namespace proa::pd {

mlir::LogicalResult inferTdmChildOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                    mlir::RankedTensorType tree, int64_t children,
                                    std::optional<mlir::Type> dtype, Results &results);

/// Types of neighbor samples: `out` and edge ids like row, one count for each node.
void addNeighbors(mlir::RankedTensorType row, mlir::RankedTensorType nodes, Results &results);

template <class Adaptor>
mlir::LogicalResult inferSampleNeighbors(std::optional<mlir::Location> location, Adaptor adaptor,
                                         Results &results) {
  if (failed(commonElementType(location, adaptor.getOperands(), "C1")))
    return mlir::failure();
  addNeighbors(tensorType(adaptor.getRow()), tensorType(adaptor.getX()), results);
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferTdmChild(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferTdmChildOf(location, tensorType(adaptor.getX()), tensorType(adaptor.getTreeInfo()),
                         static_cast<int64_t>(adaptor.getChildNums()), adaptor.getDtype(), results);
}

template <class Adaptor>
mlir::LogicalResult inferWeightedSampleNeighbors(std::optional<mlir::Location> location, Adaptor adaptor,
                                                 Results &results) {
  llvm::SmallVector<mlir::Value> numbers{adaptor.getRow(), adaptor.getColptr(), adaptor.getInputNodes()};
  if (adaptor.getEids())
    numbers.push_back(adaptor.getEids());
  if (failed(commonElementType(location, numbers, "C1")))
    return mlir::failure();
  addNeighbors(tensorType(adaptor.getRow()), tensorType(adaptor.getInputNodes()), results);
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferGraphKhopSampler(std::optional<mlir::Location> location, Adaptor adaptor,
                                          Results &results) {
  if (failed(commonElementType(location, adaptor.getOperands(), "C1")))
    return mlir::failure();
  if (adaptor.getSampleSizes().empty() || (adaptor.getReturnEids() && !adaptor.getEids()))
    return inferenceError(location, "C2: there must be a sample size, and with return_eids eids");
  auto row = tensorType(adaptor.getRow());
  int64_t open = mlir::ShapedType::kDynamic;
  results.append(2, row.clone({open, 1}));
  results.push_back(row.clone({open}));
  auto x = tensorType(adaptor.getX());
  results.push_back(row.clone({x.hasStaticShape() ? x.getNumElements() : open}));
  results.push_back(row.clone({open}));
  return mlir::success();
}

mlir::LogicalResult inferTdmSamplerOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                      llvm::ArrayRef<int64_t> counts, llvm::ArrayRef<int64_t> layers,
                                      bool withPositive, std::optional<mlir::Type> dtype, Results &results);

template <class Adaptor>
mlir::LogicalResult inferTdmSampler(std::optional<mlir::Location> location, Adaptor adaptor,
                                    Results &results) {
  return inferTdmSamplerOf(location, tensorType(adaptor.getX()), adaptor.getNegSamplesNumList(),
                           adaptor.getLayerOffsetLod(), adaptor.getOutputPositive(), adaptor.getDtype(),
                           results);
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/graph/Sampling.h.inc"
