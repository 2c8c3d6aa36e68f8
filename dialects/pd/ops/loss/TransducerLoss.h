/// Type inference of the loss of recurrent transducers.
#pragma once

#include "dialects/pd/autodiff/KeepsDerivative.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

mlir::LogicalResult inferWarprnntOf(std::optional<mlir::Location> location, mlir::RankedTensorType input,
                                    llvm::ArrayRef<mlir::RankedTensorType> others, int64_t blank,
                                    Results &results);

template <class Adaptor>
mlir::LogicalResult inferWarprnnt(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferWarprnntOf(location, tensorType(adaptor.getInput()),
                         {tensorType(adaptor.getLabel()), tensorType(adaptor.getInputLengths()),
                          tensorType(adaptor.getLabelLengths())},
                         static_cast<int64_t>(adaptor.getBlank()), results);
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/loss/TransducerLoss.h.inc"
