/// Passes of this folder; Passes.td documents each.
#pragma once

#include "proa/Amp.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace proa {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/autodiff/Passes.h.inc"

} // namespace proa
