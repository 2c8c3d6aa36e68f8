/// The interface of ops that take numbers of the sequence of the model's seed.
#pragma once

#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

namespace proa::pd {

/// The places that were taken in the sequence of the model's seed.
struct RandomSequence : mlir::SideEffects::Resource::Base<RandomSequence> {
  llvm::StringRef getName() override { return "random sequence"; }
};

/// Places that one execution of an op without regions takes: for a composite, the places of its
/// decomposition. No number if only a run can tell.
std::optional<int64_t> sequencePositionsOf(mlir::Operation *op);

/// Whether an execution of the op, of ops inside of it, or of a function that they call may take places.
bool mayTakePositions(mlir::Operation *op);

} // namespace proa::pd

#include "dialects/pd/ir/SamplingInterface.h.inc"
