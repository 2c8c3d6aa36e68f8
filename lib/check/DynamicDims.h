/// Programs with dynamic feed dims, and their decompositions.
#pragma once

#include "lib/check/CaseResult.h"
#include "translator/program/SourceProgram.h"

#include "mlir/IR/BuiltinOps.h"

namespace proa::check {

/// The program with dynamic dims of all feeds, except feeds that ops take as filter or weight: these are
/// parameters of a model, with static dims. A model of the new IR is returned unchanged: its ops declare
/// their types.
translator::SourceProgram withDynamicDims(translator::SourceProgram program, const Tensors &feeds);

/// Decomposes all composites. Errors: the first error, or each kind of composite that remains.
Result<void> decomposeAll(mlir::ModuleOp module);

} // namespace proa::check
