//! Gradients of embeddings.
#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/nn/EmbeddingOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

using namespace mlir;

namespace proa::pd {

FailureOr<llvm::SmallVector<Value>> EmbeddingOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression ids = e.wrap(getX()), rows = e.wrap(cotangents[0]);
  DimSize count = 1;
  for (const DimSize &dimSize : dimSizesOf(ids))
    count = multiply(e, count, dimSize);
  llvm::SmallVector<DimSize> table = dimSizesOf(e.wrap(getWeight()));
  Expression flat = reshapeTo(ids, {count});
  rows = reshapeTo(rows, {count, table[1]});
  if (static_cast<int64_t>(getPaddingIdx()) != -1 && !getSparse()) {
    Expression padding = e.constant(static_cast<double>(getPaddingIdx()), ids.type().getElementType());
    rows = e.select(insertDim(flat == padding, 1), 0.0, rows);
  }
  Value zeros = zerosLike(builder, getLoc(), getWeight());
  return llvm::SmallVector<Value>{Value(),
                                  e.create<IndexAddOp>(zeros, flat, rows, builder.getI64IntegerAttr(0))};
}

} // namespace proa::pd
