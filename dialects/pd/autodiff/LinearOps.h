/// Which ops are linear, and in which operands.
#pragma once

#include "mlir/IR/Operation.h"

#include <optional>

namespace proa::pd {

/// The groups of operands in which the op, with its attributes, is linear: out(a + b) = out(a) + out(b) for
/// the operands of one group together and all others fixed. A matrix product has a group for each factor, a
/// concatenation one for all parts. Operands in no group have no derivative. Nothing where the op is not
/// known to be linear.
std::optional<llvm::SmallVector<llvm::SmallVector<unsigned>>> linearGroups(mlir::Operation *op);

} // namespace proa::pd
