/// Effects of ops that sample in training only.
#pragma once

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace proa::pd {

using Effects = llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>;

/// In training each execution creates a new value.
template <class Op> void addEffectsInTraining(Op op, Effects &effects) {
  if (!op.getIsTest())
    effects.emplace_back(mlir::MemoryEffects::Allocate::get(), op->getOpResult(0),
                         mlir::SideEffects::DefaultResource::get());
}

} // namespace proa::pd
