//! Reverse-mode rules of tensor arrays. The cotangent of an array is an array: an element that it lacks is
//! zero.
#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/control/Control.h"
#include "dialects/pd/creation/Creation.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// The cotangent of an array of which one element alone has one.
Value oneElement(OpBuilder &builder, Location location, Value index, Value cotangent) {
  return ArrayWriteOp::create(builder, location, ArrayCreateOp::create(builder, location), index, cotangent);
}

} // namespace

/// The element that is written has no part in what the array held.
FailureOr<llvm::SmallVector<Value>> ArrayWriteOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  if (!isDifferentiable(getX().getType()))
    return llvm::SmallVector<Value>{Value(), Value(), Value()};
  Value zeros = zerosLike(builder, getLoc(), getX());
  Value others = ArrayWriteOp::create(builder, getLoc(), cotangents[0], getIndex(), zeros);
  return llvm::SmallVector<Value>{others, Value(),
                                  ArrayReadOrOp::create(builder, getLoc(), cotangents[0], getIndex(), zeros)};
}

FailureOr<llvm::SmallVector<Value>> ArrayReadOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  DenseIntElementsAttr index;
  if (matchPattern(getIndex(), m_Constant(&index)) && index.isSplat() &&
      index.getSplatValue<APInt>().isNegative())
    return emitError() << "an element that is counted from the end of its array has no gradient";
  return llvm::SmallVector<Value>{oneElement(builder, getLoc(), getIndex(), cotangents[0]), Value()};
}

/// What was read is read of the gradient's gradient as well: only elements that were written have one.
FailureOr<llvm::SmallVector<Value>> ArrayReadOrOp::vjp(OpBuilder &, llvm::ArrayRef<Value>) {
  return emitError() << "the gradient of a gradient through a tensor array is not supported";
}

FailureOr<llvm::SmallVector<Value>> ArrayAddOp::vjp(OpBuilder &, llvm::ArrayRef<Value> cotangents) {
  return llvm::SmallVector<Value>{cotangents[0], cotangents[0]};
}

FailureOr<llvm::SmallVector<Value>> ArrayToTensorOp::vjp(OpBuilder &builder,
                                                         llvm::ArrayRef<Value> cotangents) {
  if (!cotangents[0])
    return llvm::SmallVector<Value>{Value()};
  return llvm::SmallVector<Value>{
      ArraySplitOp::create(builder, getLoc(), cotangents[0], getSizes(), getAxisAttr(), getUseStackAttr())};
}

/// A part that has no cotangent has zeros in its place.
FailureOr<llvm::SmallVector<Value>> ArraySplitOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  Value zeros = ArraySplitOp::create(builder, getLoc(), zerosLike(builder, getLoc(), getX()), getSizes(),
                                     getAxisAttr(), getUseStackAttr());
  Value all = ArrayAddOp::create(builder, getLoc(), cotangents[0], zeros);
  auto whole = ArrayToTensorOp::create(builder, getLoc(), all, getAxisAttr(), getUseStackAttr());
  return llvm::SmallVector<Value>{whole.getOut(), Value()};
}

FailureOr<llvm::SmallVector<Value>> ArrayCastOp::vjp(OpBuilder &, llvm::ArrayRef<Value> cotangents) {
  return llvm::SmallVector<Value>{cotangents[0]};
}

} // namespace proa::pd
