/// The rt dialect: calls of fused kernels of the CPU runtime.
#pragma once

#include "dialects/dist/Dist.h"
#include "dialects/pd/ir/Contraction.h"
#include "dialects/pd/ir/ElementInterface.h"
#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/ThreadInterface.h"

#include "dialects/rt/RtDialect.h.inc"

#include "dialects/rt/PostOpKind.h.inc"
#include "dialects/rt/Storage.h"

#define GET_ATTRDEF_CLASSES
#include "dialects/rt/RtAttributes.h.inc"

namespace proa::rt {

/// The resource of state variables outside of the program.
struct Variables : mlir::SideEffects::Resource::Base<Variables> {
  llvm::StringRef getName() override { return "variables"; }
};

/// The extra that the first post-op of kind `add` reads, or null.
mlir::Value accumulatorOf(mlir::ArrayAttr postOps, mlir::OperandRange extras);
/// Constraint C1 of the ops with post-ops.
mlir::LogicalResult verifyPostOps(mlir::Operation *op);

} // namespace proa::rt

#include "dialects/rt/RtInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/rt/Rt.h.inc"
