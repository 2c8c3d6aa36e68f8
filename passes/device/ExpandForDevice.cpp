//! pd-expand-for-device: library ops become ops that kernels for GPUs compute.
#include "passes/device/Passes.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/random/Random.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/proa/Proa.h"
#include "dialects/rt/Rt.h"
#include "passes/remarks/Remarks.h"

#include "mlir/IR/Matchers.h"

#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_EXPANDFORDEVICE
#include "passes/device/Passes.h.inc"

namespace {

//===-- Random numbers ----------------------------------------------------------------------------------===//

/// The execution of a random op, on the host.
template <class Op> Value callOf(Op op, PatternRewriter &rewriter) {
  auto type = RankedTensorType::get({2}, rewriter.getI64Type());
  if (Value seed = op.getSeedTensor(); seed && seed.getType() == type)
    return seed;
  return rt::RandomCallOp::create(rewriter, op.getLoc(), type, op.getSeedTensor(),
                                  rewriter.getI64IntegerAttr(op.getSeed()));
}

/// Replaces an op whose shape is static; `create(type, call)` makes the op of rt.
template <class Op>
LogicalResult expandRandom(Op op, PatternRewriter &rewriter,
                           llvm::function_ref<Value(RankedTensorType, Value)> create) {
  RankedTensorType type = pd::tensorType(op.getOut());
  if (!type.hasStaticShape())
    return rewriter.notifyMatchFailure(op, "its shape is known only at run time");
  rewriter.replaceOp(op, create(type, callOf(op, rewriter)));
  return success();
}

struct ExpandUniform : OpRewritePattern<pd::UniformOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(pd::UniformOp op, PatternRewriter &rewriter) const override {
    // The library kernel reports diagonals that do not fit.
    RankedTensorType type = pd::tensorType(op.getOut());
    auto count = static_cast<int64_t>(op.getDiagNum()), step = static_cast<int64_t>(op.getDiagStep());
    if (count > 0 && type.hasStaticShape() &&
        (step < 0 || count - 1 > (type.getNumElements() - 1) / (step + 1)))
      return rewriter.notifyMatchFailure(op, "its diagonal does not fit");
    return expandRandom(op, rewriter, [&](RankedTensorType own, Value call) -> Value {
      return rt::UniformOp::create(rewriter, op.getLoc(), own, call, op.getPartBegin(),
                                   op.getWholeShapeAttr(), op.getMinAttr(), op.getMaxAttr(),
                                   op.getDiagNumAttr(), op.getDiagStepAttr(), op.getDiagValAttr());
    });
  }
};

struct ExpandGaussian : OpRewritePattern<pd::GaussianOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(pd::GaussianOp op, PatternRewriter &rewriter) const override {
    return expandRandom(op, rewriter, [&](RankedTensorType type, Value call) -> Value {
      return rt::GaussianOp::create(rewriter, op.getLoc(), type, call, op.getPartBegin(),
                                    op.getWholeShapeAttr(), op.getMeanAttr(), op.getStdAttr());
    });
  }
};

struct ExpandRandint : OpRewritePattern<pd::RandintOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(pd::RandintOp op, PatternRewriter &rewriter) const override {
    Type element = pd::tensorType(op.getOut()).getElementType();
    if (!element.isSignlessInteger(32) && !element.isSignlessInteger(64))
      return rewriter.notifyMatchFailure(op, "its element type is neither i32 nor i64");
    return expandRandom(op, rewriter, [&](RankedTensorType type, Value call) -> Value {
      return rt::RandintOp::create(rewriter, op.getLoc(), type, call, op.getPartBegin(),
                                   op.getWholeShapeAttr(), op.getLowAttr(), op.getHighAttr());
    });
  }
};

//===-- Scattering --------------------------------------------------------------------------------------===//

/// The type of keys: 32 bits where the indices of all slices of x fit.
Type keyType(OpBuilder &builder, RankedTensorType x) {
  bool isSmall = x.hasStaticShape() && x.getNumElements() <= std::numeric_limits<int32_t>::max();
  return isSmall ? builder.getI32Type() : builder.getI64Type();
}

Value reshaped(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> shape) {
  if (pd::tensorType(value).getShape() == shape)
    return value;
  // A dynamic dim follows from the number of elements.
  SmallVector<int64_t> given(shape);
  for (int64_t &size : given)
    if (ShapedType::isDynamic(size))
      size = -1;
  return pd::ReshapeOp::create(builder, loc, value, Value(), builder.getDenseI64ArrayAttr(given));
}

/// The number of elements of these dims.
int64_t countOf(ArrayRef<int64_t> dims) {
  int64_t count = 1;
  for (int64_t size : dims)
    count = ShapedType::isDynamic(size) || ShapedType::isDynamic(count) ? ShapedType::kDynamic : count * size;
  return count;
}

/// Whether sums in the memory of the result are as exact as in registers.
bool isWide(Type element) {
  return element.isF32() || element.isF64() || element.isSignlessInteger(32) || element.isSignlessInteger(64);
}

