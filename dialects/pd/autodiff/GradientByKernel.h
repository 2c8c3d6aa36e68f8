/// Trait of composites whose gradient is computed by a kernel.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace proa::pd {

/// See GradientByKernel.td.
template <class ConcreteOp>
class GradientByKernel : public mlir::OpTrait::TraitBase<ConcreteOp, GradientByKernel> {};

} // namespace proa::pd
