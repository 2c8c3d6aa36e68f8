/// Type inference of existing ops.
#pragma once

#include "mlir/IR/OpDefinition.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace proa::pd {

/// The result types that an op infers from its current operands, one for each result. Failure if the op has
/// no inference, or if it refuses the operands; a refusal is reported at `location`, if given.
mlir::FailureOr<llvm::SmallVector<mlir::Type>>
inferredTypes(mlir::Operation *op, std::optional<mlir::Location> location = std::nullopt);

/// Sets the result types of `op` to its inferred types.
mlir::LogicalResult inferAgain(mlir::Operation *op, std::optional<mlir::Location> location = std::nullopt);

/// Reports an error, with the name of the op, if its types cannot be inferred or are not compatible with its
/// results.
mlir::LogicalResult verifyInferredTypes(mlir::Operation *op);

/// See InferredTypes.td.
template <class ConcreteOp>
class VerifiesInferredTypes : public mlir::OpTrait::TraitBase<ConcreteOp, VerifiesInferredTypes> {
public:
  /// With regions: the inference of an op may read its regions.
  static llvm::LogicalResult verifyRegionTrait(mlir::Operation *op) { return verifyInferredTypes(op); }
};

} // namespace proa::pd
