// pd-form-fused-attention: softmax between two products becomes pd.fused_attention.
#include "passes/fuse/Passes.h"

#include "dialects/pd/ir/Contraction.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/ScaleOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/nn/AttentionOps.h"
#include "dialects/pd/ops/nn/DropoutOps.h"
#include "dialects/pd/ops/nn/FusedAttention.h"
#include "dialects/pd/ops/nn/SoftmaxOps.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "passes/fuse/ConstantFactor.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_FORMFUSEDATTENTION
#include "passes/fuse/Passes.h.inc"

namespace {

ArrayRef<int64_t> shapeOf(Value value) { return pd::tensorType(value).getShape(); }

/// The factor of an op that multiplies its operand 0 by a constant.
std::optional<double> factorOf(Operation *op) {
  if (std::optional<double> factor = constantFactor(op))
    return factor;
  DenseFPElementsAttr constant;
  if (!isa<pd::MultiplyOp, pd::DivideOp>(op) || !matchPattern(op->getOperand(1), m_Constant(&constant)) ||
      !constant.isSplat())
    return std::nullopt;
  double factor = constant.getSplatValue<APFloat>().convertToDouble();
  if (isa<pd::DivideOp>(op))
    factor = 1 / factor;
  return std::isfinite(factor) ? std::optional(factor) : std::nullopt;
}

bool isFloatCast(Operation *op) {
  auto cast = dyn_cast<pd::CastOp>(op);
  return cast && isa<FloatType>(pd::tensorType(cast.getX()).getElementType()) &&
         isa<FloatType>(pd::tensorType(cast.getOut()).getElementType());
}

/// Whether a reshape keeps the last two dims, so that it only merges or splits batch and heads.
bool keepsMatrices(Operation *op) {
  if (!isa<pd::ReshapeOp>(op))
    return false;
  ArrayRef<int64_t> from = shapeOf(op->getOperand(0)), to = shapeOf(op->getResult(0));
  return from.size() >= 2 && to.size() >= 2 && from.take_back(2) == to.take_back(2) &&
         !ShapedType::isDynamicShape(from.take_back(2));
}

/// A product of matrices x [.., m, k] and y [.., k, n] or, transposed, [.., n, k], with equal batches.
struct MatrixProduct {
  Operation *op = nullptr;
  bool isYTransposed = false;

  static std::optional<MatrixProduct> of(Operation *op) {
    auto contraction = dyn_cast_or_null<pd::ContractionOpInterface>(op);
    if (!contraction || op->getNumResults() != 1)
      return std::nullopt;
    SmallVector<AffineMap> maps = contraction.getContractionMaps();
    if (maps.size() != 3)
      return std::nullopt;
    unsigned loops = maps[0].getNumDims();
    if (loops < 4)
      return std::nullopt;
    SmallVector<unsigned> x = llvm::to_vector(llvm::seq<unsigned>(0, loops - 3)), y = x, out = x;
    unsigned m = loops - 3, n = loops - 2, k = loops - 1;
    x.append({m, k});
    out.append({m, n});
    SmallVector<unsigned> transposed = y;
    y.append({k, n});
    transposed.append({n, k});
    MLIRContext *context = op->getContext();
    auto map = [&](ArrayRef<unsigned> dims) {
      return AffineMap::getMultiDimMapWithTargets(loops, dims, context);
    };
    if (maps[0] != map(x) || maps[2] != map(out) || (maps[1] != map(y) && maps[1] != map(transposed)))
      return std::nullopt;
    return MatrixProduct{op, maps[1] == map(transposed)};
  }

  Value x() const { return op->getOperand(0); }
  Value y() const { return op->getOperand(1); }
  Value result() const { return op->getResult(0); }
};

/// A tensor as attention reads it: dim i of [batch, heads, rows, elements] is dim permutation[i] of `value`.
struct Stored {
  Value value;
  SmallVector<int64_t> permutation{0, 1, 2, 3};

  DenseI64ArrayAttr attribute(Builder &b) const {
    return b.getDenseI64ArrayAttr(llvm::is_sorted(permutation) ? ArrayRef<int64_t>() : permutation);
  }
};

/// Finds and creates the attention that ends with a product.
class AttentionMatcher {
public:
  AttentionMatcher(Operation *op, PatternRewriter &rewriter) : root(op), rewriter(rewriter) {}

