/// Reasons of decompositions that do not apply.
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace proa::pd {

/// Reports why `op` is not decomposed, as RewriterBase::notifyMatchFailure does, and returns failure. A
/// caller that wants the reason gives its builder a RewriterBase::Listener; others pay for one test of a
/// pointer.
///
///     return notifyDecompositionFailure(builder, *this, "its weight has dynamic dims");
inline llvm::LogicalResult notifyDecompositionFailure(mlir::OpBuilder &builder, mlir::Operation *op,
                                                      llvm::StringRef reason) {
  auto *listener = llvm::dyn_cast_if_present<mlir::RewriterBase::Listener>(builder.getListener());
  if (listener)
    listener->notifyMatchFailure(op->getLoc(), [&](mlir::Diagnostic &diagnostic) { diagnostic << reason; });
  return llvm::failure();
}

} // namespace proa::pd
