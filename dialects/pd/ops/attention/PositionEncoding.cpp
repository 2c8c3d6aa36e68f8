#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/attention/Encoding.h"
#include "dialects/pd/ops/attention/PositionEncodingOps.h"
#include "dialects/pd/ops/sequence/Rows.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

#include "mlir/IR/TypeUtilities.h"

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

LogicalResult checkRotaryEmbedding(std::optional<Location> location, RankedTensorType x,
                                   RankedTensorType cosines, RankedTensorType sines) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (x.getRank() < 1 || x.isDynamicDim(x.getRank() - 1) || x.getShape().back() % 2 != 0) {
    os << "C1: the last dim of x must be static and even, found " << x;
    return inferenceError(location, text);
  }
  for (RankedTensorType other : {cosines, sines}) {
    FailureOr<SmallVector<int64_t>> shape = broadcastShapes(TypeRange{x, other});
    if (failed(shape) || failed(verifyCompatibleShape(*shape, x.getShape()))) {
      os << "C2: cosines and sines must broadcast to x, found " << other << " and " << x;
      return inferenceError(location, text);
    }
    if (other.getElementType() != x.getElementType()) {
      os << "C3: x, cosines and sines must have one element type, found " << x << " and " << other;
      return inferenceError(location, text);
    }
  }
  return success();
}

FailureOr<SmallVector<Value>> RotaryEmbeddingOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0);
  int64_t last = x.rank() - 1, half = x.type().getDimSize(last) / 2;
  Expression turned = concat({-slice(x, last, half, toTheEnd), slice(x, last, 0, half)}, last);
  return e.results({x * e.operand(1) + turned * e.operand(2)});
}

FailureOr<SmallVector<Value>> AddPositionEncodingOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  Type element = x.type().getElementType(), i64 = builder.getI64Type();
  DimSize half = divide(e, DimSize(x, x.rank() - 1), 2);
  Expression positions =
      getOffsets() ? rowPositions(x, e.wrap(getOffsets())).position : iota(e, DimSize(x, 1), i64);
  Expression steps = e.reshape(e.cast(positions, element), {-1, 1});
  // From 1 to 10000, or only 10000.
  Expression last = e.cast(e.wrap(add(e, half, -1).getValue(e)), element);
  Expression power = e.select(last > 0.0, e.cast(iota(e, half, i64), element) / e.maximum(last, 1.0), 1.0);
  Expression angles = steps / e.exp(power * std::log(10000.0));
  Expression encoding = concat({e.sin(angles), e.cos(angles)}, 1);
  return e.results({x * getAlpha().convertToDouble() + encoding * getBeta().convertToDouble()});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/attention/PositionEncoding.cpp.inc"
#include "dialects/pd/ops/attention/PositionEncoding.methods.inc"
#include "dialects/pd/ops/attention/PositionEncoding.scalar.inc"
