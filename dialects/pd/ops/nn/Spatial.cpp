#include "dialects/pd/ops/nn/Spatial.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/nn/PoolOps.h"
#include "dialects/pd/ops/shape/Extent.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {

using Values = FailureOr<SmallVector<Value>>;

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
      (given.output.size() == 3 && llvm::all_of(given.output, [](int64_t extent) { return extent > 0; }));
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

Values Unpool3dOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX()), indices = e.wrap(getIndices());
  llvm::ArrayRef<int64_t> space = tensorType(getOut()).getShape().drop_front(2);
  if (llvm::is_contained(space, ShapedType::kDynamic))
    return failure();
  Extent batch(x, 0), channels(x, 1);
  Extent count = multiply(e, multiply(e, Extent(x, 2), Extent(x, 3)), Extent(x, 4));
  llvm::SmallVector<Extent> flat{batch, channels, count};
  Expression zeros =
      expandTo(e.constant(0, x.type().getElementType()), {batch, channels, space[0] * space[1] * space[2]});
  Expression put =
      e.wrap(e.create<PutAlongAxisOp>(zeros, reshapeTo(indices, flat), reshapeTo(x, flat), uint64_t(2)));
  return SmallVector<Value>{reshapeTo(put, {batch, channels, space[0], space[1], space[2]})};
}

LogicalResult inferSppOf(std::optional<Location> location, RankedTensorType x, int64_t height,
                         Results &results) {
  if (x.getRank() != 4 || llvm::is_contained(x.getShape().drop_front(), ShapedType::kDynamic) ||
      llvm::is_contained(x.getShape().drop_front(2), 0)) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "C1: x must have rank 4 and known channels, height and width, the last two not 0, found " << x;
    return inferenceError(location, text);
  }
  if (height < 1 || height > 16)
    return inferenceError(location, "C2: pyramid_height must be from 1 to 16, found " + llvm::Twine(height));
  int64_t cells = ((int64_t(1) << (2 * height)) - 1) / 3;
  results.push_back(x.clone({x.getDimSize(0), x.getDimSize(1) * cells}));
  return success();
}

Values SppOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  llvm::SmallVector<Expression> levels;
  for (int64_t level = 0; level < static_cast<int64_t>(getPyramidHeight()); ++level) {
    int64_t cells = int64_t(1) << level;
    llvm::SmallVector<int64_t> window, paddings, counts;
    for (int64_t axis : {2, 3}) {
      int64_t extent = x.type().getDimSize(axis);
      window.push_back((extent + cells - 1) / cells);
      paddings.push_back((window.back() * cells - extent + 1) / 2);
      counts.push_back((extent + 2 * paddings.back()) / window.back());
    }
    OperationState state(getLoc(), Pool2dOp::getOperationName());
    state.addOperands(getX());
    state.addAttribute("kernel_size", builder.getDenseI64ArrayAttr(window));
    state.addAttribute("strides", builder.getDenseI64ArrayAttr(window));
    state.addAttribute("paddings", builder.getDenseI64ArrayAttr(paddings));
    state.addAttribute("pooling_type", getPoolingTypeAttr());
    state.addTypes(x.type().clone({x.type().getDimSize(0), x.type().getDimSize(1), counts[0], counts[1]}));
    Expression pooled = e.wrap(builder.create(state)->getResult(0));
    // If the image has fewer rows than cells, the padding contains additional windows.
    for (int64_t i : {0, 1})
      if (counts[i] > cells)
        pooled = slice(pooled, 2 + i, 0, cells);
    levels.push_back(reshapeTo(pooled, {Extent(x, 0), x.type().getDimSize(1) * cells * cells}));
  }
  return SmallVector<Value>{concat(levels, 1)};
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/nn/Spatial.cpp.inc"
#include "dialects/pd/ops/nn/Spatial.methods.inc"
