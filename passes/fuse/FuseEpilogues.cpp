//! pd-fuse-epilogues: matrix products and convolutions take over what is done to their operands and their
//! result.
#include "passes/fuse/Passes.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/linalg/Contract.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/ScaleOps.h"
#include "dialects/pd/ops/nn/ConvOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/rt/Rt.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_FUSEEPILOGUES
#include "passes/fuse/Passes.h.inc"

namespace {

/// The factor of a pd.scale that only multiplies by a number.
std::optional<double> plainFactor(Operation *op) {
  auto scale = dyn_cast_or_null<pd::ScaleOp>(op);
  if (!scale || scale.getScaleTensor() || scale.getBiasTensor() || !scale.getBias().isZero())
    return std::nullopt;
  return scale.getScale().convertToDouble();
}

/// A contraction and what has been fused into it so far.
class Epilogue {
public:
  /// `channelDim` is the dimension of the result that a bias runs along.
  Epilogue(Value result, int64_t channelDim)
      : result(result), channelDim(channelDim), builder(result.getContext()) {}

  /// Takes over the single user of the result, again and again.
  void absorbUsers() {
    while (Operation *user = singleUser())
      if (!absorb(user))
        return;
  }

  Operation *singleUser() const {
    if (!result.hasOneUse())
      return nullptr;
    Operation *user = *result.getUsers().begin();
    return user->getBlock() == Value(result).getParentBlock() && user->getNumResults() == 1 ? user : nullptr;
  }

  ArrayAttr postOpsAttr() { return builder.getArrayAttr(postOps); }

  Value result;
  double alpha = 1;
  SmallVector<Value> extras;
  SmallVector<Attribute> postOps;
  SmallVector<Operation *> absorbed;

private:
  bool absorb(Operation *user) {
    if (user->getResult(0).getType() != result.getType())
      return false;
    bool done = absorbActivation(user) || absorbFactor(user) || absorbSum(user);
    if (done) {
      absorbed.push_back(user);
      result = user->getResult(0);
    }
    return done;
  }

  bool absorbActivation(Operation *user) {
    auto activation = dyn_cast<pd::PostOpInterface>(user);
    if (!activation || user->getNumOperands() != 1 || !canActivate)
      return false;
    pd::PostOp op = activation.getPostOp();
    std::optional<rt::PostOpKind> kind = rt::symbolizePostOpKind(op.kind);
    if (!kind)
      return false;
    addPostOp(*kind, op.alpha, op.beta);
    return true;
  }

  bool absorbFactor(Operation *user) {
    auto factor = plainFactor(user);
    if (!factor || !postOps.empty() || !canScale)
      return false;
    alpha *= *factor;
    return true;
  }

  bool absorbSum(Operation *user) {
    auto add = dyn_cast<pd::AddOp>(user);
    if (!add)
      return false;
    Value other = add.getX() == result ? add.getY() : add.getX();
    if (other == result)
      return false;
    if (isBias(other)) {
      extras.push_back(flattened(other, user));
      addPostOp(rt::PostOpKind::Bias);
      return true;
    }
    if (other.getType() != result.getType() || !canAddResidual)
      return false;
    extras.push_back(other);
    addPostOp(rt::PostOpKind::Add);
    return true;
  }

  /// A value with one element for each channel, in whichever shape broadcasts along the channel dimension.
  bool isBias(Value other) const {
    auto type = pd::tensorType(other), own = pd::tensorType(result);
    int64_t offset = own.getRank() - type.getRank();
    if (offset < 0 || channelDim < offset || own.isDynamicDim(channelDim))
      return false;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.getDimSize(d) != (offset + d == channelDim ? own.getDimSize(channelDim) : 1))
        return false;
    return true;
  }

  static Value flattened(Value bias, Operation *before) {
    auto type = pd::tensorType(bias);
    if (type.getRank() == 1)
      return bias;
    OpBuilder builder(before);
    return pd::ReshapeOp::create(builder, bias.getLoc(), bias, Value(), builder.getDenseI64ArrayAttr({-1}));
  }

  void addPostOp(rt::PostOpKind kind, std::optional<double> alpha = {}, std::optional<double> beta = {}) {
    auto number = [&](std::optional<double> value) {
      return value ? builder.getF64FloatAttr(*value) : FloatAttr();
    };
    postOps.push_back(rt::PostOpAttr::get(builder.getContext(), kind, number(alpha), number(beta)));
  }

public:
  bool canScale = true;
  bool canActivate = true;
  bool canAddResidual = true;

private:
  int64_t channelDim;
  Builder builder;
};

/// An operand of a matrix product, seen through scalings and transposes.
struct SeenThrough {
  Value value;
  double factor = 1;
  SmallVector<int64_t> permutation;
};

/// Whether a matrix product can read (or write) memory whose axes are permuted so: one of the two last axes
/// is the stored last one, which is contiguous.
bool keepsRows(ArrayRef<int64_t> permutation) {
  auto rank = static_cast<int64_t>(permutation.size());
  return rank < 3 || permutation[rank - 1] == rank - 1 || permutation[rank - 2] == rank - 1;
}

bool isOnlyMultiplied(Value value) {
  return llvm::all_of(value.getUsers(),
                      [](Operation *user) { return isa<pd::MatmulOp, rt::MatmulOp>(user); });
}

