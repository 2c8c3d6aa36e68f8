//! pd-form-attention: softmax between two matmuls becomes pd.fused_attention, and its gradient
//! pd.fused_attention_grad.
#include "passes/fuse/Passes.h"

#include "dialects/pd/ir/Contraction.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/attention/FusedAttention.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/nn/DropoutOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/shape/DimRoots.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/View.h"
#include "dialects/proa/Proa.h"
#include "dialects/rt/Rt.h"
#include "passes/fuse/AttentionGradientMatch.h"
#include "passes/fuse/AttentionMasks.h"
#include "passes/fuse/AttentionPositions.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_FORMATTENTION
#include "passes/fuse/Passes.h.inc"

namespace {

ArrayRef<int64_t> shapeOf(Value value) { return pd::tensorType(value).getShape(); }

/// A tensor as attention reads it: dim i of [batch, heads, rows, elements] is dim permutation[i] of `value`.
struct Stored {
  Value value;
  SmallVector<int64_t> permutation{0, 1, 2, 3};

  DenseI64ArrayAttr attribute(Builder &b) const {
    return b.getDenseI64ArrayAttr(llvm::is_sorted(permutation) ? ArrayRef<int64_t>() : permutation);
  }
};

/// Finds and creates the attention that ends with a matmul.
class AttentionFormer {
public:
  AttentionFormer(Operation *op, PatternRewriter &rewriter, AttentionTarget target)
      : root(op), rewriter(rewriter), target(target) {}

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
  Operation *root;
  PatternRewriter &rewriter;
  AttentionTarget target;
  AttentionForward forward;
  AttentionBackward backward;
  AttentionPositions positions;
  double queryFactor = 1, keyFactor = 1; ///< of the operands
  std::string estimate;                  ///< the figures that decide, of the target and the dims

  LogicalResult refuse(const Twine &reason) {
    return rewriter.notifyMatchFailure(root, root->getName().getStringRef() +
                                                 " is not the end of an attention: " + reason);
  }

  //===-- Operands
  //----------------------------------------------------------------------------------------===//

  Value reshape(Value value, ArrayRef<int64_t> shape) { return reshaped(rewriter, value, shape); }
  Value scaled(Value value, double factor) { return scaledBy(rewriter, root->getLoc(), value, factor); }

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

  /// The matrices of which `value` is the transpose, perhaps with other batches; null if it is another value.
  static Value untransposed(Value value) {
    if (Operation *op = value.getDefiningOp(); keepsMatrices(op))
      value = op->getOperand(0);
    auto transpose = value.getDefiningOp<pd::TransposeOp>();
    if (!transpose)
      return {};
    auto rank = static_cast<int64_t>(transpose.getPerm().size());
    for (auto [index, own] : llvm::enumerate(transpose.getPerm())) {
      auto dim = static_cast<int64_t>(index);
      int64_t expected = dim < rank - 2 ? dim : 2 * rank - 3 - dim;
      if ((own < 0 ? own + rank : own) != expected)
        return {};
    }
    return transpose.getX();
  }

  /// Where the elements of a matrix [.., rows, elements], or transposed, are before transposes. Anywhere:
  /// only the matrices are transposed back, so that the dims of operands and scores are the same.
  Stored store(Value value, bool isTransposed, ArrayRef<int64_t> batches) {
    if (isTransposed)
      if (Value matrix = untransposed(value); matrix && (!isDynamic() || shapeOf(matrix).size() == 4)) {
        value = matrix;
        isTransposed = false;
      }
    SmallVector<int64_t> shape(batches);
    llvm::append_range(shape, shapeOf(value).take_back(2));
    Stored stored{isDynamic() ? value : reshape(value, shape)};
    if (isTransposed)
      std::swap(stored.permutation[2], stored.permutation[3]);
    while (auto transpose = stored.value.getDefiningOp<pd::TransposeOp>()) {
      if (isWithoutKernel(target) && llvm::is_sorted(stored.permutation))
        break;
      for (int64_t &dim : stored.permutation)
        dim = transpose.getPerm()[static_cast<size_t>(dim)];
      for (int64_t &dim : stored.permutation)
        dim += dim < 0 ? 4 : 0;
      stored.value = transpose.getX();
    }
    bool isReadable =
        isWithoutKernel(target) ? llvm::is_sorted(stored.permutation) : stored.permutation[3] == 3;
    if (!isReadable) { // kernels read rows of adjacent elements
      stored.value = pd::TransposeOp::create(rewriter, root->getLoc(), stored.value,
                                             rewriter.getDenseI64ArrayAttr(stored.permutation));
      stored.permutation = {0, 1, 2, 3};
    }
    return stored;
  }

