/// GPU kernels to host code. Passes.td describes the pass.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace proa {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/emulate-gpu/Passes.h.inc"

} // namespace proa
