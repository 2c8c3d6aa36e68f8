/// Passes of this folder; Passes.td documents each.
#pragma once

#include "lib/base/spmd/RingCost.h"
#include "mlir/IR/BuiltinOps.h"

#include "mlir/Pass/Pass.h"

namespace proa {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/spmd/Passes.h.inc"

} // namespace proa
