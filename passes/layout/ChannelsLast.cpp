//! pd-channels-last: computes a second version of images, with channels last, forward from convolutions.
#include "passes/layout/Passes.h"

#include "dialects/pd/ir/Contraction.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Layout.h"
#include "dialects/pd/ir/ThreadInterface.h"
#include "dialects/pd/ops/reduce/Reduce.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"
#include "dialects/rt/Fusable.h"
#include "dialects/rt/Rt.h"
#include "passes/layout/TransposedReshape.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_CHANNELSLAST
#include "passes/layout/Passes.h.inc"

namespace {

constexpr int64_t toLast[] = {0, 2, 3, 1};
constexpr int64_t toFirst[] = {0, 3, 1, 2};
/// The index in NHWC of each dimension of NCHW.
constexpr int64_t indexInLast[] = {0, 3, 1, 2};

bool isImage(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 4;
}

RankedTensorType permuted(RankedTensorType type) {
  SmallVector<int64_t> shape;
  for (int64_t axis : toLast)
    shape.push_back(type.getDimSize(axis));
  return type.clone(shape);
}

/// Ops in bodies of control flow are left as they are.
bool isInFunction(Operation *op) { return isa<func::FuncOp>(op->getParentOp()); }

/// The images of a function in both layouts, and the rewrites that patterns share.
class Images {
public:
  explicit Images(PassRemarks remarks) : remarks(remarks) {}

  bool contains(Value value) const { return last.contains(value); }

  /// Whether the op reads an image that has a channels-last version, so that a pattern may follow.
  bool areReadBy(Operation *op) const {
    return isInFunction(op) && !op->hasTrait<OpTrait::IsTerminator>() &&
           llvm::any_of(op->getOperands(), [&](Value v) { return contains(v); });
  }

  /// The channels-last version of a value; a new transpose if there is none yet.
  Value lastOf(Value value, OpBuilder &builder) {
    Value &version = last[value];
    if (!version) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointAfterValue(value);
      version = pd::TransposeOp::create(builder, value.getLoc(), value, toLast);
    }
    return version;
  }

  /// Replaces a result by its channels-last version. Users that keep channels first read a transpose back.
  void replace(Value result, Value version, PatternRewriter &rewriter) {
    auto back = pd::TransposeOp::create(rewriter, result.getLoc(), version, toFirst);
    rewriter.replaceAllUsesWith(result, back.getOut());
    last[back.getOut()] = version;
  }

  /// Erases an op whose results have been replaced.
  LogicalResult erase(Operation *op, PatternRewriter &rewriter) {
    remarks.done(op) << op->getName().getStringRef() << " works with channels last";
    rewriter.eraseOp(op);
    return success();
  }

private:
  PassRemarks remarks;
  /// The version with channels last of a value with channels first.
  llvm::DenseMap<Value, Value> last;
};

LogicalResult keepsChannelsFirst(Operation *op, PatternRewriter &rewriter, const char *reason) {
  return rewriter.notifyMatchFailure(op, [&](mlir::Diagnostic &diagnostic) {
    diagnostic << op->getName().getStringRef() << " keeps channels first: " << reason;
  });
}

/// A pattern of this pass: on an op that starts or continues a chain of images with channels last.
template <class Base> class ImagePattern : public Base {
public:
  ImagePattern(MLIRContext *context, Images &images) : Base(context), images(images) {}
  ImagePattern(MLIRContext *context, Images &images, Pattern::MatchAnyOpTypeTag tag, PatternBenefit benefit)
      : Base(tag, benefit, context), images(images) {}

protected:
  Images &images;
};

/// Convolutions, which start a chain, and ops with an attribute for the layout, which continue one.
class LayoutOpPattern : public ImagePattern<OpInterfaceRewritePattern<pd::LayoutOpInterface>> {
public:
  using ImagePattern::ImagePattern;

