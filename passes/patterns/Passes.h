/// Passes of this folder; Passes.td documents each.
#pragma once

#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <string>
#include <vector>

namespace proa {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/patterns/Passes.h.inc"

/// The text of a file of patterns (readPatternFile).
struct PatternText {
  std::string file, text;
};

/// pd-apply-patterns for files that were read before.
std::unique_ptr<mlir::Pass> createApplyPatterns(std::vector<PatternText> texts);

} // namespace proa
