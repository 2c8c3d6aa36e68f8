/// Type inference of deformable convolutions.
#pragma once

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

struct DeformableShape {
  mlir::RankedTensorType x, offset, filter;
  mlir::Value mask;
  llvm::ArrayRef<int64_t> strides, paddings, dilations;
  int64_t deformableGroups, groups;
};
mlir::LogicalResult inferDeformableConvOf(std::optional<mlir::Location> location,
                                          const DeformableShape &given, Results &results);

template <class Adaptor>
mlir::LogicalResult inferDeformableConv(std::optional<mlir::Location> location, Adaptor adaptor,
                                        Results &results) {
  return inferDeformableConvOf(
      location,
      {tensorType(adaptor.getX()), tensorType(adaptor.getOffset()), tensorType(adaptor.getFilter()),
       adaptor.getMask(), adaptor.getStrides(), adaptor.getPaddings(), adaptor.getDilations(),
       static_cast<int64_t>(adaptor.getDeformableGroups()), static_cast<int64_t>(adaptor.getGroups())},
      results);
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/conv/DeformableConv.h.inc"
