/// Programs with dynamic feed dims, and their decompositions.
#pragma once

#include "lib/check/CaseResult.h"
#include "translator/legacy/Program.h"

#include "mlir/IR/BuiltinOps.h"

namespace proa::check {

/// The program with dynamic dims of all feeds, except feeds that ops take as filter or weight: these are
/// parameters of a model, with static dims.
legacy::Program withDynamicDims(legacy::Program program, const Tensors &feeds);

/// Decomposes all composites. Problems: the first error, or each kind of composite that remains.
Result<void> decomposeAll(mlir::ModuleOp module);

} // namespace proa::check
