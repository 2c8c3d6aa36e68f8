/// The constraints and rewrites that pd.pdll declares.
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace proa {

/// Registers the constraints and rewrites of pd.pdll. A constraint that fails tells the rewriter why.
void registerNativeFunctions(mlir::PDLPatternModule &patterns);

/// Whether a rewrite that this thread runs reported an error, since it was set to false. PDL aborts the
/// process if a rewrite fails.
bool &rewriteFailed();

} // namespace proa