  LogicalResult matchAndRewrite(pd::LayoutOpInterface op, PatternRewriter &rewriter) const override {
    // The images of contractions that the runtime fuses are converted, and the images of sums of integers:
    // convolutions over two dimensions.
    bool isStart = isa<rt::FusableOpInterface>(op.getOperation()) || isSumOfIntegers(op);
    if (!isStart && !images.areReadBy(op))
      return failure();
    OperandRange operands = op->getOperands().take_front(op.getNumImageOperands());
    if (const char *reason = whyNot(op, operands, isStart))
      return keepsChannelsFirst(op, rewriter, reason);
    if (!images.areReadBy(op) && isFastWithChannelsFirst(op) && isAlone(op))
      return keepsChannelsFirst(op, rewriter, "its kernel reads channels first, and no other image is near");
    Operation *rewritten = rewriter.clone(*op);
    for (auto [i, image] : llvm::enumerate(operands))
      rewritten->setOperand(i, images.lastOf(image, rewriter));
    cast<pd::LayoutOpInterface>(rewritten).setImageLayout(pd::ImageLayout::ChannelsLast);
    for (auto [before, after] : llvm::zip(op->getResults(), rewritten->getResults())) {
      if (!isImage(before) || !op.hasImageResults()) {
        rewriter.replaceAllUsesWith(before, after);
        continue;
      }
      after.setType(permuted(pd::tensorType(before)));
      images.replace(before, after, rewriter);
    }
    return images.erase(op, rewriter);
  }

private:
  /// Whether the op is a convolution that is as fast with channels first, so that transposes would be in
  /// vain: of few channels in a group (lib/runtime/kernels/conv/PlaneConv.h and, with large windows,
  /// IndirectConv.h), or of some pixels to many channels with a window of one (PixelConv.h).
  static bool isFastWithChannelsFirst(Operation *op) {
    constexpr int64_t fewChannels = 8, manyOutputs = 8;
    auto contraction = dyn_cast<pd::ContractionOpInterface>(op);
    OpOperand *weights = contraction ? contraction.getChannelWeights() : nullptr;
    if (!weights || contraction.getChannelDim() != 0)
      return false;
    RankedTensorType type = pd::tensorType(weights->get());
    if (type.getRank() != 4 || !type.hasStaticShape() || !type.getElementType().isF32())
      return false;
    int64_t height = type.getDimSize(2), width = type.getDimSize(3);
    if (height * width == 1)
      return type.getDimSize(0) >= manyOutputs && !hasFewPixels(pd::tensorType(op->getOperand(0)));
    return type.getDimSize(1) <= fewChannels;
  }

  static bool hasFewPixels(RankedTensorType image) {
    constexpr int64_t few = 16;
    int64_t height = image.getDimSize(2), width = image.getDimSize(3);
    return !ShapedType::isDynamic(height) && !ShapedType::isDynamic(width) && height * width < few;
  }

  /// Whether neither the op's image nor its results, also after elementwise ops, are images of other ops that
  /// have a layout.
  static bool isAlone(Operation *op) {
    if (Operation *source = op->getOperand(0).getDefiningOp();
        source && !source->hasTrait<OpTrait::ConstantLike>())
      return false;
    SmallVector<Operation *> pending(op->getUsers());
    llvm::SmallPtrSet<Operation *, 16> seen;
    while (!pending.empty()) {
      Operation *user = pending.pop_back_val();
      if (user->hasTrait<OpTrait::IsTerminator>() || !seen.insert(user).second)
        continue;
      if (!user->hasTrait<pd::ElementwiseTrait>() || isa<pd::LayoutOpInterface>(user))
        return false;
      llvm::append_range(pending, user->getUsers());
    }
    return true;
  }

  static bool isSumOfIntegers(Operation *op) {
    return isa<pd::ContractionOpInterface>(op) &&
           isa<IntegerType>(pd::tensorType(op->getResult(0)).getElementType());
  }

  const char *whyNot(pd::LayoutOpInterface op, OperandRange operands, bool isStart) const {
    if (!isInFunction(op))
      return "it is inside of control flow";
    if (op.getImageLayout() != pd::ImageLayout::ChannelsFirst)
      return "its data_format is not channels first";
    if (!op.supportsImageLayout(pd::ImageLayout::ChannelsLast))
      return "it supports channels first only with these attributes";
    if (!llvm::all_of(operands, isImage))
      return "its operand does not have four dimensions";
    auto isSupported = [](Type element) { return element.isF32() || element.isInteger(8); };
    if (!llvm::all_of(operands, [&](Value v) { return isSupported(pd::tensorType(v).getElementType()); }))
      return "its operand is neither in f32 nor of 8-bit integers";
    if (!isStart && llvm::none_of(operands, [&](Value image) { return images.contains(image); }))
      return "none of its images has channels last";
    return nullptr;
  }
};

