//! pd-form-attention: softmax between two matmuls becomes pd.fused_attention, and its gradient
//! pd.fused_attention_grad.
#include "passes/fuse/Passes.h"

#include "dialects/pd/ir/Contraction.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/attention/FusedAttention.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/nn/DropoutOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/proa/Proa.h"
#include "dialects/rt/Rt.h"
#include "passes/fuse/AttentionGradientForm.h"
#include "passes/fuse/AttentionMasks.h"
#include "passes/fuse/AttentionPositions.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_FORMATTENTION
#include "passes/fuse/Passes.h.inc"

namespace {

/// Finds and creates the attention that ends with a matmul.
class AttentionFormer : private AttentionStorage {
public:
  AttentionFormer(Operation *op, PatternRewriter &rewriter, AttentionTarget target)
      : AttentionStorage(op, rewriter, target) {}

  LogicalResult run() {
    std::string reason;
    std::optional<AttentionForward> match = matchAttention(root, reason);
    if (!match)
      return reason.empty() ? failure() : refuse(reason);
    forward = *match;
    std::optional<AttentionBackward> gradient = matchAttentionGradient(forward, reason);
    if (!gradient)
      return refuse(reason);
    backward = *gradient;
    return create();
  }

  bool hasGradient() const { return backward.v.op; }
  /// The figures that decided on a CPU, for a remark: ": ..." or nothing.
  std::string estimates() const { return estimate.empty() ? "" : ": " + estimate; }

private:
  AttentionBackward backward;
  AttentionPositions positions;
  double queryFactor = 1, keyFactor = 1; ///< of the operands
  std::string estimate;                  ///< the figures that decide, of the target and the dims

  LogicalResult refuse(const Twine &reason) {
    return rewriter.notifyMatchFailure(root, root->getName().getStringRef() +
                                                 " is not the end of an attention: " + reason);
  }

  /// The operand without scalings, which go to `factor`.
  static Value withoutFactors(Value value, double &factor) {
    while (Operation *op = value.getDefiningOp()) {
      std::optional<double> own = factorOf(op);
      if (!own)
        break;
      factor *= *own;
      value = op->getOperand(0);
    }
    return value;
  }

  /// The queries without constant factors, times the factor of heads.
  Value queries() {
    if (!forward.headFactor)
      return withoutFactors(forward.first.x(), queryFactor);
    pd::TensorBuilder e(rewriter, root);
    return e.wrap(forward.first.x()) * e.wrap(forward.headFactor);
  }

  /// The number of keys of each batch; null if all have all.
  Value lengthsOfKeys(ArrayRef<int64_t> scores) {
    if (!positions.lengths)
      return {};
    pd::TensorBuilder e(rewriter, root);
    pd::Expression lengths = e.cast(e.wrap(positions.lengths->lengths), rewriter.getI64Type());
    lengths = e.reshape(lengths, {-1});
    if (int64_t offset = positions.lengths->offset)
      lengths = lengths + static_cast<double>(offset);
    if (positions.areLengthsPositive) {
      pd::Expression keys = e.wrap(sizeOfScores(e, scores, 3).getValue(e));
      lengths = e.select(lengths <= 0.0, keys, lengths);
    }
    bool isExpanded = positions.lengths->dim && ShapedType::isDynamic(scores[0]);
    return isExpanded ? lengths : pd::expandTo(lengths, {sizeOfScores(e, scores, 0)});
  }

  /// The batches or the keys; dynamic ones are read from the operands.
  pd::DimSize sizeOfScores(pd::TensorBuilder &e, ArrayRef<int64_t> scores, size_t dim) const {
    if (!ShapedType::isDynamic(scores[dim]))
      return {scores[dim]};
    if (dim == 0)
      return {e.wrap(forward.first.x()), 0};
    return {e.wrap(forward.first.y()), forward.first.isYTransposed ? 2 : 3};
  }

  /// [batch, heads, queries, keys]: the dims of the softmax or, where it has batch and heads in one dim, the
  /// dims to which a mask broadcasts.
  SmallVector<int64_t> dimsOfScores() const {
    constexpr size_t rank = 4;
    SmallVector<int64_t> dims(shapeOf(forward.scores));
    for (const AttentionMask &mask : forward.masks)
      if (dims.size() < rank && shapeOf(mask.masked).size() == rank && !hasGradient())
        dims.assign(shapeOf(mask.masked).begin(), shapeOf(mask.masked).end());
    if (dims.size() < rank)
      dims.insert(dims.begin(), rank - dims.size(), 1);
    return dims;
  }

