// pd-fuse-epilogues: a contraction and the ops around it become one op of rt.
#include "passes/fuse/Passes.h"

#include "dialects/pd/ir/Contraction.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/View.h"
#include "dialects/rt/Fusable.h"
#include "dialects/rt/Rt.h"
#include "passes/analysis/KernelGroups.h"
#include "passes/fuse/ConstantFactor.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_FUSEEPILOGUES
#include "passes/fuse/Passes.h.inc"

namespace {

/// The ops after a contraction that are fused into it.
class Epilogue {
public:
  /// `onDevice`: only what CUDA's library for the op can do. Kernels compute the rest.
  Epilogue(Value result, const rt::FusionLimits &limits, bool onDevice)
      : result(result), limits(limits), onDevice(onDevice), builder(result.getContext()) {}

  /// Absorbs the only user of the result as long as there is one that can be fused.
  void absorbUsers(PatternRewriter &rewriter) {
    while (Operation *user = singleUser()) {
      user = liftActivation(user, rewriter);
      if (!absorb(user, rewriter))
        return;
    }
  }

  /// A transpose of the result becomes the order in which it is stored. Operands of post-ops would have to be
  /// transposed too, so there must be none.
  SmallVector<int64_t> absorbTranspose() {
    auto transpose = dyn_cast_or_null<pd::TransposeOp>(singleUser());
    if (!limits.permutes || !transpose || !extras.empty() ||
        transpose.getPerm().back() != static_cast<int64_t>(transpose.getPerm().size()) - 1 ||
        llvm::any_of(transpose.getPerm(), [](int64_t axis) { return axis < 0; }))
      return {};
    absorbed.push_back(transpose);
    result = transpose.getOut();
    refusal = "follows the transpose of the result";
    return SmallVector<int64_t>(transpose.getPerm());
  }

  /// The reason why nothing more is fused: the last refused user, or why no user was tried.
  std::string stopReason() {
    if (Operation *user = singleUser())
      return user->getName().getStringRef().str() + " " + refusal;
    if (result.use_empty())
      return "its result has no user";
    if (!result.hasOneUse())
      return "its result has several uses";
    Operation *user = *result.getUsers().begin();
    StringRef why = user->getNumResults() == 1 ? " is in another block" : " does not have one result";
    return (user->getName().getStringRef() + why).str();
  }

  ArrayAttr postOpsAttr() { return builder.getArrayAttr(postOps); }

  Value result;
  double alpha = 1;
  SmallVector<Value> extras;
  SmallVector<Attribute> postOps;
  SmallVector<Operation *> absorbed;

private:
  Operation *singleUser() const {
    if (!result.hasOneUse())
      return nullptr;
    Operation *user = *result.getUsers().begin();
    return user->getBlock() == Value(result).getParentBlock() && user->getNumResults() == 1 ? user : nullptr;
  }

  /// An activation of reshapes of the result becomes reshapes of the activation, which is then returned; else
  /// `user`.
  Operation *liftActivation(Operation *user, PatternRewriter &rewriter) {
    Operation *last = nullptr, *activation = user;
    while (isa<pd::ReshapeOp, pd::FlattenOp, pd::SqueezeOp, pd::UnsqueezeOp>(activation) &&
           activation->getResult(0).hasOneUse()) {
      last = activation;
      activation = *last->getResult(0).getUsers().begin();
    }
    if (!last || activation->getBlock() != user->getBlock() || activation->getNumResults() != 1 ||
        activation->getResult(0).getType() != last->getResult(0).getType() || !canActivate(activation))
      return user;
    rewriter.setInsertionPoint(user);
    Operation *lifted = rewriter.clone(*activation);
    lifted->setOperand(0, result);
    lifted->getResult(0).setType(result.getType());
    rewriter.modifyOpInPlace(user, [&] { user->setOperand(0, lifted->getResult(0)); });
    rewriter.replaceOp(activation, last->getResult(0));
    return lifted;
  }

  bool absorb(Operation *user, OpBuilder &rewriter) {
    refusal = "is not a bias, residual, activation or multiplication by a constant";
    if (onDevice && hasActivation)
      return refuse("follows an activation, which is the last op of the library of the device");
    if (user->getResult(0).getType() != result.getType())
      return refuse("changes the type of the result");
    bool done = absorbActivation(user) || absorbFactor(user) || absorbSum(user, rewriter);
    if (done) {
      absorbed.push_back(user);
      result = user->getResult(0);
    }
    return done;
  }

  static bool isActivation(Operation *op) {
    return isa<pd::PostOpInterface>(op) && op->getNumOperands() == 1;
  }
  static std::optional<rt::PostOpKind> kindOf(Operation *activation) {
    return rt::symbolizePostOpKind(cast<pd::PostOpInterface>(activation).getPostOp().kind);
  }
  bool isOnDevice(rt::PostOpKind kind) const { return llvm::is_contained(limits.deviceActivations, kind); }