class ElementwisePattern : public ImagePattern<OpTraitRewritePattern<pd::ElementwiseTrait>> {
public:
  using ImagePattern::ImagePattern;

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (isa<pd::LayoutOpInterface>(op) || !images.areReadBy(op))
      return failure();
    if (op->getNumResults() != 1 || !isImage(op->getResult(0)))
      return keepsChannelsFirst(op, rewriter, "its result does not have four dimensions");
    if (!llvm::all_of(op->getOperands(), [&](Value operand) { return canFollow(operand); }))
      return keepsChannelsFirst(op, rewriter,
                                "an operand with fewer dimensions has dynamic dims or is neither a scalar "
                                "nor one value for each channel");
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(follow(operand, rewriter));
    Operation *rewritten = rewriter.clone(*op);
    rewritten->setOperands(operands);
    rewritten->getResult(0).setType(permuted(pd::tensorType(op->getResult(0))));
    images.replace(op->getResult(0), rewritten->getResult(0), rewriter);
    return images.erase(op, rewriter);
  }

private:
  /// [C, 1, 1] and [1, C, 1, 1]: one element for each channel.
  static bool isPerChannel(RankedTensorType type) {
    ArrayRef<int64_t> shape = type.getShape();
    return type.hasStaticShape() && shape.size() >= 3 && shape[shape.size() - 3] == type.getNumElements();
  }

  static bool isSingleElement(RankedTensorType type) {
    return type.hasStaticShape() && type.getNumElements() == 1;
  }

  /// Whether an operand that broadcasts to an image has a channels-last order.
  bool canFollow(Value operand) const {
    RankedTensorType type = pd::tensorType(operand);
    return type.getRank() == 4 || isSingleElement(type) || isPerChannel(type);
  }

  Value follow(Value operand, OpBuilder &builder) const {
    RankedTensorType type = pd::tensorType(operand);
    if (images.contains(operand))
      return images.lastOf(operand, builder);
    if (isSingleElement(type))
      return type.getRank() <= 1 ? operand : reshaped(operand, {1}, builder);
    return isPerChannel(type) ? reshaped(operand, {-1}, builder) : images.lastOf(operand, builder);
  }

  static Value reshaped(Value value, ArrayRef<int64_t> shape, OpBuilder &builder) {
    return pd::ReshapeOp::create(builder, value.getLoc(), value, Value(),
                                 builder.getDenseI64ArrayAttr(shape));
  }
};

class ConcatPattern : public ImagePattern<OpRewritePattern<pd::ConcatOp>> {
public:
  using ImagePattern::ImagePattern;

  LogicalResult matchAndRewrite(pd::ConcatOp op, PatternRewriter &rewriter) const override {
    if (!images.areReadBy(op))
      return failure();
    if (!llvm::all_of(op.getX(), [&](Value v) { return isImage(v) && images.contains(v); }))
      return keepsChannelsFirst(op, rewriter, "not all of its operands have channels last");
    if (op.getAxisTensor())
      return keepsChannelsFirst(op, rewriter, "its axis is a tensor");
    auto rewritten = cast<pd::ConcatOp>(rewriter.clone(*op));
    for (auto [i, operand] : llvm::enumerate(op.getX()))
      rewritten->setOperand(i, images.lastOf(operand, rewriter));
    int64_t axis = static_cast<int64_t>(op.getAxis());
    rewritten.setAxis(indexInLast[axis < 0 ? axis + 4 : axis]);
    rewritten.getOut().setType(permuted(pd::tensorType(op.getOut())));
    images.replace(op.getOut(), rewritten.getOut(), rewriter);
    return images.erase(op, rewriter);
  }
};

class PadPattern : public ImagePattern<OpRewritePattern<pd::PadOp>> {
public:
  using ImagePattern::ImagePattern;

