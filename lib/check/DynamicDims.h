/// Programs whose feeds have dims that only a run knows, and decompositions made of them.
#pragma once

#include "lib/check/CaseResult.h"
#include "translator/legacy/Program.h"

#include "mlir/IR/BuiltinOps.h"

namespace proa::check {

/// The program with all dims of its feeds left open, but for those of feeds that ops take as their filter or
/// weight: parameters of a model, whose dims are always known.
legacy::Program withDynamicDims(legacy::Program program, const Tensors &feeds);

/// Decomposes all composites, whatever is known of their dims. The problems are the first error, or each kind
/// of composite that is left.
Result<void> decomposeAll(mlir::ModuleOp module);

} // namespace proa::check
