/// Removal of transposes around a reshape that move no element.
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace proa {

/// A pattern: a transpose of a reshape of a transpose is a reshape if its elements have the order of the
/// first operand, as between the tokens of a transformer and an image with channels last.
void addTransposedReshapePattern(mlir::RewritePatternSet &patterns);

} // namespace proa
