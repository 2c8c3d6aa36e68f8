//! pd-channels-last: a second, channels-last version of images flows forward from convolutions.
#include "passes/layout/Passes.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/nn/ConvOps.h"
#include "dialects/pd/ops/nn/SoftmaxOps.h"
#include "dialects/pd/ops/nn/UnfoldOps.h"
#include "dialects/pd/ops/reduce/Reduce.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_CHANNELSLAST
#include "passes/layout/Passes.h.inc"

namespace {

constexpr int64_t toLast[] = {0, 2, 3, 1};
constexpr int64_t toFirst[] = {0, 3, 1, 2};
/// Where dimension i of NCHW stands in NHWC.
constexpr int64_t placeInLast[] = {0, 3, 1, 2};

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

class ChannelsLastPass : public impl::ChannelsLastBase<ChannelsLastPass> {
public:
  void runOnOperation() override {
    for (Block &block : getOperation().getBody()) {
      last.clear();
      for (Operation &op : llvm::make_early_inc_range(block))
        visit(&op);
    }
  }

private:
  void visit(Operation *op) {
    bool done = false;
    if (isa<pd::Conv2dOp>(op))
      done = rewriteFormatted(op, /*start=*/true);
    else if (op->getNumOperands() == 0 ||
             llvm::none_of(op->getOperands(), [&](Value v) { return last.contains(v); }))
      return;
    else if (op->hasAttr("data_format"))
      done = rewriteFormatted(op, /*start=*/false);
    else if (op->hasTrait<pd::ElementwiseTrait>())
      done = rewriteElementwise(op);
    else if (auto concat = dyn_cast<pd::ConcatOp>(op))
      done = rewriteConcat(concat);
    else
      done = rewriteReduction(op);
    if (done)
      ++numRewritten;
  }

  /// The channels-last version of a value, transposed if there is none yet.
  Value lastOf(Value value, OpBuilder &builder) {
    Value &version = last[value];
    if (!version) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointAfterValue(value);
      version = pd::TransposeOp::create(builder, value.getLoc(), value, toLast);
      ++numTransposes;
    }
    return version;
  }

  /// Replaces a result by its channels-last version; a transpose back serves the users that stay (and dies
  /// without them).
  void replace(Value result, Value version, OpBuilder &builder) {
    auto back = pd::TransposeOp::create(builder, result.getLoc(), version, toFirst);
    result.replaceAllUsesWith(back.getOut());
    last[back.getOut()] = version;
  }

  /// Ops that say by `data_format` where the channels are.
  bool rewriteFormatted(Operation *op, bool start) {
    auto format = op->getAttrOfType<pd::DataFormatAttr>("data_format");
    // The parameter of an elementwise prelu lies as its input does; unpool knows channels first only.
    auto prelu = dyn_cast<pd::PreluOp>(op);
    if (!format || format.getValue() != pd::DataFormat::NCHW ||
        (prelu && prelu.getMode() == pd::PreluMode::Element) || isa<pd::UnpoolOp>(op))
      return false;
    OperandRange images = op->getOperands().take_front(op->hasTrait<pd::SecondIsImage>() ? 2 : 1);
    bool areGood = llvm::all_of(
        images, [](Value image) { return isImage(image) && pd::tensorType(image).getElementType().isF32(); });
    if (!areGood || (!start && llvm::none_of(images, [&](Value image) { return last.contains(image); })))
      return false;
    OpBuilder builder(op);
    Operation *made = builder.clone(*op);
    for (auto [i, image] : llvm::enumerate(images))
      made->setOperand(i, lastOf(image, builder));
    made->setAttr("data_format", pd::DataFormatAttr::get(op->getContext(), pd::DataFormat::NHWC));
    builder.setInsertionPointAfter(made);
    for (auto [old, fresh] : llvm::zip(op->getResults(), made->getResults())) {
      if (!isImage(old) || op->hasTrait<pd::ResultIsNoImage>()) {
        old.replaceAllUsesWith(fresh);
        continue;
      }
      fresh.setType(permuted(pd::tensorType(old)));
      replace(old, fresh, builder);
    }
    op->erase();
    return true;
  }

