//! Reverse-mode rules of ops on arrays that differ not from those on tensors; the others are in autodiff/ArrayGradient.cpp.
#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/control/Control.h"
#include "dialects/pd/creation/Creation.h"

using namespace mlir;

namespace proa::pd {
/// What was read is read of the gradient's gradient as well: only elements that were written have one.
FailureOr<llvm::SmallVector<Value>> ArrayReadOrOp::vjp(OpBuilder &, llvm::ArrayRef<Value>) {
  return emitError() << "the gradient of a gradient through a tensor array is not supported";
}

FailureOr<llvm::SmallVector<Value>> ArrayAddOp::vjp(OpBuilder &, llvm::ArrayRef<Value> cotangents) {
  return llvm::SmallVector<Value>{cotangents[0], cotangents[0]};
}

/// A part that has no cotangent has zeros in its place.
FailureOr<llvm::SmallVector<Value>> ArraySplitOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  Value zeros = ArraySplitOp::create(builder, getLoc(), zerosLike(builder, getLoc(), getX()), getSizes(),
                                     getAxisAttr(), getUseStackAttr());
  Value all = ArrayAddOp::create(builder, getLoc(), cotangents[0], zeros);
  auto whole = ArrayToTensorOp::create(builder, getLoc(), all, getAxisAttr(), getUseStackAttr());
  return llvm::SmallVector<Value>{whole.getOut(), Value()};
}

} // namespace proa::pd
