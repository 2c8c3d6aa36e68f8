#include "dialects/pd/ops/random/Random.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/search/SearchOps.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// The operands and attributes after the seed of an op with a shape.
struct ShapeOperands {
  Value tensor;
  llvm::SmallVector<int64_t> numbers;
};

ShapeOperands shapeOperands(TensorBuilder &e, llvm::ArrayRef<DimSize> shape) {
  ShapeOperands out;
  bool isKnown = llvm::all_of(shape, [](const DimSize &dimSize) { return dimSize.isKnown(); });
  if (!isKnown)
    out.tensor = shapeTensor(e, shape);
  for (const DimSize &dimSize : shape)
    out.numbers.push_back(dimSize.isKnown() ? dimSize.getNumber() : -1);
  return out;
}

/// The shape of a *_batch_size_like op.
template <class Op> llvm::SmallVector<DimSize> batchSizeLike(TensorBuilder &e, Op op) {
  Expression input = e.wrap(op.getInput());
  llvm::SmallVector<DimSize> shape(op.getShape().begin(), op.getShape().end());
  int64_t to = *normalizeAxis(op.getOutputDimIdx(), static_cast<int64_t>(shape.size()));
  shape[to] = DimSize(input, *normalizeAxis(op.getInputDimIdx(), input.rank()));
  return shape;
}

Expression uniformWithDiagonal(TensorBuilder &e, llvm::ArrayRef<DimSize> shape, Type elementType,
                               llvm::APFloat min, llvm::APFloat max, int64_t seed, int64_t diagonals,
                               int64_t step, llvm::APFloat value) {
  ShapeOperands given = shapeOperands(e, shape);
  return e.wrap(e.create<UniformOp>(given.tensor, Value(), Value(), given.numbers, elementType, seed,
                                    llvm::ArrayRef<int64_t>(), min, max, diagonals, step, value));
}

Expression gaussianOf(TensorBuilder &e, llvm::ArrayRef<DimSize> shape, Type elementType, llvm::APFloat mean,
                      llvm::APFloat deviation, int64_t seed) {
  ShapeOperands given = shapeOperands(e, shape);
  return e.wrap(e.create<GaussianOp>(given.tensor, Value(), Value(), given.numbers, elementType, seed,
                                     llvm::ArrayRef<int64_t>(), mean, deviation));
}

} // namespace

Expression uniform(TensorBuilder &e, llvm::ArrayRef<DimSize> shape, Type elementType, double min, double max,
                   int64_t seed, Value seedTensor, RandomShard shard) {
  ShapeOperands given = shapeOperands(e, shape);
  return e.wrap(e.create<UniformOp>(given.tensor, seedTensor, shard.begin, given.numbers, elementType, seed,
                                    shard.whole, llvm::APFloat(min), llvm::APFloat(max), 0, 0,
                                    llvm::APFloat(1.0)));
}

Expression gaussian(TensorBuilder &e, llvm::ArrayRef<DimSize> shape, Type elementType, double deviation,
                    int64_t seed) {
  return gaussianOf(e, shape, elementType, llvm::APFloat(0.0), llvm::APFloat(deviation), seed);
}

//===-- The sequence of the model's seed
//-------------------------------------------------------------------===//

/// Whether a tensor of one element is random, of a range without 0.
static bool isNeverZero(Value seed) {
  Operation *op = seed.getDefiningOp();
  while (op && op->hasTrait<MovesElements>() && op->getNumOperands() == 1)
    op = op->getOperand(0).getDefiningOp();
  auto randint = dyn_cast_or_null<RandintOp>(op);
  return randint &&
         (static_cast<int64_t>(randint.getLow()) > 0 || static_cast<int64_t>(randint.getHigh()) <= 0);
}

std::optional<int64_t> placesWithSeed(Value seedTensor, int64_t seed) {
  if (!seedTensor)
    return seed == 0 ? 1 : 0;
  RankedTensorType type = tensorType(seedTensor);
  if (type.hasStaticShape() && type.getNumElements() == 2)
    return 0; // an execution that was counted
  DenseIntElementsAttr constant;
  if (matchPattern(seedTensor, m_Constant(&constant)) && constant.size() == 1)
    return (*constant.begin()).isZero() ? 1 : 0;
  return isNeverZero(seedTensor) ? std::optional<int64_t>(0) : std::nullopt;
}

