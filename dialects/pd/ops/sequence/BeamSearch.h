/// Type inference of beam search.
#pragma once

#include "dialects/pd/ir/ArrayReference.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/sequence/Sequence.h"

namespace proa::pd {

/// C1 and the results, from the arrays of ids and scores and of the offsets of the sources.
mlir::LogicalResult inferDecodedBeams(std::optional<mlir::Location> location, mlir::Value ids,
                                      mlir::Value scores, mlir::Value sourceOffsets, Results &results);

template <class Adaptor>
mlir::LogicalResult inferBeamSearch(std::optional<mlir::Location> location, Adaptor adaptor,
                                    Results &results) {
  auto scores = tensorType(adaptor.getScores());
  bool fits = scores.getRank() == 2 && (!adaptor.getIds() || tensorType(adaptor.getIds()).getRank() == 2) &&
              mayHaveElements(adaptor.getPreIds(), scores.getDimSize(0)) &&
              mayHaveElements(adaptor.getPreScores(), scores.getDimSize(0));
  if (failed(require(location, fits,
                     "C1: scores and ids must be [prefixes, candidates], and pre_ids and pre_scores have one "
                     "element a prefix",
                     adaptor.getOperands())))
    return mlir::failure();
  if (static_cast<int64_t>(adaptor.getBeamSize()) < 1)
    return inferenceError(location, "C2: beam_size must be positive");
  mlir::MLIRContext *context = scores.getContext();
  int64_t open = mlir::ShapedType::kDynamic, prefixes = scores.getDimSize(0);
  auto integer = [&](llvm::ArrayRef<int64_t> shape, unsigned bits) {
    return mlir::RankedTensorType::get(shape, mlir::IntegerType::get(context, bits));
  };
  results.push_back(integer({open, 1}, 64));
  results.push_back(scores.clone({open, 1}));
  results.push_back(integer({open}, 32));
  results.push_back(integer({scores.isDynamicDim(0) ? open : prefixes + 1}, 64));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferBeamSearchDecode(std::optional<mlir::Location> location, Adaptor adaptor,
                                          Results &results) {
  if (static_cast<int64_t>(adaptor.getBeamSize()) < 1)
    return inferenceError(location, "C2: beam_size must be positive");
  return inferDecodedBeams(location, adaptor.getIds(), adaptor.getScores(), adaptor.getSourceOffsets(),
                           results);
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/sequence/BeamSearch.h.inc"
