#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/search/CountOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {
namespace {

Type countType(MLIRContext *context, std::optional<Type> dtype) {
  return dtype.value_or(IntegerType::get(context, 64));
}

/// The type of the distinct elements or slices of x, and the number of elements of `inverse`.
FailureOr<std::pair<RankedTensorType, int64_t>>
distinctType(std::optional<Location> location, RankedTensorType type, llvm::ArrayRef<int64_t> axes) {
  if (axes.empty()) {
    int64_t count = type.hasStaticShape() ? type.getNumElements() : unknown;
    return std::pair(type.clone(llvm::ArrayRef<int64_t>{unknown}), count);
  }
  auto axis = normalizeAxis(location, axes.front(), type.getRank(), "C1");
  if (failed(axis))
    return failure();
  if (axes.size() != 1)
    return inferenceError(location,
                          "C1: axis must have at most one entry, found " + llvm::Twine(axes.size()));
  llvm::SmallVector<int64_t> shape(type.getShape());
  int64_t count = std::exchange(shape[*axis], unknown);
  return std::pair(type.clone(shape), count);
}

} // namespace

LogicalResult BincountOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                           Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  if (type.getRank() != 1)
    return inferenceError(location, "C1: x must have rank 1, found rank " + llvm::Twine(type.getRank()));
  if (adaptor.getWeights() &&
      failed(verifyCompatibleShape(type.getShape(), tensorType(adaptor.getWeights()).getShape())))
    return inferenceError(location, "C2: weights must have the dimensions of x");
  if (static_cast<int64_t>(adaptor.getMinlength()) < 0)
    return inferenceError(location, "C3: minlength must not be negative, found " +
                                        llvm::Twine(static_cast<int64_t>(adaptor.getMinlength())));
  Type element = countType(context, {});
  if (adaptor.getWeights()) // integers are summed as doubles too
    element = tensorType(adaptor.getWeights()).getElementType().isF32() ? Type(Float32Type::get(context))
                                                                        : Type(Float64Type::get(context));
  results.push_back(RankedTensorType::get({unknown}, element));
  return success();
}

LogicalResult HistogramOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                            Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  auto bins = static_cast<int64_t>(adaptor.getBins());
  if (bins < 1)
    return inferenceError(location, "C1: bins must be positive, found " + llvm::Twine(bins));
  if (adaptor.getWeight() && failed(verifyCompatibleShape(tensorType(adaptor.getInput()).getShape(),
                                                          tensorType(adaptor.getWeight()).getShape())))
    return inferenceError(location, "C2: weight must have the dimensions of input");
  bool isFloat = adaptor.getWeight() || adaptor.getDensity();
  Type element = isFloat ? Type(Float32Type::get(context)) : countType(context, {});
  results.push_back(RankedTensorType::get({bins}, element));
  return success();
}

FailureOr<SmallVector<Value>> HistogramOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression given = e.wrap(getInput());
  DimSize count = elementsOf(given);
  Expression x = e.cast(reshapeTo(given, {count}), builder.getF64Type());
  double low = getMin().convertToDouble(), high = getMax().convertToDouble();
  bool fromData = low == high;
  Expression least = fromData ? e.wrap(e.create<MinOp>(x, llvm::ArrayRef<int64_t>(), false))
                              : e.constant(low, builder.getF64Type());
  Expression most = fromData ? e.max(x, {}, false) : e.constant(high, builder.getF64Type());
  auto bins = static_cast<double>(getBins());
  // All elements are equal: an interval of length 1 around them.
  Expression width = most - least;
  Expression isPoint = e.wrap(e.create<EqualOp>(width, e.constant(0, builder.getF64Type())));
  least = e.select(isPoint, least - 1.0, least);
  most = e.select(isPoint, most + 1.0, most);
  Expression position = e.minimum(e.floor((x - least) * bins / (most - least)), bins - 1);
  Expression inside = e.wrap(e.create<LogicalAndOp>(e.wrap(e.create<GreaterEqualOp>(x, least)),
                                                    e.wrap(e.create<LessEqualOp>(x, most))));
  Expression index =
      reshapeTo(e.cast(e.select(inside, position, 0.0), builder.getI64Type()), {count, DimSize(1)});
  Type element = getWeight() ? Type(builder.getF32Type()) : Type(builder.getI64Type());
  Expression amount = e.cast(inside, element);
  if (getWeight())
    amount = e.select(inside, e.cast(reshapeTo(e.wrap(getWeight()), {count}), element), 0.0);
  Expression zeros = expandTo(e.constant(0, element), {DimSize(static_cast<int64_t>(getBins()))});
  Expression counts = e.wrap(e.create<ScatterNdOp>(zeros, index, amount, ScatterReduce::Add));
  if (!getDensity())
    return SmallVector<Value>{counts};
  counts = e.cast(counts, builder.getF64Type());
  Expression total = e.sum(counts, {}, false), length = (most - least) / bins;
  return SmallVector<Value>{e.cast(counts / (total * length), builder.getF32Type())};
}

LogicalResult UniqueOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                         Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  auto distinct = distinctType(location, tensorType(adaptor.getX()), adaptor.getAxis());
  if (failed(distinct))
    return failure();
  Type dtype = countType(context, adaptor.getDtype());
  results.push_back(distinct->first);
  results.push_back(RankedTensorType::get({unknown}, dtype));
  results.push_back(RankedTensorType::get({distinct->second}, dtype));
  results.push_back(RankedTensorType::get({unknown}, dtype));
  return success();
}

LogicalResult UniqueConsecutiveOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                                    Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  auto distinct = distinctType(location, tensorType(adaptor.getX()), adaptor.getAxis());
  if (failed(distinct))
    return failure();
  Type dtype = countType(context, adaptor.getDtype());
  results.push_back(distinct->first);
  results.push_back(RankedTensorType::get({distinct->second}, dtype));
  results.push_back(RankedTensorType::get({unknown}, dtype));
  return success();
}

LogicalResult UniqueWithCountsOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                                   Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  auto distinct = distinctType(location, tensorType(adaptor.getX()), {});
  if (failed(distinct))
    return failure();
  Type dtype = countType(context, adaptor.getDtype());
  results.push_back(distinct->first);
  results.push_back(RankedTensorType::get({distinct->second}, dtype));
  results.push_back(RankedTensorType::get({unknown}, dtype));
  return success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/search/Count.cpp.inc"
#include "dialects/pd/ops/search/Count.methods.inc"