/// Ops in a row become one.
LogicalResult SkipRandomOp::canonicalize(SkipRandomOp op, PatternRewriter &rewriter) {
  auto next = dyn_cast_or_null<SkipRandomOp>(op->getNextNode());
  if (!next)
    return rewriter.notifyMatchFailure(op, "no op of the same kind follows");
  rewriter.modifyOpInPlace(op, [&] { op.setCount(op.getCount() + next.getCount()); });
  rewriter.eraseOp(next);
  return success();
}

//===-- Inference ---------------------------------------------------------------------------------------===//

LogicalResult inferBatchSizeLikeOf(std::optional<Location> location, RankedTensorType input,
                                   llvm::ArrayRef<int64_t> given, int64_t from, int64_t to, Type dtype,
                                   Results &results) {
  llvm::SmallVector<int64_t> shape(given);
  auto source = normalizeAxis(location, from, input.getRank(), "C1");
  auto target = normalizeAxis(location, to, static_cast<int64_t>(shape.size()), "C1");
  if (failed(source) || failed(target))
    return failure();
  shape[*target] = input.getDimSize(*source);
  for (int64_t dimSize : shape)
    if (dimSize < 0 && !ShapedType::isDynamic(dimSize))
      return inferenceError(location, "C2: dims must not be negative, found " + llvm::Twine(dimSize));
  results.push_back(RankedTensorType::get(shape, dtype));
  return success();
}

LogicalResult inferMultinomialOf(std::optional<Location> location, RankedTensorType x,
                                 std::optional<int64_t> samples, Results &results) {
  if (x.getRank() != 1 && x.getRank() != 2)
    return inferenceError(location, "C1: x must have rank 1 or 2, found " + llvm::Twine(x.getRank()));
  if (samples && *samples <= 0)
    return inferenceError(location, "C2: num_samples must be above 0, found " + llvm::Twine(*samples));
  llvm::SmallVector<int64_t> shape(x.getShape());
  shape.back() = samples.value_or(ShapedType::kDynamic);
  results.push_back(RankedTensorType::get(shape, IntegerType::get(x.getContext(), 64)));
  return success();
}

LogicalResult inferShuffleBatchOf(std::optional<Location> location, RankedTensorType x, Results &results) {
  if (x.getRank() == 0)
    return inferenceError(location, "C1: x must have a dimension");
  int64_t rows = 1;
  for (int64_t dimSize : x.getShape().drop_back())
    rows =
        ShapedType::isDynamic(dimSize) || ShapedType::isDynamic(rows) ? ShapedType::kDynamic : rows * dimSize;
  Type index = IntegerType::get(x.getContext(), 64);
  results.append({x, RankedTensorType::get({rows}, index), RankedTensorType::get({1}, index)});
  return success();
}

LogicalResult BinomialOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                           Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  auto count = tensorType(adaptor.getCount()), prob = tensorType(adaptor.getProb());
  if (failed(verifyCompatibleShape(count.getShape(), prob.getShape()))) {
    std::string text;
    llvm::raw_string_ostream(text) << "C1: count and prob must have the same dims, found " << count << " and "
                                   << prob;
    return inferenceError(location, text);
  }
  results.push_back(count.clone(IntegerType::get(context, 64)));
  return checkShard(location, adaptor.getPartBegin(), adaptor.getWholeShape(), count.getRank());
}

LogicalResult SeedOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, Adaptor,
                                       llvm::SmallVectorImpl<Type> &results) {
  results.push_back(RankedTensorType::get({1}, IntegerType::get(context, 32)));
  return success();
}