  /// Whether operands and result have four dims each, with equal batches, and elements and heads are static.
  bool hasPlainDims() const {
    ArrayRef<int64_t> scores = shapeOf(forward.scores);
    SmallVector<Value> values{forward.first.x(), forward.first.y(), forward.second.y(),
                              forward.second.result()};
    if (hasGradient())
      values.push_back(backward.outGradient);
    return scores.size() == 4 && llvm::all_of(values, [&](Value value) {
             ArrayRef<int64_t> shape = shapeOf(value);
             bool isKey = value == forward.first.y() && !forward.first.isYTransposed;
             bool isShared =
                 forward.first.sharesHead && (value == forward.first.y() || value == forward.second.y());
             return shape.size() == 4 && shape[0] == scores[0] && shape[1] == (isShared ? 1 : scores[1]) &&
                    !ShapedType::isDynamic(shape[1]) && !ShapedType::isDynamic(shape[isKey ? 2 : 3]);
           });
  }

  /// Why the op cannot have its dynamic dims; null if it can.
  const char *whyNotDynamic() const {
    if (!isDynamic())
      return nullptr;
    if (target == AttentionTarget::Mesh)
      return "its dims are dynamic";
    return hasPlainDims()
               ? nullptr
               : "its dims are dynamic, and not all heads and elements are static, or operands have "
                 "other batches";
  }

  AttentionMasks masksOf(ArrayRef<int64_t> scores) const {
    return {forward, scores, target, hasGradient(), isDynamic()};
  }

  LogicalResult checkTypes(ArrayRef<int64_t> scores) {
    const AttentionMatmul &first = forward.first, &second = forward.second;
    if (scores.size() != 4)
      return refuse("the scores have more than four dims");
    if (const char *reason = whyNotDynamic())
      return refuse(reason);
    auto elementOf = [](Value value) { return pd::tensorType(value).getElementType(); };
    SmallVector<Value> others{first.y(), second.y(), second.result()};
    if (hasGradient())
      others.push_back(backward.outGradient);
    if (llvm::any_of(others, [&](Value other) { return elementOf(other) != elementOf(first.x()); }))
      return refuse("its operands have several element types");
    return masksOf(scores).fit() ? success() : refuse("a mask does not broadcast to the scores");
  }

  /// Why the target cannot use the op; null if it can. On a CPU: or why separate kernels are faster.
  std::string whyNotHere(ArrayRef<int64_t> scores) {
    constexpr int64_t leastQueries = 16; // that fill a vector
    switch (target) {
    case AttentionTarget::Gpu:
      return "";
    case AttentionTarget::Cpu:
      if (pd::tensorType(forward.first.x()).getElementType().isF64())
        return "the kernels of the CPU compute in float32";
      if (ShapedType::isDynamic(scores[2]))
        return "";
      estimate =
          llvm::formatv("it has {0} queries, and its kernels compute {1} at a time", scores[2], leastQueries);
      return scores[2] < leastQueries ? estimate : "";
    case AttentionTarget::Mesh:
      if (scores[2] != scores[3])
        return "queries and keys are not of one sequence";
      return forward.isCausal || forward.dropout || !backward.scores.empty()
                 ? "its op has no causal mask, no dropout, and no gradient of a mask"
                 : "";
    case AttentionTarget::Onnx:
      if (forward.hasZeroRows)
        return "its weights are zero for queries without keys";
      if (forward.isCausal && (ShapedType::isDynamic(scores[2]) || scores[2] != scores[3]))
        return "it is causal, and the numbers of queries and keys are dynamic or differ";
      return forward.dropout || !backward.scores.empty() ? "its op has no dropout, and no gradient of a mask"
                                                         : "";
    }
    return "";
  }

  /// Why separate kernels take less time on a CPU with the gradient; empty if they do not, or if the number
  /// of keys is dynamic. Both multiply at the same rate. Measured on a CPU with AVX-512, with heads of 64
  /// elements.
  std::string whySlower(ArrayRef<int64_t> scores) {
    if (target != AttentionTarget::Cpu || !hasGradient() || ShapedType::isDynamic(scores[3]))
      return "";
    constexpr double bytesOfRow = 6000, // read and written to transpose the rows of a query and a key
        bytesOfScore = 56;              // written and read by separate kernels, in several matrices
    double bytesPerNanosecond =
        static_cast<double>(proa::targetOf(root->getParentOp()).cpu.memoryBandwidth) * 1e-3;
    double ofRow = bytesOfRow / bytesPerNanosecond,
           separate = bytesOfScore * static_cast<double>(scores[3]) / bytesPerNanosecond;
    estimate = llvm::formatv(
        "it has a gradient and {0} keys: by estimate its kernels take {1:F0} ns for the rows of "
        "a query besides the matmuls, and separate kernels {2:F0} ns for its scores",
        scores[3], ofRow, separate);
    return separate < ofRow ? estimate : "";
  }