  /// An operand that broadcasts to an image, in channels-last order: null where it can't be.
  Value follow(Value operand, OpBuilder &builder) {
    auto type = pd::tensorType(operand);
    if (last.contains(operand))
      return last[operand];
    if (!type.hasStaticShape())
      return type.getRank() == 4 ? lastOf(operand, builder) : Value();
    if (type.getNumElements() == 1)
      return type.getRank() <= 1 ? operand : Value(reshaped(operand, {1}, builder));
    // [C, 1, 1] and [1, C, 1, 1]: one number a channel.
    ArrayRef<int64_t> shape = type.getShape();
    bool perChannel = shape.size() >= 3 && shape[shape.size() - 3] == type.getNumElements();
    if (perChannel)
      return reshaped(operand, {-1}, builder);
    return type.getRank() == 4 ? lastOf(operand, builder) : Value();
  }

  static Value reshaped(Value value, ArrayRef<int64_t> shape, OpBuilder &builder) {
    return pd::ReshapeOp::create(builder, value.getLoc(), value, Value(),
                                 builder.getDenseI64ArrayAttr(shape));
  }

  bool rewriteElementwise(Operation *op) {
    if (op->getNumResults() != 1 || !isImage(op->getResult(0)))
      return false;
    OpBuilder builder(op);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(follow(operand, builder));
      if (!operands.back())
        return false;
    }
    Operation *made = builder.clone(*op);
    made->setOperands(operands);
    made->getResult(0).setType(permuted(pd::tensorType(op->getResult(0))));
    replace(op->getResult(0), made->getResult(0), builder);
    op->erase();
    return true;
  }

  bool rewriteConcat(pd::ConcatOp op) {
    bool all = llvm::all_of(op.getX(), [&](Value v) { return isImage(v) && last.contains(v); });
    if (!all || op.getAxisTensor())
      return false;
    OpBuilder builder(op);
    auto made = cast<pd::ConcatOp>(builder.clone(*op));
    for (auto [i, operand] : llvm::enumerate(op.getX()))
      made->setOperand(i, last[operand]);
    int64_t axis = static_cast<int64_t>(op.getAxis());
    made.setAxis(placeInLast[axis < 0 ? axis + 4 : axis]);
    made.getOut().setType(permuted(pd::tensorType(op.getOut())));
    replace(op.getOut(), made.getOut(), builder);
    op->erase();
    return true;
  }

  /// Reductions; without kept dimensions those whose result has the same dimensions in the same order.
  bool rewriteReduction(Operation *op) {
    auto axes = op->getAttrOfType<DenseI64ArrayAttr>("axis");
    auto keepdim = op->getAttrOfType<BoolAttr>("keepdim");
    bool isReduction = isa<pd::ReductionOpInterface, pd::MeanOp>(op);
    if (!isReduction || !axes || !keepdim || !isImage(op->getOperand(0)))
      return false;
    SmallVector<int64_t> reduced = pd::reducedAxes(axes.asArrayRef(), 4), moved;
    auto stays = [&](int64_t axis) { return !llvm::is_contained(reduced, axis); };
    if (!keepdim.getValue() && stays(1) && (stays(2) || stays(3)))
      return false;
    for (int64_t axis : reduced)
      moved.push_back(placeInLast[axis]);
    llvm::sort(moved);
    OpBuilder builder(op);
    Operation *made = builder.clone(*op);
    made->setOperand(0, last[op->getOperand(0)]);
    made->setAttr("axis", builder.getDenseI64ArrayAttr(moved));
    if (keepdim.getValue()) {
      made->getResult(0).setType(permuted(pd::tensorType(op->getResult(0))));
      replace(op->getResult(0), made->getResult(0), builder);
    } else {
      op->getResult(0).replaceAllUsesWith(made->getResult(0));
    }
    op->erase();
    return true;
  }

  /// By value in the old order, the same with channels last.
  llvm::DenseMap<Value, Value> last;
};

} // namespace
} // namespace proa
