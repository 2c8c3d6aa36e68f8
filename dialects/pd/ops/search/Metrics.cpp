#include "dialects/pd/ops/search/Metrics.h"
#include "dialects/pd/builders/TensorBuilder.h"

using namespace mlir;

namespace proa::pd {

LogicalResult inferDetectionMapOf(std::optional<Location> location, RankedTensorType detected,
                                  RankedTensorType labels, int64_t classes, Results &results) {
  auto hasColumns = [](RankedTensorType type, int64_t least) {
    return type.getRank() == 2 &&
           (type.isDynamicDim(1) || (type.getDimSize(1) >= least && type.getDimSize(1) <= 6));
  };
  if (!hasColumns(detected, 6) || !hasColumns(labels, 5)) {
    std::string text;
    llvm::raw_string_ostream(text) << "C1: detect_res must have 6 columns and label 5 or 6, found "
                                   << detected << " and " << labels;
    return inferenceError(location, text);
  }
  if (classes < 1)
    return inferenceError(location, "C2: class_num must be positive, found " + llvm::Twine(classes));
  MLIRContext *context = detected.getContext();
  results.push_back(RankedTensorType::get({classes, 1}, IntegerType::get(context, 32)));
  results.append(2, detected.clone({ShapedType::kDynamic, 2}));
  results.push_back(detected.clone({1}));
  results.append(2, RankedTensorType::get({classes + 1}, IntegerType::get(context, 64)));
  return success();
}

LogicalResult inferAucOf(std::optional<Location> location, RankedTensorType predict, RankedTensorType label,
                         int64_t thresholds, int64_t steps, Results &results) {
  bool fits = predict.getRank() == 2 && (!label.hasStaticShape() || predict.isDynamicDim(0) ||
                                         label.getNumElements() == predict.getDimSize(0));
  if (!fits) {
    std::string text;
    llvm::raw_string_ostream(text) << "C1: predict must have rank 2 and label an element for each row, found "
                                   << predict << " and " << label;
    return inferenceError(location, text);
  }
  if (thresholds < 1 || steps < 0)
    return inferenceError(location,
                          "C2: num_thresholds must be positive and slide_steps not negative, found " +
                              llvm::Twine(thresholds) + " and " + llvm::Twine(steps));
  MLIRContext *context = predict.getContext();
  results.push_back(RankedTensorType::get({}, Float64Type::get(context)));
  int64_t buckets = thresholds + 1;
  llvm::SmallVector<int64_t> shape{1, buckets};
  if (steps > 0)
    shape = {(1 + steps) * buckets + 1};
  results.append(2, RankedTensorType::get(shape, IntegerType::get(context, 64)));
  return success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/search/Metrics.cpp.inc"
#include "dialects/pd/ops/search/Metrics.methods.inc"
