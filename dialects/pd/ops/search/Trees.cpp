#include "dialects/pd/ops/search/Trees.h"

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;

namespace proa::pd {

//===-- Inference ---------------------------------------------------------------------------------------===//

LogicalResult TreeEnsembleOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                               Adaptor adaptor, SmallVectorImpl<Type> &results) {
  auto x = tensorType(adaptor.getX()), features = tensorType(adaptor.getFeatures()),
       splits = tensorType(adaptor.getSplits()), branches = tensorType(adaptor.getBranches()),
       roots = tensorType(adaptor.getRoots()), weights = tensorType(adaptor.getWeights());
  auto text = [](Type type) { return debugString(type); };
  bool haveRanks = features.getRank() == 1 && splits.getRank() == 1 && roots.getRank() == 1;
  for (RankedTensorType matrix : {x, branches, weights})
    haveRanks &= matrix.getRank() == 2;
  if (!haveRanks)
    return inferenceError(
        location, "C1: expected x, branches and weights of rank 2 and the others of rank 1, "
                  "found x " +
                      text(x) + ", features " + text(features) + ", splits " + text(splits) + ", branches " +
                      text(branches) + ", roots " + text(roots) + " and weights " + text(weights));
  int64_t nodes = splits.getDimSize(0);
  if (!mayBeEqual(features.getDimSize(0), nodes) || !mayBeEqual(branches.getDimSize(0), nodes) ||
      !mayBeEqual(weights.getDimSize(0), nodes) || !mayBeEqual(branches.getDimSize(1), 4))
    return inferenceError(location,
                          "C2: expected the same number of nodes and 4 branches of each, found features " +
                              text(features) + ", splits " + text(splits) + ", branches " + text(branches) +
                              " and weights " + text(weights));
  Type element = x.getElementType();
  if (splits.getElementType() != element || weights.getElementType() != element)
    return inferenceError(location, "C3: expected one element type, found x " + text(x) + ", splits " +
                                        text(splits) + " and weights " + text(weights));
  if (static_cast<int64_t>(adaptor.getDepth()) < 0)
    return inferenceError(location, "C4: depth is " + llvm::Twine(static_cast<int64_t>(adaptor.getDepth())) +
                                        ", expected 0 or more");
  results.push_back(x.clone({x.getDimSize(0), weights.getDimSize(1)}));
  return success();
}

//===-- Formula -----------------------------------------------------------------------------------------===//

/// Each step replaces the node of every example and tree: [examples, trees].
FailureOr<SmallVector<Value>> TreeEnsembleOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Type i32 = builder.getI32Type();
  auto pick = [&](Value list, Expression index) {
    return e.wrap(e.create<GatherOp>(list, index, Value(), uint64_t(0)));
  };
  Expression x = e.wrap(getX()), roots = e.cast(e.wrap(getRoots()), i32);
  Expression branches = e.reshape(e.cast(e.wrap(getBranches()), i32), {-1});
  Expression at = expandTo(e.reshape(roots, {1, -1}), {DimSize(x, 0), DimSize(roots, 0)});
  for (uint64_t level = 0; level < getDepth(); ++level) {
    Expression value = e.wrap(e.create<TakeAlongAxisOp>(x, pick(getFeatures(), at), 1));
    Expression split = pick(getSplits(), at);
    Expression outcome = e.cast(value >= split, i32) + e.cast(value > split, i32);
    Expression ordered = e.wrap(e.create<LogicalOrOp>(value < split, value >= split));
    at = pick(branches, at * 4.0 + e.select(ordered, outcome, 3.0));
  }
  Expression weights = pick(getWeights(), at);
  switch (getAggregate()) {
  case SegmentReduce::Sum:
    return e.results({e.sum(weights, {1}, false)});
  case SegmentReduce::Mean:
    return e.results({e.mean(weights, {1}, false)});
  case SegmentReduce::Max:
    return e.results({e.max(weights, {1}, false)});
  case SegmentReduce::Min:
    return e.results({-e.max(-weights, {1}, false)});
  }
  llvm_unreachable("an aggregate without formula");
}

//===-- Kernels -----------------------------------------------------------------------------------------===//

const char *TreeEnsembleOp::whyNoLibraryKernel() {
  Type element = tensorType(getX()).getElementType();
  if (!element.isF32() && !element.isF64())
    return "its elements are neither float32 nor float64";
  for (Value indices : {getFeatures(), getBranches(), getRoots()})
    if (!tensorType(indices).getElementType().isSignlessInteger(32))
      return "its indices are not int32";
  return nullptr;
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/search/Trees.cpp.inc"
#include "dialects/pd/ops/search/Trees.methods.inc"