  LogicalResult check(ArrayRef<int64_t> scores, ArrayRef<int64_t> wholeOfDropout) {
    if (failed(checkTypes(scores)))
      return failure();
    if (!isWithoutKernel(target) && shapeOf(forward.scores).size() < 3)
      return refuse("it has no heads");
    if (isWithoutKernel(target) && forward.first.sharesHead)
      return refuse("its keys and values have one head");
    if (std::string reason = whyNotHere(scores); !reason.empty())
      return refuse(reason);
    if (const char *reason = masksOf(scores).whyNot())
      return refuse(reason);
    if (std::string reason = whySlower(scores); !reason.empty())
      return refuse(reason);
    if (!wholeOfDropout.empty() && wholeOfDropout.back() != scores.back())
      return refuse("its dropout is of a shard of the keys");
    if (!hasGradient())
      return success();
    if (forward.hasZeroRows)
      return refuse("its weights are zero for queries without keys, and it has a gradient");
    if (forward.headFactor)
      return refuse("its scores have a factor of heads, and it has a gradient");
    if (forward.outFactor != 1)
      return refuse("dropout in inference scales its weights, and it has a gradient");
    return isAfter(root, backward) ? success() : refuse("its gradient is not computed after it");
  }

  LogicalResult create() {
    SmallVector<int64_t> scores = dimsOfScores();
    if (target != AttentionTarget::Mesh && scores.size() == 4)
      positions = takePositions(forward, scores,
                                target == AttentionTarget::Onnx ? PositionKinds::Causal : PositionKinds::All);
    SmallVector<int64_t> whole = wholeShapeOfDropout();
    if (failed(check(scores, whole)))
      return failure();
    rewriter.setInsertionPoint(root);
    const AttentionMatmul &first = forward.first, &second = forward.second;
    ArrayRef<int64_t> batches = ArrayRef(scores).take_front(2);
    SmallVector<int64_t> batchesOfKeys(batches);
    if (first.sharesHead)
      batchesOfKeys[1] = 1;
    StoredTensor q = store(queries(), false, batches),
                 k = store(withoutFactors(first.y(), keyFactor), !first.isYTransposed, batchesOfKeys),
                 v = store(second.y(), false, batchesOfKeys);
    StoredTensor ownK = k, ownV = v;
    if (isWithoutKernel(target) || !readUnrepeatedHeads(ownK) || !readUnrepeatedHeads(ownV)) {
      ownK = k;
      ownV = v;
    }
    double scale = queryFactor * keyFactor * forward.scoreFactor;
    if (hasGradient() && scale == 0)
      return refuse("its scores are multiplied by zero");
    StoredTensor out;
    AttentionMasks::Operands masks = masksOf(scores).create(rewriter, root);
    pd::TransposeOp transpose =
        isWithoutKernel(target) ? pd::TransposeOp() : transposeOf(second.result(), out);
    auto attention = pd::FusedAttentionOp::create(
        rewriter, root->getLoc(), q.value, ownK.value, ownV.value, masks.mask, lengthsOfKeys(scores),
        callOfDropout(), beginOfDropout(), masks.keyMask, rewriter.getF64FloatAttr(scale),
        rewriter.getBoolAttr(forward.isCausal || positions.right == 0), q.attribute(rewriter),
        ownK.attribute(rewriter), ownV.attribute(rewriter), out.attribute(rewriter),
        forward.dropout ? forward.dropout.getPAttr() : rewriter.getF64FloatAttr(0),
        pd::DropoutModeAttr::get(rewriter.getContext(), forward.dropout ? forward.dropout.getMode()
                                                                        : pd::DropoutMode::UpscaleInTrain),
        rewriter.getDenseI64ArrayAttr(whole), rewriter.getF64FloatAttr(masks.fill),
        rewriter.getF64FloatAttr(forward.softCap), rewriter.getI64IntegerAttr(positions.left.value_or(-1)),
        rewriter.getI64IntegerAttr(positions.right.value_or(0) == 0 ? -1 : *positions.right),
        /*ring=*/rewriter.getBoolAttr(false));
    if (hasGradient())
      AttentionGradientFormer(*this, backward,
                              {attention, q, out, {k, ownK}, {v, ownV}, batches, queryFactor, keyFactor})
          .create();
    Value result =
        scaled(forward.hasZeroRows ? withZeroRows(attention, out) : attention.getOut(), forward.outFactor);
    if (transpose)
      rewriter.replaceAllUsesWith(transpose.getOut(), result);
    else
      rewriter.replaceAllUsesWith(second.result(), withDimsOf(second.result(), result));
    return success();
  }

