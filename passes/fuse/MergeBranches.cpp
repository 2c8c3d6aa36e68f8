//! pd-merge-branches: makes one convolution of branches that read one image and are summed.
#include "passes/fuse/Passes.h"

#include "dialects/pd/ir/ReplaceResult.h"
#include "dialects/pd/ops/conv/ConvOps.h"
#include "dialects/pd/ops/conv/Convolution.h"
#include "dialects/pd/ops/creation/RangeOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "passes/analysis/ParameterValue.h"
#include "passes/fuse/FixedNorm.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_MERGEBRANCHES
#include "passes/fuse/Passes.h.inc"

namespace {

/// An addend that is linear in an image: a convolution, or a normalization with fixed statistics, which is a
/// convolution with one tap that has a factor for each channel.
struct Branch {
  Value addend;
  pd::Conv2dOp conv;
  pd::BatchNormOp norm;

  Value image() { return conv ? conv.getInput() : norm.getX(); }
  std::optional<pd::ImageLayout> layout() { return conv ? conv.getImageLayout() : norm.getImageLayout(); }
  /// With explicit paddings, which are kDynamic if they depend on a dynamic dim.
  pd::Window window() {
    if (norm)
      return {2, {1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}};
    pd::Window window = pd::convWindow(conv, 2, pd::tensorType(conv.getFilter()));
    SmallVector<int64_t> dilations = {window.dilation(0), window.dilation(1)};
    window.paddings = window.resolvedPaddings(
        pd::spatialDims(pd::tensorType(conv.getInput()).getShape(), conv.getDataFormat()));
    window.dilations = dilations;
    window.paddingAlgorithm = pd::PaddingAlgorithm::Explicit;
    return window;
  }
  int64_t groups() { return conv ? static_cast<int64_t>(conv.getGroups()) : channels(); }
  int64_t channels() {
    return conv ? pd::tensorType(conv.getFilter()).getDimSize(0)
                : pd::tensorType(norm.getMean()).getDimSize(0);
  }
  /// Whether each channel of the result depends on the same channel of the image alone.
  bool hasChannelFactors() {
    return norm ||
           (groups() == channels() && pd::tensorType(conv.getFilter()).getNumElements() == channels());
  }
};

/// The branch that computes an addend of a sum; nothing for other values.
std::optional<Branch> branchOf(Value addend, Type type) {
  if (addend.getType() != type || !addend.hasOneUse() || !pd::tensorType(addend).getElementType().isF32())
    return std::nullopt;
  Branch branch{addend, addend.getDefiningOp<pd::Conv2dOp>(), addend.getDefiningOp<pd::BatchNormOp>()};
  auto areParameters = [](ValueRange values) {
    return llvm::all_of(values, [](Value value) { return !value || !whyNotParameter(value); });
  };
  if (pd::Conv2dOp conv = branch.conv)
    return pd::tensorType(conv.getFilter()).hasStaticShape() && areParameters(conv.getFilter())
               ? std::optional(branch)
               : std::nullopt;
  pd::BatchNormOp norm = branch.norm;
  if (!norm || addend != norm.getOut() || !hasFixedStatistics(norm) ||
      pd::tensorType(addend).getRank() != 4 || !pd::tensorType(norm.getMean()).hasStaticShape() ||
      norm.getX().getType() != type)
    return std::nullopt;
  bool hasOtherUses =
      llvm::any_of(norm->getResults().drop_front(), [](Value result) { return !result.use_empty(); });
  return !hasOtherUses && areParameters({norm.getMean(), norm.getVariance(), norm.getScale(), norm.getBias()})
             ? std::optional(branch)
             : std::nullopt;
}

/// The index in `whole` of the first tap of `small`, for each dimension; nothing if `whole` lacks some of its
/// taps.
std::optional<SmallVector<int64_t>> firstTaps(const pd::Window &small, const pd::Window &whole) {
  SmallVector<int64_t> begins;
  if (small.strides != whole.strides || llvm::is_contained(small.paddings, ShapedType::kDynamic) ||
      llvm::is_contained(whole.paddings, ShapedType::kDynamic))
    return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    // Tap t of a window reads the element t * dilation - padding after its first one.
    int64_t distance = whole.paddings[2 * i] - small.paddings[2 * i], dilation = whole.dilations[i];
    if (distance % dilation != 0 || distance < 0 || (small.kernel[i] > 1 && small.dilations[i] != dilation))
      return std::nullopt;
    begins.push_back(distance / dilation);
    if (begins.back() + small.kernel[i] > whole.kernel[i])
      return std::nullopt;
  }
  return begins;
}