  LogicalResult run() {
    std::optional<MatrixProduct> second = MatrixProduct::of(root);
    if (!second || second->isYTransposed)
      return failure();
    Value weights = upTo<pd::SoftmaxOp, pd::FusedSoftmaxMaskUpperTriangleOp>(second->x());
    if (!weights)
      return failure(); // an ordinary product
    if (failed(matchSoftmax(weights)))
      return failure();
    std::optional<MatrixProduct> first = matchScores(softmaxInput);
    if (!first)
      return refuse("its scores are not a product that is scaled and masked");
    return create(*first, *second);
  }

private:
  Operation *root;
  PatternRewriter &rewriter;
  Value softmaxInput;
  bool isCausal = false;
  double factor = 1;
  SmallVector<std::pair<Value, double>> masks; ///< with the factor of each

  LogicalResult refuse(const Twine &reason) {
    return rewriter.notifyMatchFailure(root, root->getName().getStringRef() +
                                                 " is not the end of an attention: " + reason);
  }

  /// The result of an op of `Ops` that `value` is, before ops that do not change the weights; null if there
  /// is none.
  template <class... Ops> static Value upTo(Value value) {
    while (Operation *op = value.getDefiningOp()) {
      if (isa<Ops...>(op))
        return value;
      auto dropout = dyn_cast<pd::DropoutOp>(op);
      bool isIdentity = dropout && dropout.getIsTest() &&
                        dropout.getMode() == pd::DropoutMode::UpscaleInTrain && value == dropout.getOut();
      if (!value.hasOneUse() || (!isIdentity && !isFloatCast(op) && !keepsMatrices(op)))
        return {};
      value = op->getOperand(0);
    }
    return {};
  }

  LogicalResult matchSoftmax(Value weights) {
    if (!weights.hasOneUse())
      return refuse("its weights are used elsewhere");
    Operation *op = weights.getDefiningOp();
    softmaxInput = op->getOperand(0);
    int64_t rank = pd::tensorType(weights).getRank();
    auto softmax = dyn_cast<pd::SoftmaxOp>(op);
    if (softmax) {
      int64_t axis = static_cast<int64_t>(softmax.getAxis());
      if (axis != -1 && axis != rank - 1)
        return refuse("the softmax is not along the last dim");
    }
    isCausal = !softmax;
    return success();
  }

  /// The product that `scores` is, before scalings and masks.
  std::optional<MatrixProduct> matchScores(Value scores) {
    for (;;) {
      Operation *op = scores.getDefiningOp();
      if (!op || !scores.hasOneUse())
        return std::nullopt;
      if (std::optional<MatrixProduct> product = MatrixProduct::of(op))
        return product;
      if (std::optional<double> own = factorOf(op)) {
        factor *= *own;
        scores = op->getOperand(0);
      } else if (isFloatCast(op) || keepsMatrices(op)) {
        scores = op->getOperand(0);
      } else if (auto add = dyn_cast<pd::AddOp>(op)) {
        bool isFirst = leadsToProduct(add.getX());
        if (!isFirst && !leadsToProduct(add.getY()))
          return std::nullopt;
        masks.emplace_back(isFirst ? add.getY() : add.getX(), factor);
        scores = isFirst ? add.getX() : add.getY();
        if (shapeOf(scores) != shapeOf(add.getOut()))
          return std::nullopt;
      } else {
        return std::nullopt;
      }
    }
  }

  static bool leadsToProduct(Value value) {
    while (Operation *op = value.getDefiningOp()) {
      if (MatrixProduct::of(op))
        return true;
      if (isa<pd::AddOp>(op))
        return leadsToProduct(op->getOperand(0)) || leadsToProduct(op->getOperand(1));
      if (!factorOf(op) && !isFloatCast(op) && !keepsMatrices(op))
        return false;
      value = op->getOperand(0);
    }
    return false;
  }

  //===-- Operands
  //----------------------------------------------------------------------------------------===//

  Value reshape(Value value, ArrayRef<int64_t> shape) {
    auto type = RankedTensorType::get(shape, pd::tensorType(value).getElementType());
    if (value.getType() == type)
      return value;
    return pd::ReshapeOp::create(rewriter, value.getLoc(), value, Value(),
                                 rewriter.getDenseI64ArrayAttr(shape));
  }

