/// Passes of this folder; Passes.td documents each.
#pragma once

#include "passes/analysis/DeviceKind.h"

#include "mlir/Pass/Pass.h"

namespace proa {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/decompose/Passes.h.inc"

} // namespace proa
