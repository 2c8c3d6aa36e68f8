#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ops/image/Image.h"
#include "dialects/pd/ops/image/UnpoolOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {

LogicalResult inferUnpoolOf(std::optional<Location> location, RankedTensorType x, RankedTensorType indices,
                            const UnpoolShape &given, Results &results) {
  if (x.getRank() != 4 || failed(verifyCompatibleShape(x.getShape(), indices.getShape()))) {
    std::string text;
    llvm::raw_string_ostream(text) << "C1: x must have rank 4 and indices its dimensions, found " << x
                                   << " and " << indices;
    return inferenceError(location, text);
  }
  bool isSizeGood =
      given.output.empty() ||
      (given.output.size() == 2 && llvm::all_of(given.output, [](int64_t dimSize) { return dimSize > 0; }));
  if (given.kernel.size() != 2 || given.strides.size() != 2 || given.padding.size() != 2 || !isSizeGood)
    return inferenceError(
        location, "C2: ksize, strides and padding must hold two numbers, and output_size two positive "
                  "numbers or none");
  llvm::SmallVector<int64_t> shape(x.getShape().take_front(2));
  for (size_t i = 0; i < 2; ++i) {
    int64_t dim = x.getDimSize(i + 2);
    if (given.output.empty())
      shape.push_back(ShapedType::isDynamic(dim)
                          ? dim
                          : (dim - 1) * given.strides[i] - 2 * given.padding[i] + given.kernel[i]);
    else
      shape.push_back(given.output[i]);
  }
  results.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

LogicalResult inferUnpool3dOf(std::optional<Location> location, RankedTensorType x, RankedTensorType indices,
                              const UnpoolShape &given, Results &results) {
  if (x.getRank() != 5 || failed(verifyCompatibleShape(x.getShape(), indices.getShape()))) {
    std::string text;
    llvm::raw_string_ostream(text) << "C1: x must have rank 5 and indices its dimensions, found " << x
                                   << " and " << indices;
    return inferenceError(location, text);
  }
  bool isSizeGood =
      given.output.empty() ||
      (given.output.size() == 3 && llvm::all_of(given.output, [](int64_t dimSize) { return dimSize > 0; }));
  if (given.kernel.size() != 3 || given.strides.size() != 3 || given.padding.size() != 3 || !isSizeGood)
    return inferenceError(
        location, "C2: ksize, strides and padding must hold three numbers, and output_size three positive "
                  "numbers or none");
  llvm::SmallVector<int64_t> shape(x.getShape().take_front(2));
  for (size_t i = 0; i < 3; ++i) {
    int64_t dim = x.getDimSize(i + 2);
    if (!given.output.empty())
      dim = given.output[i];
    else if (!ShapedType::isDynamic(dim))
      dim = (dim - 1) * given.strides[i] - 2 * given.padding[i] + given.kernel[i];
    shape.push_back(dim);
  }
  results.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

FailureOr<SmallVector<Value>> UnpoolOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX()), indices = e.wrap(getIndices());
  llvm::ArrayRef<int64_t> space = tensorType(getOut()).getShape().drop_front(2);
  if (llvm::is_contained(space, ShapedType::kDynamic))
    return notifyDecompositionFailure(builder, *this, "the size of its result is dynamic");
  DimSize batch(x, 0), channels(x, 1), count = multiply(e, DimSize(x, 2), DimSize(x, 3));
  llvm::SmallVector<DimSize> flat{batch, channels, count};
  Expression zeros =
      expandTo(e.constant(0, x.type().getElementType()), {batch, channels, space[0] * space[1]});
  Expression put =
      e.wrap(e.create<PutAlongAxisOp>(zeros, reshapeTo(indices, flat), reshapeTo(x, flat), uint64_t(2)));
  return SmallVector<Value>{reshapeTo(put, {batch, channels, space[0], space[1]})};
}

FailureOr<SmallVector<Value>> Unpool3dOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX()), indices = e.wrap(getIndices());
  llvm::ArrayRef<int64_t> space = tensorType(getOut()).getShape().drop_front(2);
  if (llvm::is_contained(space, ShapedType::kDynamic))
    return notifyDecompositionFailure(builder, *this, "the size of its result is dynamic");
  DimSize batch(x, 0), channels(x, 1);
  DimSize count = multiply(e, multiply(e, DimSize(x, 2), DimSize(x, 3)), DimSize(x, 4));
  llvm::SmallVector<DimSize> flat{batch, channels, count};
  Expression zeros =
      expandTo(e.constant(0, x.type().getElementType()), {batch, channels, space[0] * space[1] * space[2]});
  Expression put =
      e.wrap(e.create<PutAlongAxisOp>(zeros, reshapeTo(indices, flat), reshapeTo(x, flat), uint64_t(2)));
  return SmallVector<Value>{reshapeTo(put, {batch, channels, space[0], space[1], space[2]})};
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/image/Unpool.cpp.inc"
#include "dialects/pd/ops/image/Unpool.methods.inc"
#include "dialects/pd/ops/image/Unpool.scalar.inc"
