/// The result types of ops that exist already.
#pragma once

#include "mlir/IR/Operation.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace proa::pd {

/// The types that an op's own inference gives its results for what its operands are now, one for each.
/// Failure: the op infers none, or it refuses the operands, which is reported where there is a location.
mlir::FailureOr<llvm::SmallVector<mlir::Type>>
inferredTypes(mlir::Operation *op, std::optional<mlir::Location> location = std::nullopt);

/// Gives the results those types.
mlir::LogicalResult inferAgain(mlir::Operation *op, std::optional<mlir::Location> location = std::nullopt);

} // namespace proa::pd