  /// Whether the dynamic dims of repeated heads are those before the repetition after dim `dim`.
  static bool keepsDynamicDims(pd::ReshapeOp merged, Operation *repeat, size_t dim) {
    Value repeated = merged.getX(), from = repeat->getOperand(0);
    ArrayRef<int64_t> to = shapeOf(merged.getOut());
    return llvm::all_of(llvm::seq<size_t>(0, to.size()), [&](size_t own) {
      auto axis = static_cast<int64_t>(own), before = static_cast<int64_t>(own <= dim ? own : own + 1);
      return !ShapedType::isDynamic(to[own]) ||
             (pd::dimRootOf(merged.getOut(), axis) == pd::dimRootOf(repeated, before) &&
              pd::dimRootOf(repeated, before) == pd::dimRootOf(from, before));
    });
  }

  /// Keys or values whose heads were repeated for groups of query heads, before that. False if they
  /// were not.
  static bool readUnrepeatedHeads(Stored &stored) {
    auto merged = stored.value.getDefiningOp<pd::ReshapeOp>();
    Operation *repeat = merged ? merged.getX().getDefiningOp() : nullptr;
    if (!isa_and_present<pd::TileOp, pd::ExpandOp>(repeat))
      return false;
    ArrayRef<int64_t> to = shapeOf(stored.value), repeated = shapeOf(repeat->getResult(0)),
                      from = shapeOf(repeat->getOperand(0));
    auto dim = static_cast<size_t>(stored.permutation[1]);
    if (repeated.size() != 5 || from.size() != 5 || to.size() != 4 || from[dim + 1] != 1 ||
        ShapedType::isDynamicShape({to[dim], repeated[dim], repeated[dim + 1]}) ||
        !keepsDynamicDims(merged, repeat, dim))
      return false;
    SmallVector<int64_t> expected(to), unrepeated(from);
    expected[dim] = repeated[dim];
    expected.insert(expected.begin() + static_cast<long>(dim) + 1, repeated[dim + 1]);
    SmallVector<int64_t> single = expected;
    single[dim + 1] = 1;
    if (ArrayRef(expected) != repeated || repeated[dim] * repeated[dim + 1] != to[dim] ||
        ArrayRef(single) != from)
      return false;
    unrepeated.erase(unrepeated.begin() + static_cast<long>(dim) + 1);
    Operation *view = repeat->getOperand(0).getDefiningOp();
    if (!view || view->getNumOperands() != 1 || !view->hasTrait<pd::MovesElements>() ||
        shapeOf(view->getOperand(0)) != ArrayRef(unrepeated) || isa<pd::TransposeOp>(view))
      return false;
    stored.value = view->getOperand(0);
    return true;
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

  /// [batch, heads, queries, keys]: those of the softmax or, where it has batch and heads in one dim, those
  /// to which a mask broadcasts.
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

  /// Whether a dim of the operands or the scores is dynamic.
  bool isDynamic() const {
    return llvm::any_of(
        ArrayRef<Value>{forward.scores, forward.first.x(), forward.first.y(), forward.second.y()},
        [](Value value) { return ShapedType::isDynamicShape(shapeOf(value)); });
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
        return "queries and keys are not those of one sequence";
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
    return comesAfterRoot() ? success() : refuse("its gradient is not computed after it");
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
    Stored q = store(queries(), false, batches),
           k = store(withoutFactors(first.y(), keyFactor), !first.isYTransposed, batchesOfKeys),
           v = store(second.y(), false, batchesOfKeys);
    Stored ownK = k, ownV = v;
    if (isWithoutKernel(target) || !readUnrepeatedHeads(ownK) || !readUnrepeatedHeads(ownV)) {
      ownK = k;
      ownV = v;
    }
    double scale = queryFactor * keyFactor * forward.scoreFactor;
    if (hasGradient() && scale == 0)
      return refuse("its scores are multiplied by zero");
    Stored out;
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
      createGradient(attention, q, {k, ownK}, {v, ownV}, out, batches);
    Value result =
        scaled(forward.hasZeroRows ? withZeroRows(attention, out) : attention.getOut(), forward.outFactor);
    if (transpose)
      rewriter.replaceAllUsesWith(transpose.getOut(), result);
    else
      rewriter.replaceAllUsesWith(second.result(), withDimsOf(second.result(), result));
    return success();
  }

  /// The result, with zeros for queries without keys, whose weights have no sum.
  Value withZeroRows(pd::FusedAttentionOp attention, const Stored &out) {
    pd::TensorBuilder e(rewriter, root);
    SmallVector<int64_t> order = invertPermutationVector(out.permutation);
    pd::Expression sum = e.transpose(e.wrap(attention.getSum()), ArrayRef(order).drop_back());
    pd::Expression hasKeys = pd::insertDim(sum, 3) > 0.0;
    return e.select(hasKeys, e.wrap(attention.getOut()), 0.0);
  }

  /// A value with the dims of another one, which has the same elements.
  Value withDimsOf(Value other, Value value) {
    if (!isDynamic())
      return reshape(value, shapeOf(other));
    auto type = RankedTensorType::get(shapeOf(other), getElementTypeOrSelf(value));
    if (value.getType() == type)
      return value;
    return tensor::CastOp::create(rewriter, root->getLoc(), type, value);
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

  /// The only user of the result, if it is a transpose that the attention can do; its order goes to `out`.
  static pd::TransposeOp transposeOf(Value result, Stored &out) {
    auto transpose = result.hasOneUse() ? dyn_cast<pd::TransposeOp>(*result.user_begin()) : pd::TransposeOp();
    if (!transpose || shapeOf(result).size() != 4)
      return {};
    Stored permuted;
    for (auto [stored, dim] : llvm::enumerate(transpose.getPerm()))
      permuted.permutation[static_cast<size_t>(dim + (dim < 0 ? 4 : 0))] = static_cast<int64_t>(stored);
    if (permuted.permutation[3] != 3)
      return {};
    out = permuted;
    return transpose;
  }

  //===-- The gradient
  //----------------------------------------------------------------------------------------===//

  /// The ops of the program that read or compute gradients which the attention replaces.
  SmallVector<Operation *> opsOfGradient() const {
    SmallVector<Operation *> ops;
    for (Operation *op : {backward.q.op, backward.k.op, backward.v.op})
      if (op)
        ops.push_back(op);
    for (const ScoreGradientUse &use : backward.scores)
      ops.push_back(use.use->getOwner());
    return ops;
  }

  bool comesAfterRoot() {
    return llvm::all_of(opsOfGradient(), [&](Operation *op) {
      return op->getBlock() == root->getBlock() && root->isBeforeInBlock(op);
    });
  }

  /// A tensor [batch, heads, rows, elements], or with transposed matrices, in the order of its storage.
  Value inOrder(Value stored, SmallVector<int64_t> permutation, bool isTransposed) {
    if (isTransposed)
      std::swap(permutation[2], permutation[3]);
    if (llvm::is_sorted(permutation))
      return stored;
    return pd::TransposeOp::create(rewriter, root->getLoc(), stored,
                                   rewriter.getDenseI64ArrayAttr(permutation));
  }

  /// A result of the program that a gradient replaces, after constant factors.
  struct Replaced {
    Value value;
    double factor = 1;
  };

  static Operation *onlyUserOf(Value value) { return value.hasOneUse() ? *value.user_begin() : nullptr; }

  /// The result of a matmul that is the gradient of `operand`, and the constant factors after it.
  static Replaced resultOf(const AttentionMatmul &matmul, Value operand) {
    Replaced result{matmul.op ? matmul.result() : Value()};
    if (Operation *user = result.value ? onlyUserOf(result.value) : nullptr)
      if (targetOfSum(user, result.value) == operand)
        result.value = user->getResult(0);
    while (result.value && skipFactor(result)) {
    }
    return result;
  }

  static bool skipFactor(Replaced &result) {
    Operation *user = onlyUserOf(result.value);
    std::optional<double> factor = factorOf(user);
    if (!factor || user->getOperand(0) != result.value ||
        shapeOf(user->getResult(0)) != shapeOf(result.value))
      return false;
    result.factor *= *factor;
    result.value = user->getResult(0);
    return true;
  }

  /// Whether tensors are known to have equal dims.
  static bool haveSameDims(Value a, Value b) {
    return shapeOf(a) == shapeOf(b) &&
           llvm::all_of(llvm::seq<int64_t>(0, shapeOf(a).size()),
                        [&](int64_t dim) { return pd::dimRootOf(a, dim) == pd::dimRootOf(b, dim); });
  }

  /// The sum of a gradient over the heads that are repeated for groups; a null value if the program has none.
  /// `isTransposed` says whether the matrices of the matmul are.
  static Replaced sumOfHeads(const AttentionMatmul &matmul, Value operand, bool isTransposed,
                             const Stored &repeated) {
    Replaced result = resultOf(matmul, operand);
    if (!result.value || shapeOf(result.value).size() != 4)
      return {};
    SmallVector<int64_t> permutation{0, 1, 2, 3};
    if (isTransposed)
      std::swap(permutation[2], permutation[3]);
    for (;;) {
      Operation *user = onlyUserOf(result.value);
      if (auto transpose = dyn_cast_or_null<pd::TransposeOp>(user)) {
        SmallVector<int64_t> indices(4);
        for (auto [index, dim] : llvm::enumerate(transpose.getPerm()))
          indices[static_cast<size_t>(dim + (dim < 0 ? 4 : 0))] = static_cast<int64_t>(index);
        for (int64_t &dim : permutation)
          dim = indices[static_cast<size_t>(dim)];
        result.value = transpose.getOut();
      } else if (!skipFactor(result)) {
        break;
      }
    }
    Operation *split = onlyUserOf(result.value);
    Value groups = repeated.value.getDefiningOp<pd::ReshapeOp>().getX(); // see readUnrepeatedHeads
    if (permutation != repeated.permutation || !isa_and_present<pd::ReshapeOp>(split) ||
        !haveSameDims(split->getResult(0), groups) || !split->hasOneUse())
      return {};
    auto sum = dyn_cast<pd::SumOp>(*split->user_begin());
    if (!sum || sum.getAxis().size() != 1 || sum.getAxis()[0] != permutation[1] + 1)
      return {};
    result.value = sum.getOut();
    return result;
  }

  /// A gradient of keys or values, with a dim of size 1 for the groups if the sum in the program keeps it.
  Value withGroups(const Replaced &sum, Value gradient, const Stored &stored) {
    if (shapeOf(sum.value).size() == shapeOf(gradient).size())
      return gradient;
    pd::TensorBuilder e(rewriter, root);
    return pd::insertDim(e.wrap(gradient), stored.permutation[1] + 1);
  }

  /// `factor` times a gradient, with the dims of `value`.
  Value inPlaceOf(Value value, Value gradient, double factor) {
    gradient = withDimsOf(value, gradient);
    constexpr double rounding = 1e-6; // of factors in float32 that cancel each other
    return std::abs(factor - 1) > rounding ? scaled(gradient, factor) : gradient;
  }

  /// Replaces a result by `factor` times a gradient.
  void replace(const Replaced &result, Value gradient, double factor) {
    if (result.value)
      rewriter.replaceAllUsesWith(result.value, inPlaceOf(result.value, gradient, factor * result.factor));
  }

  /// The place of the gradient: before the first op that it replaces.
  void setGradientPlace() {
    Operation *first = backward.v.op;
    for (Operation *op : opsOfGradient())
      if (op->isBeforeInBlock(first))
        first = op;
    rewriter.setInsertionPoint(first);
  }

  /// Replaces uses of the gradient of the scores.
  void createScoreGradients(pd::FusedAttentionGradOp all) {
    if (backward.scores.empty())
      return;
    Value delta =
        pd::fusedAttentionDelta(rewriter, root, all.getOut(), all.getOutGrad(), all.getOutPermutation());
    for (const ScoreGradientUse &use : backward.scores) {
      Value gradient = pd::FusedAttentionScoreGradOp::create(
          rewriter, root->getLoc(), all.getQ(), all.getK(), all.getV(), all.getOutGrad(), all.getMaximum(),
          all.getSum(), delta, all.getMask(), all.getKeyLengths(), all.getDropoutCall(), all.getPartBegin(),
          all.getKeyMask(), all.getScaleAttr(), all.getCausalAttr(), all.getQPermutationAttr(),
          all.getKPermutationAttr(), all.getVPermutationAttr(), all.getOutPermutationAttr(),
          all.getDropoutPAttr(), all.getDropoutModeAttr(), all.getWholeShapeAttr(), all.getMaskFillAttr(),
          all.getSoftCapAttr(), all.getLeftWindowAttr(), all.getRightWindowAttr(),
          rewriter.getBoolAttr(use.sumsBatches), rewriter.getBoolAttr(use.sumsHeads));
      pd::TensorBuilder e(rewriter, root);
      Value value = use.value();
      gradient = e.cast(e.wrap(inPlaceOf(value, gradient, use.factor)), getElementTypeOrSelf(value));
      if (value == use.use->get())
        rewriter.modifyOpInPlace(use.use->getOwner(), [&] { use.use->set(gradient); });
      else
        rewriter.replaceAllUsesWith(value, gradient);
    }
  }

  /// Keys or values as the program repeats their heads for groups of query heads, and before that.
  struct Heads {
    Stored repeated, own;
  };

  void createGradient(pd::FusedAttentionOp attention, const Stored &q, const Heads &keys, const Heads &values,
                      const Stored &out, ArrayRef<int64_t> batches) {
    bool areKeysTransposed = !forward.first.isYTransposed;
    bool isRepeated = keys.repeated.value != keys.own.value;
    Replaced ofKeys, ofValues;
    if (isRepeated) {
      ofKeys = sumOfHeads(backward.k, forward.first.y(), areKeysTransposed, keys.repeated);
      ofValues = sumOfHeads(backward.v, forward.second.y(), false, values.repeated);
    }
    // Otherwise each query head has gradients of its own.
    bool hasSums = ofKeys.value && ofValues.value;
    const Stored &k = hasSums ? keys.own : keys.repeated, &v = hasSums ? values.own : values.repeated;
    setGradientPlace();
    Stored outGradient = store(backward.outGradient, false, batches);
    if (outGradient.permutation != out.permutation)
      outGradient.value = inOrder(inOrder(outGradient.value, outGradient.permutation, false),
                                  invertPermutationVector(out.permutation), false);
    auto gradient = pd::FusedAttentionGradOp::create(
        rewriter, root->getLoc(), q.value, k.value, v.value, outGradient.value, attention.getMaximum(),
        attention.getSum(), attention.getOut(), attention.getMask(), attention.getKeyLengths(),
        attention.getDropoutCall(), attention.getPartBegin(), attention.getKeyMask(),
        attention.getScaleAttr(), attention.getCausalAttr(), q.attribute(rewriter), k.attribute(rewriter),
        v.attribute(rewriter), out.attribute(rewriter), attention.getDropoutPAttr(),
        attention.getDropoutModeAttr(), attention.getWholeShapeAttr(), attention.getMaskFillAttr(),
        attention.getSoftCapAttr(), attention.getLeftWindowAttr(), attention.getRightWindowAttr(),
        attention.getRingAttr());
    createScoreGradients(gradient);
    double factor = backward.factor / forward.scoreFactor; // of the gradient of the matmul in the program
    replace(resultOf(backward.q, forward.first.x()), inOrder(gradient.getQGrad(), q.permutation, false),
            factor / queryFactor);
    if (hasSums) {
      replace(ofKeys, withGroups(ofKeys, gradient.getKGrad(), k), factor / keyFactor);
      replace(ofValues, withGroups(ofValues, gradient.getVGrad(), v), 1);
      return;
    }
    replace(resultOf(backward.k, forward.first.y()),
            inOrder(gradient.getKGrad(), k.permutation, areKeysTransposed), factor / keyFactor);
    replace(resultOf(backward.v, forward.second.y()), inOrder(gradient.getVGrad(), v.permutation, false), 1);
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