  /// The operand without scalings, which go to `factor`.
  Value withoutFactors(Value value) {
    while (Operation *op = value.getDefiningOp()) {
      std::optional<double> own = factorOf(op);
      if (!own || !value.hasOneUse())
        break;
      factor *= *own;
      value = op->getOperand(0);
    }
    return value;
  }

  /// Where the elements of a matrix [.., rows, elements], or transposed, are before transposes.
  Stored store(Value value, bool isTransposed, ArrayRef<int64_t> batches) {
    SmallVector<int64_t> shape(batches);
    llvm::append_range(shape, shapeOf(value).take_back(2));
    Stored stored{reshape(value, shape)};
    if (isTransposed)
      std::swap(stored.permutation[2], stored.permutation[3]);
    while (auto transpose = stored.value.getDefiningOp<pd::TransposeOp>()) {
      for (int64_t &dim : stored.permutation)
        dim = transpose.getPerm()[static_cast<size_t>(dim)];
      for (int64_t &dim : stored.permutation)
        dim += dim < 0 ? 4 : 0;
      stored.value = transpose.getX();
    }
    if (stored.permutation[3] != 3) { // kernels read rows of adjacent elements
      stored.value = pd::TransposeOp::create(rewriter, root->getLoc(), stored.value,
                                             rewriter.getDenseI64ArrayAttr(stored.permutation));
      stored.permutation = {0, 1, 2, 3};
    }
    return stored;
  }

  /// Keys or values whose heads were repeated for groups of query heads, before that.
  static void readUnrepeatedHeads(Stored &stored) {
    auto merged = stored.value.getDefiningOp<pd::ReshapeOp>();
    Operation *repeat = merged ? merged.getX().getDefiningOp() : nullptr;
    if (!isa_and_present<pd::TileOp, pd::ExpandOp>(repeat))
      return;
    ArrayRef<int64_t> to = shapeOf(stored.value), repeated = shapeOf(repeat->getResult(0)),
                      from = shapeOf(repeat->getOperand(0));
    auto dim = static_cast<size_t>(stored.permutation[1]);
    if (repeated.size() != 5 || from.size() != 5 || ShapedType::isDynamicShape(to) || from[dim + 1] != 1)
      return;
    SmallVector<int64_t> expected(to), unrepeated(from);
    expected[dim] = repeated[dim];
    expected.insert(expected.begin() + static_cast<long>(dim) + 1, repeated[dim + 1]);
    SmallVector<int64_t> single = expected;
    single[dim + 1] = 1;
    if (ArrayRef(expected) != repeated || repeated[dim] * repeated[dim + 1] != to[dim] ||
        ArrayRef(single) != from)
      return;
    unrepeated.erase(unrepeated.begin() + static_cast<long>(dim) + 1);
    Operation *view = repeat->getOperand(0).getDefiningOp();
    if (view && view->getNumOperands() == 1 && view->hasTrait<pd::MovesElements>() &&
        shapeOf(view->getOperand(0)) == ArrayRef(unrepeated) && !isa<pd::TransposeOp>(view))
      stored.value = view->getOperand(0);
  }

  /// The sum of the masks with four dims; null without any.
  Value sumOfMasks(ArrayRef<int64_t> scores) {
    Value sum;
    for (auto [mask, own] : llvm::reverse(masks)) {
      SmallVector<int64_t> shape(shapeOf(mask));
      if (shape.size() == 3 && scores[0] == 1 && shape[0] == scores[1])
        shape.insert(shape.begin(), 1);
      shape.insert(shape.begin(), 4 - std::min<size_t>(4, shape.size()), 1);
      Value part = reshape(mask, shape);
      if (own != 1)
        part = pd::ScaleOp::create(rewriter, root->getLoc(), part, Value(), Value(),
                                   rewriter.getF64FloatAttr(own), rewriter.getF64FloatAttr(0),
                                   rewriter.getBoolAttr(true));
      sum = sum ? Value(pd::AddOp::create(rewriter, root->getLoc(), sum, part)) : part;
    }
    return sum;
  }