  /// The result, with zeros for queries without keys, whose weights have no sum.
  Value withZeroRows(pd::FusedAttentionOp attention, const StoredTensor &out) {
    pd::TensorBuilder e(rewriter, root);
    SmallVector<int64_t> order = invertPermutationVector(out.permutation);
    pd::Expression sum = e.transpose(e.wrap(attention.getSum()), ArrayRef(order).drop_back());
    pd::Expression hasKeys = pd::insertDim(sum, 3) > 0.0;
    return e.select(hasKeys, e.wrap(attention.getOut()), 0.0);
  }

  /// The execution of dropout, in its place among the random ops of the program; null without dropout.
  Value callOfDropout() {
    pd::DropoutOp dropout = forward.dropout;
    if (!dropout)
      return {};
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(dropout);
    auto type = RankedTensorType::get({2}, rewriter.getI64Type());
    int64_t seed = dropout.getFixSeed() ? static_cast<int64_t>(dropout.getSeed()) : 0;
    return rt::RandomCallOp::create(rewriter, dropout.getLoc(), type, dropout.getSeedTensor(),
                                    rewriter.getI64IntegerAttr(seed));
  }

  /// The dims of all weights of dropout, with four dims, if it drops a shard of them.
  SmallVector<int64_t> wholeShapeOfDropout() {
    SmallVector<int64_t> whole(forward.dropout ? forward.dropout.getWholeShape() : ArrayRef<int64_t>());
    if (whole.size() == 3)
      whole.insert(whole.begin(), 1);
    return whole;
  }

  /// The index where the shard begins; null if it is the whole.
  Value beginOfDropout() {
    Value begin = forward.dropout ? forward.dropout.getPartBegin() : Value();
    if (!begin || forward.dropout.getWholeShape().size() == 4)
      return begin;
    pd::TensorBuilder e(rewriter, root);
    pd::Expression given = e.wrap(begin);
    return pd::concat({e.reshape(e.constant(0.0, given.type().getElementType()), {1}), given}, 0);
  }
};

class FormAttentionOf : public OpInterfaceRewritePattern<pd::ContractionOpInterface> {
public:
  FormAttentionOf(MLIRContext *context, PassRemarks remarks, AttentionTarget target)
      : OpInterfaceRewritePattern(context), remarks(remarks), target(target) {}

  LogicalResult matchAndRewrite(pd::ContractionOpInterface op, PatternRewriter &rewriter) const override {
    AttentionFormer former(op, rewriter, target);
    if (op->use_empty() || failed(former.run()))
      return failure();
    remarks.done(op) << op->getName().getStringRef() << " is the end of an attention"
                     << (former.hasGradient() ? ", which has a gradient" : "") << former.estimates();
    return success();
  }

private:
  PassRemarks remarks;
  AttentionTarget target;
};

struct FormAttentionPass : impl::FormAttentionBase<FormAttentionPass> {
  using FormAttentionBase::FormAttentionBase;

  /// A mask that is stacked on itself, once for each head, is expanded, and kernels read it as it is before.
  static void expandStacks(func::FuncOp function) {
    function.walk([](pd::StackOp op) {
      RankedTensorType type = pd::tensorType(op.getOut());
      if (!llvm::all_equal(op.getX()) || !type.hasStaticShape())
        return;
      auto axis = static_cast<int64_t>(op.getAxis());
      OpBuilder builder(op);
      pd::TensorBuilder e(builder, op);
      pd::Expression single = pd::insertDim(e.wrap(op.getX()[0]), axis < 0 ? axis + type.getRank() : axis);
      SmallVector<pd::DimSize> dims(type.getShape().begin(), type.getShape().end());
      op.replaceAllUsesWith(Value(pd::expandTo(single, dims)));
      op.erase();
    });
  }

  void runOnOperation() override {
    PassRemarks remarks(getArgumentName());
    expandStacks(getOperation());
    RewritePatternSet patterns(&getContext());
    patterns.add<FormAttentionOf>(&getContext(), remarks, target);
    applyPatternsOnce(getOperation(), std::move(patterns), remarks);
  }
};

} // namespace
} // namespace proa
