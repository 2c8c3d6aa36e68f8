//! Gradients of sorting ops: each selected element gets its cotangent.
#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/search/SearchOps.h"

using namespace mlir;

namespace proa::pd {
namespace {

template <class Op>
FailureOr<llvm::SmallVector<Value>> putBack(OpBuilder &builder, Op op, llvm::ArrayRef<Value> cotangents) {
  llvm::SmallVector<Value> gradients(op->getNumOperands());
  auto type = tensorType(op.getX());
  if (!cotangents[0])
    return gradients;
  if (type.getRank() == 0) {
    gradients[0] = cotangents[0];
    return gradients;
  }
  int64_t axis = *normalizeAxis(op.getAxis(), type.getRank());
  Value zeros = zerosLike(builder, op.getLoc(), op.getX());
  gradients[0] = PutAlongAxisOp::create(builder, op.getLoc(), zeros, op.getIndices(), cotangents[0],
                                        builder.getI64IntegerAttr(axis),
                                        ScatterReduceAttr::get(builder.getContext(), ScatterReduce::Add));
  return gradients;
}

} // namespace

FailureOr<llvm::SmallVector<Value>> ArgsortOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return putBack(builder, *this, cotangents);
}

FailureOr<llvm::SmallVector<Value>> TopkOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return putBack(builder, *this, cotangents);
}

} // namespace proa::pd
