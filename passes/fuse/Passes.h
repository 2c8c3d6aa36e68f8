/// Passes of this folder; Passes.td documents each.
#pragma once

#include "passes/analysis/KernelGroups.h"
#include "passes/fuse/AttentionTarget.h"

#include "mlir/Pass/Pass.h"

namespace proa {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/fuse/Passes.h.inc"

} // namespace proa