/// Whether images of any dims give both windows as many positions. Without it, one of the results may
/// broadcast.
bool haveEqualPositions(const pd::Window &a, const pd::Window &b) {
  auto added = [](const pd::Window &window, size_t i) {
    return window.paddings[2 * i] + window.paddings[2 * i + 1] - window.dilations[i] * (window.kernel[i] - 1);
  };
  return added(a, 0) == added(b, 0) && added(a, 1) == added(b, 1);
}

/// Why `small` cannot go into the convolution `whole`; null if it can.
const char *whyNotMerged(Branch &small, Branch &whole) {
  if (small.image() != whole.image())
    return "it reads another image";
  if (small.layout() != whole.layout())
    return "it has another data_format";
  if (small.groups() != whole.groups() &&
      !(small.hasChannelFactors() &&
        pd::channelsOf(pd::tensorType(whole.image()), whole.conv.getDataFormat()) == whole.channels()))
    return "it has other groups";
  pd::Window window = small.window(), other = whole.window();
  if (!firstTaps(window, other))
    return "the other one lacks some of its taps";
  return pd::tensorType(whole.addend).hasStaticShape() || haveEqualPositions(window, other)
             ? nullptr
             : "its dims may differ";
}

/// A filter [channels, channels / groups, 1, 1] that multiplies each channel by its factor.
pd::Expression filterOfFactors(pd::TensorBuilder &e, pd::Expression factors, int64_t channels,
                               int64_t groups) {
  int64_t each = channels / groups;
  if (each == 1)
    return e.reshape(factors, {channels, 1, 1, 1});
  OpBuilder &builder = e.getBuilder();
  pd::Expression units =
      e.wrap(e.create<pd::EyeOp>(builder.getI64IntegerAttr(each), builder.getI64IntegerAttr(each),
                                 TypeAttr::get(factors.type().getElementType())));
  pd::Expression filter = e.reshape(factors, {groups, each, 1}) * e.reshape(units, {1, each, each});
  return e.reshape(filter, {channels, each, 1, 1});
}

/// The sum of two filters, of which the second one has fewer taps.
pd::Expression mergedFilter(pd::TensorBuilder &e, pd::Expression filter, pd::Expression small,
                            ArrayRef<int64_t> begins) {
  OpBuilder &builder = e.getBuilder();
  SmallVector<int64_t> paddings(4, 0);
  for (auto [i, begin] : llvm::enumerate(begins)) {
    int64_t dim = static_cast<int64_t>(i) + 2;
    paddings.append({begin, filter.type().getDimSize(dim) - small.type().getDimSize(dim) - begin});
  }
  if (llvm::any_of(paddings, [](int64_t count) { return count > 0; }))
    small = e.wrap(
        e.create<pd::PadOp>(small, builder.getDenseI64ArrayAttr(paddings), builder.getF64FloatAttr(0)));
  return filter + small;
}

/// The addends of a sum of several ops, in their order.
void collectAddends(Value value, Type type, bool isRoot, SmallVectorImpl<Value> &addends) {
  auto add = value.getDefiningOp<pd::AddOp>();
  if (!add || value.getType() != type || (!isRoot && !value.hasOneUse()))
    return addends.push_back(value);
  collectAddends(add.getX(), type, false, addends);
  collectAddends(add.getY(), type, false, addends);
}

/// Whether the op is an addend of a larger sum.
bool isAddend(pd::AddOp op) {
  if (!op.getOut().hasOneUse())
    return false;
  auto user = dyn_cast<pd::AddOp>(*op->getUsers().begin());
  return user && user.getOut().getType() == op.getOut().getType();
}

/// Whether a value is one number, or one for each channel of images of the type.
bool isBias(Value value, RankedTensorType image, pd::ImageLayout layout) {
  RankedTensorType type = pd::tensorType(value);
  if (!type.hasStaticShape() || type.getElementType() != image.getElementType() || whyNotParameter(value))
    return false;
  int64_t fromEnd = layout == pd::ImageLayout::ChannelsFirst ? 3 : 1,
          channels = image.getDimSize(image.getRank() - fromEnd);
  return type.getNumElements() == 1 ||
         (type.getNumElements() == channels && type.getRank() >= fromEnd &&
          type.getRank() <= image.getRank() && type.getDimSize(type.getRank() - fromEnd) == channels);
}

/// conv(x, w) + conv(x, v) = conv(x, w + v) if w has the taps of v.
class MergeIntoConvolution : public OpRewritePattern<pd::AddOp> {
public:
  MergeIntoConvolution(MLIRContext *context, PassRemarks remarks)
      : OpRewritePattern(context), remarks(remarks) {}

