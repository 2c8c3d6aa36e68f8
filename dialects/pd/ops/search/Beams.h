/// Types of the results of a beam search.
#pragma once

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/Types.h"

namespace proa::pd {

/// C1 and the results, from the arrays of ids and scores and of the offsets of the sources.
mlir::LogicalResult inferDecodedBeams(std::optional<mlir::Location> location, mlir::Value ids,
                                      mlir::Value scores, mlir::Value sourceOffsets, Results &results);

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
#include "dialects/pd/ops/search/Beams.h.inc"