  /// Whether absorbActivation() does not refuse an op.
  bool canActivate(Operation *op) const {
    if (!isActivation(op) || limits.activation || (onDevice && hasActivation))
      return false;
    std::optional<rt::PostOpKind> kind = kindOf(op);
    return kind && (!onDevice || isOnDevice(*kind));
  }

  bool absorbActivation(Operation *user) {
    if (!isActivation(user))
      return false;
    if (limits.activation)
      return refuseLimit(limits.activation);
    std::optional<rt::PostOpKind> kind = kindOf(user);
    if (!kind)
      return refuse("is an activation that the runtime does not fuse");
    if (onDevice && !isOnDevice(*kind))
      return refuse("is an activation that the library of the device does not fuse");
    hasActivation = true;
    pd::PostOp op = cast<pd::PostOpInterface>(user).getPostOp();
    addPostOp(*kind, op.alpha, op.beta);
    return true;
  }

  bool absorbFactor(Operation *user) {
    auto factor = constantFactor(user);
    if (!factor)
      return false;
    if (!postOps.empty())
      return refuse("multiplies after another fused op");
    if (limits.factor)
      return refuseLimit(limits.factor);
    alpha *= *factor;
    return true;
  }

  bool absorbSum(Operation *user, OpBuilder &rewriter) {
    auto add = dyn_cast<pd::AddOp>(user);
    if (!add)
      return false;
    Value other = add.getX() == result ? add.getY() : add.getX();
    if (other == result)
      return refuse("adds the result to itself");
    rt::PostOpKind kind = isBias(other) ? rt::PostOpKind::Bias : rt::PostOpKind::Add;
    bool isRepeated =
        llvm::any_of(postOps, [&](Attribute op) { return cast<rt::PostOpAttr>(op).getKind() == kind; });
    if (onDevice && isRepeated)
      return refuse("adds a second time, which the library of the device does not fuse");
    if (isBias(other)) {
      extras.push_back(flattened(other, user, rewriter));
      addPostOp(rt::PostOpKind::Bias);
      return true;
    }
    if (other.getType() != result.getType())
      return refuse("adds a tensor that is neither a bias nor of the type of the result");
    if (limits.residual)
      return refuseLimit(limits.residual);
    extras.push_back(other);
    addPostOp(rt::PostOpKind::Add);
    return true;
  }

  bool refuse(const std::string &reason) {
    refusal = reason;
    return false;
  }
  bool refuseLimit(const char *reason) { return refuse(std::string("cannot be fused: ") + reason); }

  /// A value with one element for each channel, in any shape that broadcasts along the channel dimension.
  bool isBias(Value other) const {
    auto type = pd::tensorType(other), own = pd::tensorType(result);
    int64_t offset = own.getRank() - type.getRank();
    if (offset < 0 || limits.channelDim < offset || own.isDynamicDim(limits.channelDim))
      return false;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.getDimSize(d) != (offset + d == limits.channelDim ? own.getDimSize(limits.channelDim) : 1))
        return false;
    return true;
  }

  static Value flattened(Value bias, Operation *before, OpBuilder &rewriter) {
    auto type = pd::tensorType(bias);
    if (type.getRank() == 1)
      return bias;
    rewriter.setInsertionPoint(before);
    return pd::ReshapeOp::create(rewriter, bias.getLoc(), bias, Value(), rewriter.getDenseI64ArrayAttr({-1}));
  }

  void addPostOp(rt::PostOpKind kind, std::optional<double> alpha = {}, std::optional<double> beta = {}) {
    auto asAttribute = [&](std::optional<double> value) {
      return value ? builder.getF64FloatAttr(*value) : FloatAttr();
    };
    postOps.push_back(rt::PostOpAttr::get(builder.getContext(), kind, asAttribute(alpha), asAttribute(beta)));
  }

  rt::FusionLimits limits;
  bool onDevice, hasActivation = false;
  Builder builder;
  std::string refusal;
};

/// An operand of a contraction before constant factors and a transpose.
struct StoredOperand {
  Value value;
  double factor = 1;
  SmallVector<int64_t> permutation;
};

/// Whether a matmul can read (or write) memory whose axes are permuted like this: one of the last two
/// axes is the last stored one, which is contiguous.
bool keepsRows(ArrayRef<int64_t> permutation) {
  auto rank = static_cast<int64_t>(permutation.size());
  return rank < 3 || permutation[rank - 1] == rank - 1 || permutation[rank - 2] == rank - 1;
}