  LogicalResult matchAndRewrite(pd::AddOp op, PatternRewriter &rewriter) const override {
    if (isAddend(op))
      return failure();
    SmallVector<Value> addends;
    collectAddends(op.getOut(), op.getOut().getType(), true, addends);
    SmallVector<Branch> branches;
    for (Value addend : addends)
      if (std::optional<Branch> branch = branchOf(addend, op.getOut().getType()))
        branches.push_back(*branch);
    // The convolution of the most taps takes the others in.
    llvm::stable_sort(branches, [](const Branch &a, const Branch &b) { return taps(a) > taps(b); });
    const char *reason = nullptr;
    for (Branch &whole : branches) {
      SmallVector<Branch> smaller;
      for (Branch &small : branches) {
        if (!whole.conv || small.addend == whole.addend || small.image() != whole.image())
          continue;
        if (const char *obstacle = whyNotMerged(small, whole))
          reason = reason ? reason : obstacle; // of the convolution with the most taps
        else
          smaller.push_back(small);
      }
      if (!smaller.empty()) {
        merge(op, whole, smaller, addends, rewriter);
        return success();
      }
    }
    return reason ? rewriter.notifyMatchFailure(op, Twine("a branch keeps its convolution: ") + reason)
                  : failure();
  }

private:
  static int64_t taps(const Branch &branch) {
    // Of branches with one tap, factors go into convolutions.
    if (branch.norm)
      return 0;
    pd::Conv2dOp conv = branch.conv;
    return ShapedType::getNumElements(pd::tensorType(conv.getFilter()).getShape().drop_front());
  }

  void merge(pd::AddOp op, Branch &whole, ArrayRef<Branch> smaller, ArrayRef<Value> addends,
             PatternRewriter &rewriter) const {
    remarks.done(op) << "one convolution computes " << std::to_string(smaller.size() + 1)
                     << " branches of the sum that read its image";
    pd::TensorBuilder e(rewriter, op);
    pd::ImageLayout layout = *whole.layout();
    RankedTensorType type = pd::tensorType(op.getOut());
    pd::Expression filter = e.wrap(whole.conv.getFilter());
    SmallVector<pd::Expression> biases;
    llvm::SmallPtrSet<Operation *, 4> merged = {whole.conv};
    for (Branch small : smaller) {
      pd::Expression own = filter;
      if (small.norm) {
        FixedNorm norm(e, small.norm);
        own = filterOfFactors(e, norm.factor, whole.channels(), whole.groups());
        biases.push_back(layout == pd::ImageLayout::ChannelsFirst ? e.reshape(norm.shift, {1, -1, 1, 1})
                                                                  : norm.shift);
      } else if (small.groups() != whole.groups()) {
        own = filterOfFactors(e, e.wrap(small.conv.getFilter()), whole.channels(), whole.groups());
      } else {
        own = e.wrap(small.conv.getFilter());
      }
      filter = mergedFilter(e, filter, own, *firstTaps(small.window(), whole.window()));
      merged.insert(small.addend.getDefiningOp());
    }
    auto conv = cast<pd::Conv2dOp>(rewriter.clone(*whole.conv));
    conv.getFilterMutable().assign(filter);
    pd::Expression out = e.wrap(conv.getOut());
    SmallVector<Value> others;
    for (Value addend : addends) {
      if (isBias(addend, type, layout))
        biases.push_back(e.wrap(addend));
      else if (!addend.getDefiningOp() || !merged.contains(addend.getDefiningOp()))
        others.push_back(addend);
    }
    // Biases are summed once, for all runs.
    if (!biases.empty()) {
      pd::Expression sum = biases.front();
      for (pd::Expression bias : ArrayRef(biases).drop_front())
        sum = sum + bias;
      out = out + sum;
    }
    for (Value other : others)
      out = out + e.wrap(other);
    pd::replaceResult(rewriter, op.getOut(), out);
    rewriter.eraseOp(op); // the driver erases the branches, which have no users now
  }

  PassRemarks remarks;
};

class MergeBranchesPass : public impl::MergeBranchesBase<MergeBranchesPass> {
public:
  void runOnOperation() override {
    PassRemarks remarks(getArgumentName());
    RewritePatternSet patterns(&getContext());
    patterns.add<MergeIntoConvolution>(&getContext(), remarks);
    if (failed(applyPatternsInOrder(getOperation(), std::move(patterns), remarks)))
      signalPassFailure();
  }
};

} // namespace
} // namespace proa