/// How updates are scattered, and the figures that decide, for a remark.
struct ScatterChoice {
  /// The strategy of blocks that own slices of x; nothing: keys are sorted.
  std::optional<ThreadStrategy> ofOwners;
  std::string reason;
};

ScatterChoice chooseScatter(RankedTensorType x, int64_t count, int64_t depth, pd::ScatterReduce reduce,
                            bool allowsAtomic, const GpuFacts &gpu) {
  constexpr int64_t leastElements = 32; // columns that keep a warp busy
  // Keys that all blocks read together in the time of a sort.
  double mostReads = static_cast<double>(gpu.sortNanoseconds) * static_cast<double>(gpu.multiprocessors) *
                     gpu.l2BytesPerNanosecond() / sizeof(int64_t);
  int64_t slices = countOf(x.getShape().take_front(depth)),
          elements = countOf(x.getShape().drop_front(depth));
  if (ShapedType::isDynamic(slices) || ShapedType::isDynamic(elements) || ShapedType::isDynamic(count))
    return {{}, "dims are dynamic"};
  if (reduce != pd::ScatterReduce::Assign && !isWide(x.getElementType()))
    return {{}, "sums in the memory of the result would be less exact"};
  double reads = static_cast<double>(std::min(slices, gpu.concurrentBlocks())) * static_cast<double>(count);
  std::string estimates =
      llvm::formatv("blocks read {0:f0} keys, and {1:f0} in the time of a sort", reads, mostReads);
  if (reads > mostReads)
    return {{}, estimates};
  if (elements >= leastElements)
    return {ThreadStrategy::Ordered, estimates};
  if (allowsAtomic && reduce == pd::ScatterReduce::Add)
    return {ThreadStrategy::Atomic, estimates};
  return {{}, llvm::formatv("a slice has {0} elements, fewer than {1}", elements, leastElements)};
}

