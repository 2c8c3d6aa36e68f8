//! pd-drop-taps: drops the taps of filters that lie in the padding for each window.
#include "passes/layout/Passes.h"

#include "dialects/pd/ops/conv/ConvOps.h"
#include "dialects/pd/ops/conv/Convolution.h"
#include "dialects/pd/ops/shape/SliceOps.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_DROPTAPS
#include "passes/layout/Passes.h.inc"

namespace {

/// Taps of one dimension, [begin, end).
struct TapRange {
  int64_t begin, end;
};

/// The taps of a dimension of `size` elements that lie inside of it for some of `count` windows, and those
/// between them. Paddings stay at least 0. Empty: all taps lie in the padding.
TapRange usedTaps(const pd::Window &window, int64_t dim, int64_t size, int64_t count) {
  auto i = static_cast<size_t>(dim);
  int64_t kernel = window.kernel[i], stride = window.strides[i], dilation = window.dilation(dim),
          before = window.paddings[2 * i], after = window.paddings[2 * i + 1];
  // Window w reads element w * stride - before + tap * dilation.
  auto isUsed = [&](int64_t tap) {
    int64_t first = tap * dilation - before, last = first + (count - 1) * stride;
    return last >= 0 && first < size;
  };
  TapRange taps{0, kernel};
  while (taps.begin < taps.end && !isUsed(taps.begin) && (taps.begin + 1) * dilation <= before)
    ++taps.begin;
  while (taps.begin < taps.end && !isUsed(taps.end - 1) && (kernel - taps.end + 1) * dilation <= after)
    --taps.end;
  return taps;
}

template <class ConvOp> class DropTapsPattern : public OpRewritePattern<ConvOp> {
public:
  DropTapsPattern(MLIRContext *context, PassRemarks remarks)
      : OpRewritePattern<ConvOp>(context), remarks(remarks) {}

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    RankedTensorType filter = pd::tensorType(op.getFilter());
    int64_t spatial = filter.getRank() - 2;
    pd::Window window = pd::convWindow(op, spatial, filter);
    SmallVector<int64_t> image =
                             pd::spatialDims(pd::tensorType(op.getInput()).getShape(), op.getDataFormat()),
                         counts = pd::spatialDims(pd::tensorType(op.getOut()).getShape(), op.getDataFormat());
    if (ShapedType::isDynamicShape(image) || ShapedType::isDynamicShape(filter.getShape()))
      return keeps(op, rewriter, "dimensions are dynamic");
    window.paddings = window.resolvedPaddings(image);
    SmallVector<int64_t> axes, begins, ends, dilations;
    for (int64_t dim = 0; dim < spatial; ++dim) {
      TapRange taps = usedTaps(window, dim, image[dim], counts[dim]);
      if (taps.begin == taps.end)
        return keeps(op, rewriter, "all taps of a dimension lie in the padding");
      int64_t dilation = window.dilation(dim), kernel = window.kernel[dim];
      window.paddings[2 * dim] -= taps.begin * dilation;
      window.paddings[2 * dim + 1] -= (kernel - taps.end) * dilation;
      dilations.push_back(taps.end - taps.begin == 1 ? 1 : dilation);
      if (taps.end - taps.begin == kernel)
        continue;
      axes.push_back(2 + dim);
      begins.push_back(taps.begin);
      ends.push_back(taps.end);
    }
    if (axes.empty())
      return keeps(op, rewriter, "each outer tap lies in the image for some window");
    Value used = pd::SliceOp::create(rewriter, op.getLoc(), op.getFilter(), Value(), Value(), Value(), axes,
                                     begins, ends, ArrayRef<int64_t>());
    rewriter.modifyOpInPlace(op, [&] {
      op.getFilterMutable().assign(used);
      op.setPaddings(window.paddings);
      op.setDilations(dilations);
      op.setPaddingAlgorithm(pd::PaddingAlgorithm::Explicit);
    });
    remarks.done(op) << op->getName().getStringRef() << " has "
                     << std::to_string(tapsOf(pd::tensorType(used))) << " taps of "
                     << std::to_string(tapsOf(filter)) << ": the others lie in the padding for each window";
    return success();
  }

private:
  static LogicalResult keeps(Operation *op, PatternRewriter &rewriter, const char *reason) {
    return rewriter.notifyMatchFailure(op, [&](mlir::Diagnostic &diagnostic) {
      diagnostic << op->getName().getStringRef() << " keeps its filter: " << reason;
    });
  }

  static int64_t tapsOf(RankedTensorType filter) {
    return ShapedType::getNumElements(filter.getShape().drop_front(2));
  }

  PassRemarks remarks;
};

class DropTapsPass : public impl::DropTapsBase<DropTapsPass> {
public:
  void runOnOperation() override {
    PassRemarks remarks{getArgumentName()};
    RewritePatternSet patterns(&getContext());
    patterns.add<DropTapsPattern<pd::Conv2dOp>, DropTapsPattern<pd::Conv3dOp>>(&getContext(), remarks);
    applyPatternsOnce(getOperation(), std::move(patterns), remarks);
  }
};

} // namespace
} // namespace proa