/// Whether all users can read a transposed operand, so that the transpose is not needed.
bool usersPermute(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    auto fusable = dyn_cast<rt::FusableOpInterface>(user);
    return isa<rt::MatmulOp>(user) || (fusable && fusable.getFusionLimits().permutes);
  });
}

StoredOperand storedOperand(Value operand) {
  StoredOperand stored{operand};
  while (Operation *producer = stored.value.getDefiningOp()) {
    if (auto factor = constantFactor(producer); factor && stored.value.hasOneUse()) {
      stored.factor *= *factor;
      stored.value = producer->getOperand(0);
      continue;
    }
    auto transpose = dyn_cast<pd::TransposeOp>(producer);
    bool isReadable = transpose && (stored.value.hasOneUse() || usersPermute(stored.value)) &&
                      stored.permutation.empty() &&
                      llvm::all_of(transpose.getPerm(), [](int64_t axis) { return axis >= 0; }) &&
                      keepsRows(transpose.getPerm());
    if (!isReadable)
      return stored;
    stored.permutation.assign(transpose.getPerm().begin(), transpose.getPerm().end());
    stored.value = transpose.getX();
  }
  return stored;
}

/// Fuses a contraction with the ops around it.
class FuseNeighbours : public OpInterfaceRewritePattern<pd::ContractionOpInterface> {
public:
  FuseNeighbours(MLIRContext *context, PassRemarks remarks, KernelTarget target)
      : OpInterfaceRewritePattern(context), remarks(remarks), target(target) {}

  LogicalResult matchAndRewrite(pd::ContractionOpInterface op, PatternRewriter &rewriter) const override {
    if (isa<rt::RtDialect>(op->getDialect()))
      return failure(); // fused before: no reason to report
    auto notFused = [&](const Twine &reason) {
      return rewriter.notifyMatchFailure(op, op->getName().getStringRef() + " is not fused: " + reason);
    };
    if (isContractionOfKernels(op, target))
      return notFused("a kernel computes it with its neighbours");
    auto fusable = dyn_cast<rt::FusableOpInterface>(op.getOperation());
    if (!fusable)
      return notFused("the runtime has no fused kernel for it");
    rt::FusionLimits limits = fusable.getFusionLimits();
    if (limits.all)
      return notFused(limits.all);
    StoredOperand x{op->getOperand(0)}, y{op->getOperand(1)};
    if (limits.permutes) {
      x = storedOperand(x.value);
      y = storedOperand(y.value);
    }
    Epilogue epilogue(op->getResult(0), limits, target == KernelTarget::GpuWithBlas);
    epilogue.alpha = x.factor * y.factor;
    epilogue.absorbUsers(rewriter);
    SmallVector<int64_t> outPermutation = epilogue.absorbTranspose();
    if (epilogue.absorbed.empty() && x.value == op->getOperand(0) && y.value == op->getOperand(1))
      return notFused(epilogue.stopReason());
    if (PassRemarks::areEnabled(op->getContext()))
      report(op, epilogue, x.value != op->getOperand(0) || y.value != op->getOperand(1));
    rewriter.setInsertionPoint(epilogue.absorbed.empty() ? op : epilogue.absorbed.back());
    rt::FusedOperands fused{epilogue.result.getLoc(),
                            epilogue.result.getType(),
                            x.value,
                            y.value,
                            x.permutation,
                            y.permutation,
                            outPermutation,
                            epilogue.alpha,
                            epilogue.postOpsAttr(),
                            epilogue.extras};
    rewriter.replaceAllUsesWith(epilogue.result, fusable.createFused(rewriter, fused));
    for (Operation *user : llvm::reverse(epilogue.absorbed))
      rewriter.eraseOp(user);
    rewriter.eraseOp(op); // the driver erases operands without users
    return success();
  }

private:
  void report(Operation *op, Epilogue &epilogue, bool readsStored) const {
    std::string names = readsStored ? "its scaled or transposed operands" : "";
    for (Operation *user : epilogue.absorbed)
      names += (names.empty() ? "" : ", ") + user->getName().getStringRef().str();
    remarks.done(op) << op->getName().getStringRef() << " is fused with " << names
                     << "; nothing more is fused: " << epilogue.stopReason();
  }

  PassRemarks remarks;
  KernelTarget target;
};

class FuseEpiloguesPass : public impl::FuseEpiloguesBase<FuseEpiloguesPass> {
public:
  using FuseEpiloguesBase::FuseEpiloguesBase;

  void runOnOperation() override {
    PassRemarks remarks(getArgumentName());
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseNeighbours>(&getContext(), remarks, target.getValue());
    if (failed(applyPatternsInOrder(getOperation(), std::move(patterns), remarks)))
      signalPassFailure();
  }
};

} // namespace
} // namespace proa