/// The value of all elements of a constant.
std::optional<double> splatOf(Value x) {
  DenseElementsAttr elements;
  if (!matchPattern(x, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  constexpr int64_t exact = int64_t(1) << 53;
  if (isa<FloatType>(elements.getElementType()))
    return elements.getSplatValue<APFloat>().convertToDouble();
  if (!elements.getElementType().isSignlessInteger())
    return std::nullopt;
  int64_t value = elements.getSplatValue<APInt>().getSExtValue();
  return std::abs(value) <= exact ? std::optional(static_cast<double>(value)) : std::nullopt;
}

/// x with `updates`, [count, slices...], at `keys`, which have any shape.
Value scatter(PatternRewriter &rewriter, Operation *op, Value x, Value keys, Value updates, int64_t depth,
              pd::ScatterReduce reduce, bool allowsAtomic) {
  Location loc = op->getLoc();
  int64_t count = countOf(pd::tensorType(keys).getShape());
  Value flat = reshaped(rewriter, loc, keys, {count});
  auto [strategy, reason] = chooseScatter(pd::tensorType(x), count, depth, reduce, allowsAtomic, gpuOf(op));
  PassRemarks("pd-expand-for-device").analysis(op)
      << op->getName().getStringRef()
      << (strategy ? " is computed by blocks that own slices: " : " sorts its updates: ") << reason;
  if (strategy) {
    std::optional<double> start = splatOf(x);
    auto owned = rt::ScatterOwnedOp::create(rewriter, loc, x.getType(), flat, updates, start ? Value() : x,
                                            rewriter.getI64IntegerAttr(depth),
                                            pd::ScatterReduceAttr::get(rewriter.getContext(), reduce),
                                            rewriter.getF64FloatAttr(start.value_or(0)));
    if (*strategy != ThreadStrategy::Ordered)
      ThreadStrategyAttr::setOn(owned, *strategy);
    return owned;
  }
  auto sorted = pd::ArgsortOp::create(rewriter, loc, flat, /*axis=*/0, /*descending=*/false, /*stable=*/true);
  return rt::ScatterSortedOp::create(rewriter, loc, x.getType(), x, sorted.getOut(), sorted.getIndices(),
                                     updates, rewriter.getI64IntegerAttr(depth),
                                     pd::ScatterReduceAttr::get(rewriter.getContext(), reduce));
}

const char *whyNoScatter(RankedTensorType x, RankedTensorType index, RankedTensorType updates,
                         pd::ScatterReduce reduce) {
  bool isExtreme = reduce == pd::ScatterReduce::Amin || reduce == pd::ScatterReduce::Amax;
  if (isa<ComplexType>(x.getElementType()) && isExtreme)
    return "complex numbers have no order";
  Type element = index.getElementType();
  if (!element.isSignlessInteger(32) && !element.isSignlessInteger(64))
    return "its indices are neither i32 nor i64";
  for (RankedTensorType type : {x, index, updates})
    if (llvm::is_contained(type.getShape(), 0))
      return "an operand has no elements";
  return nullptr;
}

struct ExpandScatterNd : OpRewritePattern<pd::ScatterNdOp> {
  bool allowsAtomic;
  ExpandScatterNd(MLIRContext *context, bool allowsAtomic)
      : OpRewritePattern(context), allowsAtomic(allowsAtomic) {}
  LogicalResult matchAndRewrite(pd::ScatterNdOp op, PatternRewriter &rewriter) const override {
    RankedTensorType x = pd::tensorType(op.getX()), index = pd::tensorType(op.getIndex());
    RankedTensorType updates = pd::tensorType(op.getUpdates());
    if (const char *why = whyNoScatter(x, index, updates, op.getReduce()))
      return rewriter.notifyMatchFailure(op, why);
    int64_t depth = index.getShape().back(), rows = index.getRank() - 1;
    if (ShapedType::isDynamic(depth))
      return rewriter.notifyMatchFailure(op, "how many dimensions it addresses is known only at run time");
    ArrayRef<int64_t> slice = x.getShape().drop_front(depth);
    // The library kernel reports dims that do not fit.
    if (updates.getRank() != rows + int64_t(slice.size()) || updates.getShape().drop_front(rows) != slice ||
        llvm::any_of(slice, ShapedType::isDynamic))
      return rewriter.notifyMatchFailure(op, "whether its updates fit is known only at run time");
    for (auto [own, other] : llvm::zip_first(index.getShape().take_front(rows), updates.getShape()))
      if (own != other || ShapedType::isDynamic(own))
        return rewriter.notifyMatchFailure(op, "whether its updates fit is known only at run time");
    Location loc = op.getLoc();
    auto type = RankedTensorType::get(index.getShape().drop_back(), keyType(rewriter, x));
    Value keys = rt::ScatterKeysOp::create(rewriter, loc, type, op.getX(), op.getIndex(), IntegerAttr());
    SmallVector<int64_t> flat{countOf(type.getShape())};
    llvm::append_range(flat, slice);
    Value rowsOfUpdates = reshaped(rewriter, loc, op.getUpdates(), flat);
    rewriter.replaceOp(
        op, scatter(rewriter, op, op.getX(), keys, rowsOfUpdates, depth, op.getReduce(), allowsAtomic));
    return success();
  }
};

struct ExpandPutAlongAxis : OpRewritePattern<pd::PutAlongAxisOp> {
  bool allowsAtomic;
  ExpandPutAlongAxis(MLIRContext *context, bool allowsAtomic)
      : OpRewritePattern(context), allowsAtomic(allowsAtomic) {}
  LogicalResult matchAndRewrite(pd::PutAlongAxisOp op, PatternRewriter &rewriter) const override {
    RankedTensorType x = pd::tensorType(op.getX()), index = pd::tensorType(op.getIndices());
    RankedTensorType values = pd::tensorType(op.getValues());
    if (const char *why = whyNoScatter(x, index, values, op.getReduce()))
      return rewriter.notifyMatchFailure(op, why);
    int64_t axis = *pd::normalizeAxis(static_cast<int64_t>(op.getAxis()), x.getRank());
    if (!x.hasStaticShape() || !index.hasStaticShape() || !values.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "whether its operands fit is known only at run time");
    for (int64_t d = 0; d < x.getRank(); ++d)
      if (d != axis && index.getDimSize(d) > x.getDimSize(d))
        return rewriter.notifyMatchFailure(op, "its indices do not fit");
    Location loc = op.getLoc();
    auto type = RankedTensorType::get(index.getShape(), keyType(rewriter, x));
    Value keys = rt::ScatterKeysOp::create(rewriter, loc, type, op.getX(), op.getIndices(),
                                           rewriter.getI64IntegerAttr(axis));
    Value updates = op.getValues();
    // Without leading dims of size 1 the values broadcast.
    SmallVector<int64_t> own(values.getShape());
    while (int64_t(own.size()) > index.getRank())
      own.erase(own.begin());
    updates = reshaped(rewriter, loc, updates, own);
    if (own != index.getShape())
      updates = pd::ExpandOp::create(rewriter, loc, updates, Value(),
                                     rewriter.getDenseI64ArrayAttr(index.getShape()));
    updates = reshaped(rewriter, loc, updates, {index.getNumElements()});
    rewriter.replaceOp(
        op, scatter(rewriter, op, op.getX(), keys, updates, x.getRank(), op.getReduce(), allowsAtomic));
    return success();
  }
};

struct ExpandForDevicePass : impl::ExpandForDeviceBase<ExpandForDevicePass> {
  using ExpandForDeviceBase::ExpandForDeviceBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandUniform, ExpandGaussian, ExpandRandint>(&getContext());
    patterns.add<ExpandScatterNd, ExpandPutAlongAxis>(&getContext(), allowsAtomic);
    applyPatternsOnce(getOperation(), std::move(patterns), PassRemarks(getArgumentName()));
  }
};

} // namespace
} // namespace proa
