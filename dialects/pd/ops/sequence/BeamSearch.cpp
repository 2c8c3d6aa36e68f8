#include "dialects/pd/ops/sequence/BeamSearch.h"

using namespace mlir;

namespace proa::pd {

LogicalResult inferDecodedBeams(std::optional<Location> location, Value ids, Value scores,
                                Value sourceOffsets, Results &results) {
  auto element = [](Value array) { return cast<ArrayType>(array.getType()).getElement(); };
  RankedTensorType id = element(ids), score = element(scores), offsets = element(sourceOffsets);
  bool fits = id && score && id.getElementType().isInteger(64) &&
              (score.getElementType().isF32() || score.getElementType().isF64());
  if (!fits) {
    std::string text;
    llvm::raw_string_ostream(text) << "C1: ids must be int64, scores float32 or float64, found "
                                   << ids.getType() << " and " << scores.getType();
    return inferenceError(location, text);
  }
  int64_t open = ShapedType::kDynamic;
  bool isKnown = offsets && offsets.getRank() == 1 && !offsets.isDynamicDim(0);
  results.push_back(id.clone({open}));
  results.push_back(score.clone({open}));
  results.push_back(id.clone({isKnown ? offsets.getDimSize(0) : open}));
  results.push_back(id.clone({open}));
  return success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/sequence/BeamSearch.cpp.inc"
#include "dialects/pd/ops/sequence/BeamSearch.methods.inc"
