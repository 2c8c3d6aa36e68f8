//! Reverse-mode rules of array ops that are like those of tensor ops; the others are in
//! autodiff/ArrayGradient.cpp.
#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"

using namespace mlir;

namespace proa::pd {

llvm::SmallVector<llvm::SmallVector<unsigned>> ArrayCastOp::getLinearGroups() { return {{0}}; }

FailureOr<llvm::SmallVector<Value>> ArrayAddOp::vjp(OpBuilder &, llvm::ArrayRef<Value> cotangents) {
  return llvm::SmallVector<Value>{cotangents[0], cotangents[0]};
}

FailureOr<llvm::SmallVector<Value>> ArrayConcatOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  auto type = RankedTensorType::get({1}, builder.getI64Type());
  Value begin = ConstantOp::create(builder, getLoc(), type, DenseElementsAttr::get(type, int64_t(0)));
  Value first = ArrayLengthOp::create(builder, getLoc(), getX()),
        second = ArrayLengthOp::create(builder, getLoc(), getY());
  Value end = AddOp::create(builder, getLoc(), first, second), whole = cotangents[0];
  auto part = [&](Value from, Value to, Type like) {
    return widened(builder, getLoc(), ArraySliceOp::create(builder, getLoc(), whole, from, to), like);
  };
  return llvm::SmallVector<Value>{part(begin, first, getX().getType()), part(first, end, getY().getType())};
}

FailureOr<llvm::SmallVector<Value>> ArrayZerosLikeOp::vjp(OpBuilder &, llvm::ArrayRef<Value>) {
  return llvm::SmallVector<Value>{Value()};
}

/// A part without a cotangent is replaced by zeros.
FailureOr<llvm::SmallVector<Value>> ArraySplitOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  Value zeros = ArraySplitOp::create(builder, getLoc(), zerosLike(builder, getLoc(), getX()), getSizes(),
                                     getAxisAttr(), getUseStackAttr());
  Value all = ArrayAddOp::create(builder, getLoc(), cotangents[0], zeros);
  auto whole = ArrayToTensorOp::create(builder, getLoc(), all, getAxisAttr(), getUseStackAttr());
  return llvm::SmallVector<Value>{whole.getOut(), Value()};
}

} // namespace proa::pd
