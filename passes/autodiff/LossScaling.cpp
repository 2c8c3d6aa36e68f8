//! Loss scaling of mixed precision in training programs.
#include "passes/autodiff/MixedPrecision.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/optimizer/ScalingOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "passes/autodiff/BackwardRegion.h"

using namespace mlir;

namespace proa::autodiff {
namespace {

class LossScaling {
public:
  LossScaling(func::FuncOp function, const AmpOptions &options)
      : function(function), block(function.getBody().front()), options(options),
        backward(findBackwardRegion(block)), builder(&block, block.begin()) {}

  LogicalResult run() {
    if (backward.seeds.empty())
      return emitError(function.getLoc())
             << "loss scaling needs a program with a backward region of pd.vjp: found none";
    for (Value gradient : backward.gradients)
      if (!isa<RankedTensorType>(gradient.getType()) ||
          !isa<FloatType>(pd::tensorType(gradient).getElementType()))
        return mlir::emitError(gradient.getLoc())
               << "a gradient of type " << gradient.getType() << " cannot be scaled: expected floats";
    makeState();
    scaleSeeds();
    unscale();
    return success();
  }

private:
  void makeState() {
    auto one = [&](Type element) { return RankedTensorType::get({1}, element); };
    if (options.scaling == AmpOptions::Scaling::Static) {
      auto type = one(builder.getF32Type());
      scale = pd::ConstantOp::create(builder, function.getLoc(), type,
                                     DenseElementsAttr::get(type, static_cast<float>(options.lossScale)));
      return;
    }
    Type types[] = {one(builder.getF32Type()), one(builder.getI32Type()), one(builder.getI32Type())};
    for (auto [name, type] : llvm::zip(lossScalingState, types)) {
      unsigned index = function.getNumArguments();
      (void)function.insertArgument(index, type, named(pd::parameterAttribute, name), function.getLoc());
      state.push_back(block.getArgument(index));
    }
    scale = state[0];
  }

  DictionaryAttr named(StringRef role, StringRef name) {
    return builder.getDictionaryAttr(builder.getNamedAttr(role, builder.getStringAttr(name)));
  }

  void scaleSeeds() {
    for (Value seed : backward.seeds) {
      auto type = pd::tensorType(seed);
      builder.setInsertionPointAfterValue(seed);
      if (scale.getDefiningOp() && isa<BlockArgument>(seed))
        builder.setInsertionPointAfterValue(scale);
      Location location = seed.getLoc();
      SmallVector<int64_t> ones(static_cast<size_t>(type.getRank()), 1);
      Value factor =
          pd::ReshapeOp::create(builder, location, scale, Value(), builder.getDenseI64ArrayAttr(ones));
      if (!type.getElementType().isF32())
        factor = pd::CastOp::create(builder, location, factor, TypeAttr::get(type.getElementType()));
      Value scaled = pd::MultiplyOp::create(builder, location, seed, factor);
      seed.replaceUsesWithIf(scaled, [](OpOperand &use) { return isa<pd::VjpOp>(use.getOwner()); });
    }
  }

  /// Divides the gradients by the scale, after moving the ops that read them to the end of the block.
  void unscale() {
    Operation *exit = block.getTerminator();
    llvm::DenseSet<Operation *> readers;
    for (Operation *op : dependentOps(block, backward.gradients.getArrayRef()))
      if (!neededByGradients(op)) {
        readers.insert(op);
        op->moveBefore(exit);
      }
    Operation *first = exit;
    while (first->getPrevNode() && readers.contains(first->getPrevNode()))
      first = first->getPrevNode();
    builder.setInsertionPoint(first);
    Location location = function.getLoc();
    SmallVector<Value> gradients(backward.gradients.getArrayRef());
    auto checked = pd::CheckFiniteAndUnscaleOp::create(builder, location, gradients, scale);
    SmallVector<Value> updated(checked.getOut());
    if (!state.empty()) {
      auto update = pd::UpdateLossScalingOp::create(
          builder, location, updated, checked.getFoundInfinite(), state[0], state[1], state[2], Value(),
          static_cast<uint64_t>(options.increaseEvery), static_cast<uint64_t>(options.decreaseEvery),
          APFloat(options.increaseRatio), APFloat(options.decreaseRatio), false);
      updated.assign(update.getOut().begin(), update.getOut().end());
      returnState({update.getLossScaling(), update.getOutGoodSteps(), update.getOutBadSteps()});
    }
    for (auto [gradient, value] : llvm::zip(gradients, updated))
      gradient.replaceUsesWithIf(value, [&](OpOperand &use) {
        Operation *owner = block.findAncestorOpInBlock(*use.getOwner());
        return owner == exit || readers.contains(owner);
      });
  }

  bool neededByGradients(Operation *op) {
    if (needed.empty())
      needed = neededOps(block, backward.gradients.getArrayRef());
    return needed.contains(op);
  }

  void returnState(ArrayRef<Value> values) {
    Operation *exit = block.getTerminator();
    for (auto [name, value] : llvm::zip(lossScalingState, values)) {
      unsigned index = function.getNumResults();
      exit->insertOperands(index, value);
      (void)function.insertResult(index, value.getType(), named(pd::stateAttribute, name));
    }
  }

  func::FuncOp function;
  Block &block;
  const AmpOptions &options;
  BackwardRegion backward;
  OpBuilder builder;
  Value scale;
  SmallVector<Value> state;
  llvm::SetVector<Operation *> needed;
};

} // namespace

LogicalResult scaleLoss(func::FuncOp function, const AmpOptions &options) {
  if (options.scaling == AmpOptions::Scaling::None)
    return success();
  if (!(options.lossScale > 0))
    return emitError(function.getLoc()) << "the loss scale must be above 0, found " << options.lossScale;
  if (options.scaling == AmpOptions::Scaling::Dynamic)
    for (auto [steps, what] :
         {std::pair(options.increaseEvery, "increases"), std::pair(options.decreaseEvery, "decreases")})
      if (steps < 1)
        return emitError(function.getLoc()) << "the number of steps after which the loss scale " << what
                                            << " must be above 0, found " << steps;
  if (options.scaling == AmpOptions::Scaling::Dynamic &&
      !SymbolTable::symbolKnownUseEmpty(function, function->getParentOp()))
    return function.emitError(
        "has callers; dynamic loss scaling adds arguments and results for its state, so that "
        "calls must be inlined first");
  return LossScaling(function, options).run();
}

} // namespace proa::autodiff