  /// Whether each mask broadcasts to the scores as attention does.
  bool haveMasksFit(ArrayRef<int64_t> scores) {
    return llvm::all_of(masks, [&](auto entry) {
      ArrayRef<int64_t> shape = shapeOf(entry.first);
      if (shape.size() > 4 || ShapedType::isDynamicShape(shape) ||
          !isa<FloatType>(pd::tensorType(entry.first).getElementType()))
        return false;
      ArrayRef<int64_t> expected = scores.take_back(shape.size());
      return llvm::all_of(llvm::zip(shape, expected), [](auto dims) {
        return std::get<0>(dims) == 1 || std::get<0>(dims) == std::get<1>(dims);
      });
    });
  }

  LogicalResult create(const MatrixProduct &first, const MatrixProduct &second) {
    ArrayRef<int64_t> softmaxShape = shapeOf(softmaxInput);
    SmallVector<int64_t> scores(softmaxShape);
    if (scores.size() == 3)
      scores.insert(scores.begin(), 1);
    Type element = pd::tensorType(first.x()).getElementType();
    if (scores.size() != 4 || ShapedType::isDynamicShape(scores) ||
        ShapedType::isDynamicShape(shapeOf(first.x())) || ShapedType::isDynamicShape(shapeOf(second.y())))
      return refuse("its dims are dynamic, or the scores have other ranks than 3 and 4");
    if (pd::tensorType(first.y()).getElementType() != element ||
        pd::tensorType(second.y()).getElementType() != element ||
        pd::tensorType(second.result()).getElementType() != element)
      return refuse("its operands have several element types");
    if (!haveMasksFit(scores))
      return refuse("a mask does not broadcast to the scores");
    rewriter.setInsertionPoint(root);
    ArrayRef<int64_t> batches = ArrayRef(scores).take_front(2);
    Stored q = store(withoutFactors(first.x()), false, batches),
           k = store(withoutFactors(first.y()), !first.isYTransposed, batches),
           v = store(second.y(), false, batches);
    readUnrepeatedHeads(k);
    readUnrepeatedHeads(v);
    Stored out;
    SmallVector<Operation *> users(second.result().getUsers());
    auto transpose = users.size() == 1 ? dyn_cast<pd::TransposeOp>(users[0]) : pd::TransposeOp();
    bool absorbs = transpose && shapeOf(second.result()).size() == 4;
    if (absorbs)
      for (auto [stored, dim] : llvm::enumerate(transpose.getPerm()))
        out.permutation[static_cast<size_t>(dim + (dim < 0 ? 4 : 0))] = static_cast<int64_t>(stored);
    if (absorbs && out.permutation[3] != 3) {
      absorbs = false;
      out = Stored();
    }
    auto attention = pd::FusedAttentionOp::create(
        rewriter, root->getLoc(), q.value, k.value, v.value, sumOfMasks(scores), Value(),
        rewriter.getF64FloatAttr(factor), rewriter.getBoolAttr(isCausal), q.attribute(rewriter),
        k.attribute(rewriter), v.attribute(rewriter), out.attribute(rewriter));
    if (absorbs)
      rewriter.replaceAllUsesWith(transpose.getOut(), attention.getOut());
    else
      rewriter.replaceAllUsesWith(second.result(), reshape(attention.getOut(), shapeOf(second.result())));
    return success();
  }
};

class FormAttentionOf : public OpInterfaceRewritePattern<pd::ContractionOpInterface> {
public:
  FormAttentionOf(MLIRContext *context, PassRemarks remarks)
      : OpInterfaceRewritePattern(context), remarks(remarks) {}

  LogicalResult matchAndRewrite(pd::ContractionOpInterface op, PatternRewriter &rewriter) const override {
    if (op->use_empty() || failed(AttentionMatcher(op, rewriter).run()))
      return failure();
    remarks.done(op) << op->getName().getStringRef() << " is the end of an attention";
    return success();
  }

private:
  PassRemarks remarks;
};

struct FormFusedAttentionPass : impl::FormFusedAttentionBase<FormFusedAttentionPass> {
  void runOnOperation() override {
    PassRemarks remarks(getArgumentName());
    RewritePatternSet patterns(&getContext());
    patterns.add<FormAttentionOf>(&getContext(), remarks);
    applyPatternsOnce(getOperation(), std::move(patterns), remarks);
  }
};

} // namespace
} // namespace proa