  LogicalResult matchAndRewrite(pd::PadOp op, PatternRewriter &rewriter) const override {
    if (!images.areReadBy(op))
      return failure();
    SmallVector<int64_t> paddings;
    for (int64_t axis : toLast)
      paddings.append({op.getPaddings()[2 * axis], op.getPaddings()[2 * axis + 1]});
    auto rewritten = cast<pd::PadOp>(rewriter.clone(*op));
    rewritten->setOperand(0, images.lastOf(op.getX(), rewriter));
    rewritten.setPaddings(paddings);
    rewritten.getOut().setType(permuted(pd::tensorType(op.getOut())));
    images.replace(op.getOut(), rewritten.getOut(), rewriter);
    return images.erase(op, rewriter);
  }
};

class SlicePattern : public ImagePattern<OpRewritePattern<pd::SliceOp>> {
public:
  using ImagePattern::ImagePattern;

  LogicalResult matchAndRewrite(pd::SliceOp op, PatternRewriter &rewriter) const override {
    if (!images.areReadBy(op))
      return failure();
    if (op->getNumOperands() != 1)
      return keepsChannelsFirst(op, rewriter, "its bounds are tensors");
    SmallVector<int64_t> axes;
    for (int64_t axis : op.getAxes())
      axes.push_back(indexInLast[axis < 0 ? axis + 4 : axis]);
    auto rewritten = cast<pd::SliceOp>(rewriter.clone(*op));
    rewritten->setOperand(0, images.lastOf(op.getX(), rewriter));
    rewritten.setAxes(axes);
    rewritten.getOut().setType(permuted(pd::tensorType(op.getOut())));
    images.replace(op.getOut(), rewritten.getOut(), rewriter);
    return images.erase(op, rewriter);
  }
};

class SplitPattern : public ImagePattern<OpRewritePattern<pd::SplitOp>> {
public:
  using ImagePattern::ImagePattern;

  LogicalResult matchAndRewrite(pd::SplitOp op, PatternRewriter &rewriter) const override {
    if (!images.areReadBy(op))
      return failure();
    if (op->getNumOperands() != 1)
      return keepsChannelsFirst(op, rewriter, "its sections are tensors");
    auto rewritten = cast<pd::SplitOp>(rewriter.clone(*op));
    rewritten->setOperand(0, images.lastOf(op.getX(), rewriter));
    int64_t axis = static_cast<int64_t>(op.getAxis());
    rewritten.setAxis(indexInLast[axis < 0 ? axis + 4 : axis]);
    for (auto [before, after] : llvm::zip(op->getResults(), rewritten->getResults())) {
      after.setType(permuted(pd::tensorType(before)));
      images.replace(before, after, rewriter);
    }
    return images.erase(op, rewriter);
  }
};

/// Reductions; without kept dimensions those whose result has the same dimensions in the same order. Other
/// ops have no form with channels last.
class ReductionPattern : public ImagePattern<RewritePattern> {
public:
  ReductionPattern(MLIRContext *context, Images &images)
      : ImagePattern(context, images, MatchAnyOpTypeTag(), /*benefit=*/1) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (isa<pd::LayoutOpInterface, pd::ConcatOp, pd::PadOp, pd::SliceOp, pd::SplitOp,
            pd::ArgExtremeOpInterface>(op) ||
        op->hasTrait<pd::ElementwiseTrait>() || !images.areReadBy(op))
      return failure();
    auto axes = op->getAttrOfType<DenseI64ArrayAttr>("axis");
    auto keepdim = op->getAttrOfType<BoolAttr>("keepdim");
    bool isReduction = isa<pd::ReductionOpInterface, pd::MeanOp>(op);
    if (!isReduction || !axes || !keepdim || !isImage(op->getOperand(0)))
      return keepsChannelsFirst(op, rewriter, "it has no form with channels last");
    SmallVector<int64_t> reduced = pd::reducedAxes(axes.asArrayRef(), 4), moved;
    auto stays = [&](int64_t axis) { return !llvm::is_contained(reduced, axis); };
    if (!keepdim.getValue() && stays(1) && (stays(2) || stays(3)))
      return keepsChannelsFirst(op, rewriter, "its result would have other dimensions than before");
    for (int64_t axis : reduced)
      moved.push_back(indexInLast[axis]);
    llvm::sort(moved);
    Value result = op->getResult(0);
    Operation *rewritten = rewriter.clone(*op);
    rewritten->setOperand(0, images.lastOf(op->getOperand(0), rewriter));
    rewritten->setAttr("axis", rewriter.getDenseI64ArrayAttr(moved));
    if (keepdim.getValue()) {
      rewritten->getResult(0).setType(permuted(pd::tensorType(result)));
      images.replace(result, rewritten->getResult(0), rewriter);
    } else {
      rewriter.replaceAllUsesWith(result, rewritten->getResult(0));
    }
    return images.erase(op, rewriter);
  }
};

