#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/nn/Nn.h"
#include "dialects/pd/ops/nn/PositionEncodingOps.h"
#include "dialects/pd/ops/sequence/Rows.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {

LogicalResult checkPositionEncoding(std::optional<Location> location, RankedTensorType x, bool hasOffsets) {
  int64_t rank = hasOffsets ? 2 : 3;
  if (x.getRank() == rank && (x.isDynamicDim(rank - 1) || x.getShape().back() % 2 == 0))
    return success();
  std::string text;
  llvm::raw_string_ostream(text) << "C1: x must have rank " << rank
                                 << " and an even number of features, found " << x;
  return inferenceError(location, text);
}

FailureOr<SmallVector<Value>> AddPositionEncodingOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  Type element = x.type().getElementType(), i64 = builder.getI64Type();
  DimSize half = divide(e, DimSize(x, x.rank() - 1), 2);
  Expression places =
      getOffsets() ? rowPlaces(x, e.wrap(getOffsets())).position : iota(e, DimSize(x, 1), i64);
  Expression steps = e.reshape(e.cast(places, element), {-1, 1});
  // From 1 to 10000, or only 10000.
  Expression last = e.cast(e.wrap(add(e, half, -1).getValue(e)), element);
  Expression power = e.select(last > 0.0, e.cast(iota(e, half, i64), element) / e.maximum(last, 1.0), 1.0);
  Expression angles = steps / e.exp(power * std::log(10000.0));
  Expression encoding = concat({e.sin(angles), e.cos(angles)}, 1);
  return e.results({x * getAlpha().convertToDouble() + encoding * getBeta().convertToDouble()});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/nn/PositionEncoding.cpp.inc"
#include "dialects/pd/ops/nn/PositionEncoding.methods.inc"
#include "dialects/pd/ops/nn/PositionEncoding.scalar.inc"