/// Row shuffle_idx[i] of x has the cotangent of row i: the cotangents in the order of the sorted indices.
FailureOr<SmallVector<Value>> ShuffleBatchOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  SmallVector<Value> gradients(getOperation()->getNumOperands());
  if (!cotangents[0])
    return gradients;
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), rows = e.wrap(cotangents[0]);
  SmallVector<DimSize> shape = dimSizesOf(x);
  rows = reshapeTo(rows, {DimSize(e.wrap(getShuffleIdx()), 0), shape.back()});
  auto order = ArgsortOp::create(builder, getLoc(), getShuffleIdx(), int64_t(0), false, true);
  Value moved =
      GatherOp::create(builder, getLoc(), rows, order.getIndices(), Value(), builder.getI64IntegerAttr(0));
  gradients[0] = reshapeTo(e.wrap(moved), shape);
  return gradients;
}

//===-- Decompositions ----------------------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> UniformRandomBatchSizeLikeOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  return e.results({uniformWithDiagonal(e, batchSizeLike(e, *this), getDtype(), getMin(), getMax(), getSeed(),
                                        getDiagNum(), getDiagStep(), getDiagVal())});
}

FailureOr<SmallVector<Value>> GaussianRandomBatchSizeLikeOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  return e.results({gaussianOf(e, batchSizeLike(e, *this), getDtype(), getMean(), getStd(), getSeed())});
}

FailureOr<SmallVector<Value>> UniformInplaceOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Type element = tensorType(getX()).getElementType();
  return e.results({uniformWithDiagonal(e, dimSizesOf(e.wrap(getX())), element, getMin(), getMax(), getSeed(),
                                        getDiagNum(), getDiagStep(), getDiagVal())});
}

FailureOr<SmallVector<Value>> GaussianInplaceOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Type element = tensorType(getX()).getElementType();
  return e.results({gaussianOf(e, dimSizesOf(e.wrap(getX())), element, getMean(), getStd(), getSeed())});
}

FailureOr<SmallVector<Value>> BernoulliOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  Type element = x.type().getElementType();
  return e.results({e.cast(uniform(e, dimSizesOf(x), element, 0, 1, getSeed()) < x, element)});
}

FailureOr<SmallVector<Value>> ExponentialOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  Expression u = uniform(e, dimSizesOf(x), x.type().getElementType(), 0, 1, getSeed());
  return e.results({-e.log1p(-u) / getLambda().convertToDouble()});
}

FailureOr<SmallVector<Value>> DirichletOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  Expression gamma = e.wrap(e.create<StandardGammaOp>(x, Value(), getSeed(), llvm::ArrayRef<int64_t>()));
  return e.results({x.rank() == 0 ? gamma / gamma : gamma / e.sum(gamma, {x.rank() - 1})});
}

FailureOr<SmallVector<Value>> GumbelSoftmaxOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  Type element = x.type().getElementType();
  int64_t axis = *normalizeAxis(getAxis(), x.rank());
  // As in Paddle, a lower bound keeps both logarithms finite.
  Expression u = uniform(e, dimSizesOf(x), element, 1e-5, 1, getSeed());
  Expression scores = (x - e.log(-e.log(u))) / getTemperature().convertToDouble();
  Expression shifted = e.exp(scores - e.max(scores, {axis}));
  Expression soft = shifted / e.sum(shifted, {axis});
  if (!getHard())
    return e.results({soft});
  // The first of several largest elements.
  Expression position =
      e.wrap(e.create<ArgmaxOp>(soft, Value(), axis, true, false, TypeAttr::get(builder.getI64Type())));
  Expression positions = iota(e, DimSize(x, axis), builder.getI64Type());
  llvm::SmallVector<int64_t> shape(x.rank(), 1);
  shape[axis] = -1;
  Expression isGreatest = e.wrap(e.create<EqualOp>(e.reshape(positions, shape), position));
  return e.results({e.cast(isGreatest, element)});
}

FailureOr<SmallVector<Value>> SeedOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Type element = builder.getI32Type();
  if (getSeed() != 0)
    return SmallVector<Value>{e.reshape(e.constant(static_cast<double>(getSeed()), element), {1})};
  return SmallVector<Value>{e.create<RandintOp>(Value(), Value(), Value(), llvm::ArrayRef<int64_t>{1},
                                                element, 0, llvm::ArrayRef<int64_t>(), 1,
                                                std::numeric_limits<int32_t>::max())};
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/random/Random.cpp.inc"
#include "dialects/pd/ops/random/Random.methods.inc"
#include "dialects/pd/ops/random/Random.scalar.inc"