SeenThrough seeThrough(Value operand) {
  SeenThrough seen{operand};
  while (Operation *producer = seen.value.getDefiningOp()) {
    if (auto factor = plainFactor(producer); factor && seen.value.hasOneUse()) {
      seen.factor *= *factor;
      seen.value = producer->getOperand(0);
      continue;
    }
    auto transpose = dyn_cast<pd::TransposeOp>(producer);
    bool usable = transpose && (seen.value.hasOneUse() || isOnlyMultiplied(seen.value)) &&
                  seen.permutation.empty() &&
                  llvm::all_of(transpose.getPerm(), [](int64_t axis) { return axis >= 0; }) &&
                  keepsRows(transpose.getPerm());
    if (!usable)
      return seen;
    seen.permutation.assign(transpose.getPerm().begin(), transpose.getPerm().end());
    seen.value = transpose.getX();
  }
  return seen;
}

class FuseEpiloguesPass : public impl::FuseEpiloguesBase<FuseEpiloguesPass> {
public:
  void runOnOperation() override {
    SmallVector<Operation *> roots;
    getOperation().walk([&](Operation *op) {
      if (isa<pd::MatmulOp, pd::Conv2dOp>(op) && isComputedFast(op->getResult(0)))
        roots.push_back(op);
    });
    for (Operation *root : roots) {
      if (auto matmul = dyn_cast<pd::MatmulOp>(root))
        fuseMatmul(matmul);
      else
        fuseConv(cast<pd::Conv2dOp>(root));
    }
  }

private:
  static bool isComputedFast(Value result) {
    Type element = pd::tensorType(result).getElementType();
    return element.isF32() || element.isBF16();
  }

  void fuseMatmul(pd::MatmulOp op) {
    int64_t rank = pd::tensorType(op.getOut()).getRank();
    if (rank < 2)
      return;
    SeenThrough x = seeThrough(op.getX()), y = seeThrough(op.getY());
    Epilogue epilogue(op.getOut(), rank - 1);
    epilogue.alpha = x.factor * y.factor;
    epilogue.absorbUsers();
    SmallVector<int64_t> outPermutation = absorbTranspose(epilogue);
    bool changed = !epilogue.absorbed.empty() || x.value != op.getX() || y.value != op.getY();
    if (!changed)
      return;
    OpBuilder builder(epilogue.absorbed.empty() ? op : epilogue.absorbed.back());
    auto fused = rt::MatmulOp::create(builder, epilogue.result.getLoc(), epilogue.result.getType(), x.value,
                                      y.value, epilogue.extras, op.getTransposeX(), op.getTransposeY(),
                                      llvm::APFloat(epilogue.alpha), epilogue.postOpsAttr(), x.permutation,
                                      y.permutation, outPermutation);
    replace(op, epilogue, fused.getOut());
  }

  /// A transpose of the result becomes the order in which it is stored. Operands of post-ops would have to
  /// follow.
  static SmallVector<int64_t> absorbTranspose(Epilogue &epilogue) {
    auto transpose = dyn_cast_or_null<pd::TransposeOp>(epilogue.singleUser());
    if (!transpose || !epilogue.extras.empty() ||
        transpose.getPerm().back() != static_cast<int64_t>(transpose.getPerm().size()) - 1 ||
        llvm::any_of(transpose.getPerm(), [](int64_t axis) { return axis < 0; }))
      return {};
    epilogue.absorbed.push_back(transpose);
    epilogue.result = transpose.getOut();
    return SmallVector<int64_t>(transpose.getPerm());
  }

  void fuseConv(pd::Conv2dOp op) {
    if (op.getPaddingAlgorithm() != "EXPLICIT" || op.getPaddings().size() != 4)
      return;
    bool channelsLast = op.getDataFormat() == "NHWC";
    Epilogue epilogue(op.getOut(), channelsLast ? 3 : 1);
    epilogue.canScale = false;
    // A depthwise convolution of oneDNN 2.6.3 with a tensor to add gave wrong sums (8 channels, 7x7 filter).
    epilogue.canAddResidual = op.getGroups() == 1;
    // With dilated taps the runtime has loops of its own (DepthwiseConv.h), which add a bias and no more.
    bool isDilated = llvm::any_of(op.getDilations(), [](int64_t dilation) { return dilation != 1; });
    epilogue.canActivate = op.getGroups() == 1 || !isDilated;
    epilogue.absorbUsers();
    if (epilogue.absorbed.empty())
      return;
    OpBuilder builder(epilogue.absorbed.back());
    auto fused =
        rt::Conv2dOp::create(builder, epilogue.result.getLoc(), epilogue.result.getType(), op.getInput(),
                             op.getFilter(), epilogue.extras, op.getStrides(), op.getPaddings(),
                             op.getDilations(), op.getGroups(), op.getDataFormat(), epilogue.postOpsAttr());
    replace(op, epilogue, fused.getOut());
  }

  void replace(Operation *root, Epilogue &epilogue, Value fused) {
    epilogue.result.replaceAllUsesWith(fused);
    for (Operation *op : llvm::reverse(epilogue.absorbed))
      op->erase();
    SmallVector<Value> operands(root->getOperands());
    root->erase();
    for (Value operand : operands)
      for (Operation *producer = operand.getDefiningOp();
           producer && producer->use_empty() && isPure(producer);) {
        Value next = producer->getNumOperands() > 0 ? producer->getOperand(0) : Value();
        producer->erase();
        producer = next ? next.getDefiningOp() : nullptr;
      }
    ++numFused;
  }
};

} // namespace
} // namespace proa
