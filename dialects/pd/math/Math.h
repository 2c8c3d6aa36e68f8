/// Elementwise math: primitives of one to three operands, and formulas on them.
#pragma once

#include "dialects/pd/Infer.h"
#include "dialects/pd/Pd.h"

namespace proa::pd {

template <class Adaptor>
mlir::LogicalResult inferPolygamma(std::optional<mlir::Location> location, Adaptor adaptor,
                                   Results &results) {
  auto n = static_cast<int64_t>(adaptor.getN());
  if (n < 0 || n > 100)
    return inferenceError(location, "C1: n must be from 0 to 100, found " + llvm::Twine(n));
  return inferSameAsFirst(location, adaptor, results);
}

/// Complex numbers of the precision of two real parts.
mlir::LogicalResult inferComplexOf(std::optional<mlir::Location> location, mlir::ValueRange parts,
                                   Results &results);
mlir::LogicalResult inferAsComplexOf(std::optional<mlir::Location> location, mlir::RankedTensorType type,
                                     Results &results);
mlir::LogicalResult inferAsRealOf(mlir::RankedTensorType type, Results &results);

template <class Adaptor>
mlir::LogicalResult inferComplex(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferComplexOf(location, adaptor.getOperands(), results);
}

template <class Adaptor>
mlir::LogicalResult inferAsComplex(std::optional<mlir::Location> location, Adaptor adaptor,
                                   Results &results) {
  return inferAsComplexOf(location, tensorType(adaptor.getX()), results);
}

template <class Adaptor>
mlir::LogicalResult inferAsReal(std::optional<mlir::Location>, Adaptor adaptor, Results &results) {
  return inferAsRealOf(tensorType(adaptor.getX()), results);
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/math/Unary.h.inc"
#define GET_OP_CLASSES
#include "dialects/pd/math/Binary.h.inc"
#define GET_OP_CLASSES
#include "dialects/pd/math/Activation.h.inc"
#define GET_OP_CLASSES
#include "dialects/pd/math/Scale.h.inc"
#define GET_OP_CLASSES
#include "dialects/pd/math/Special.h.inc"
#define GET_OP_CLASSES
#include "dialects/pd/math/Complex.h.inc"