/// Indices of extremes.
class ExtremePattern : public ImagePattern<OpInterfaceRewritePattern<pd::ArgExtremeOpInterface>> {
public:
  using ImagePattern::ImagePattern;

  LogicalResult matchAndRewrite(pd::ArgExtremeOpInterface op, PatternRewriter &rewriter) const override {
    if (!images.areReadBy(op))
      return failure();
    if (const char *reason = op.whyNoArgExtreme())
      return keepsChannelsFirst(op, rewriter, reason);
    SmallVector<int64_t> dims = op.getSearchedDims();
    auto keepdims = op->getAttrOfType<BoolAttr>("keepdims");
    if (dims.size() != 1 || !keepdims)
      return keepsChannelsFirst(op, rewriter, "its index counts elements of all dimensions");
    if (!keepdims.getValue() && dims[0] != 1)
      return keepsChannelsFirst(op, rewriter, "its result would have other dimensions than before");
    Value result = op->getResult(0);
    Operation *rewritten = rewriter.clone(*op);
    rewritten->setOperand(0, images.lastOf(op->getOperand(0), rewriter));
    rewritten->setAttr("axis", rewriter.getI64IntegerAttr(indexInLast[dims[0]]));
    if (keepdims.getValue()) {
      rewritten->getResult(0).setType(permuted(pd::tensorType(result)));
      images.replace(result, rewritten->getResult(0), rewriter);
    } else {
      rewriter.replaceAllUsesWith(result, rewritten->getResult(0));
    }
    return images.erase(op, rewriter);
  }
};

/// Tokens as an image: a reshape of a transpose, whose version with channels last is a reshape of the tokens.
bool isImageOfTokens(pd::ReshapeOp reshape) {
  auto transpose = reshape.getX().getDefiningOp<pd::TransposeOp>();
  if (!transpose || transpose.getPerm() != ArrayRef<int64_t>({0, 2, 1}) || !isImage(reshape.getOut()))
    return false;
  RankedTensorType image = pd::tensorType(reshape.getOut()), tokens = pd::tensorType(transpose.getX());
  return image.getElementType().isF32() && image.hasStaticShape() && tokens.hasStaticShape() &&
         image.getDimSize(0) == tokens.getDimSize(0) && image.getDimSize(1) == tokens.getDimSize(2);
}

class ChannelsLastPass : public impl::ChannelsLastBase<ChannelsLastPass> {
public:
  void runOnOperation() override {
    PassRemarks remarks{getArgumentName()};
    Images images(remarks);
    OpBuilder builder(&getContext());
    getOperation().walk([&](pd::ReshapeOp reshape) {
      if (isInFunction(reshape) && isImageOfTokens(reshape))
        images.lastOf(reshape.getOut(), builder);
    });
    RewritePatternSet patterns(&getContext());
    patterns.add<LayoutOpPattern, ElementwisePattern, ConcatPattern, PadPattern, SlicePattern, SplitPattern,
                 ReductionPattern, ExtremePattern>(&getContext(), images);
    applyPatternsOnce(getOperation(), std::move(patterns), remarks);
    RewritePatternSet transposes(&getContext());
    addTransposedReshapePattern(transposes);
    applyPatternsOnce(getOperation(), std::move(transposes), remarks);
  }
};

} // namespace
} // namespace proa
