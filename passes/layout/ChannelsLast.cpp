//! pd-channels-last: computes a second version of images, with channels last, forward from convolutions.
#include "passes/layout/Passes.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Layout.h"
#include "dialects/pd/ops/reduce/Reduce.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/rt/Fusable.h"
#include "dialects/rt/Rt.h"
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
/// The dimension of NHWC that dimension i of NCHW is.
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
    // The images of contractions that the runtime fuses are converted: convolutions over two dimensions.
    bool isStart = isa<rt::FusableOpInterface>(op) && isa<pd::LayoutOpInterface>(op);
    bool readsImage = llvm::any_of(op->getOperands(), [&](Value v) { return last.contains(v); });
    if (!isStart && (!readsImage || op->hasTrait<OpTrait::IsTerminator>()))
      return;
    StringRef name = op->getName().getStringRef();
    Location location = op->getLoc();
    const char *reason = rewrite(op, isStart);
    auto options = mlir::remark::RemarkOpts::name(name).category(getArgumentName());
    if (!reason)
      mlir::remark::passed(location, options) << name << " works with channels last";
    else
      mlir::remark::missed(location, options) << name << " keeps channels first: " << reason;
  }

  /// Replaces the op by one on images with channels last. Null, or the reason why the op stays.
  const char *rewrite(Operation *op, bool isStart) {
    if (auto layoutOp = dyn_cast<pd::LayoutOpInterface>(op))
      return rewriteLayoutOp(layoutOp, isStart);
    if (op->hasTrait<pd::ElementwiseTrait>())
      return rewriteElementwise(op);
    if (auto concat = dyn_cast<pd::ConcatOp>(op))
      return rewriteConcat(concat);
    return rewriteReduction(op);
  }

  /// The channels-last version of a value; a transpose if there is none yet.
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
  void replace(Value result, Value version, OpBuilder &builder) {
    auto back = pd::TransposeOp::create(builder, result.getLoc(), version, toFirst);
    result.replaceAllUsesWith(back.getOut());
    last[back.getOut()] = version;
  }

  const char *rewriteLayoutOp(pd::LayoutOpInterface op, bool isStart) {
    if (op.getImageLayout() != pd::ImageLayout::ChannelsFirst)
      return "its data_format is not channels first";
    if (!op.supportsImageLayout(pd::ImageLayout::ChannelsLast))
      return "it supports channels first only with these attributes";
    OperandRange images = op->getOperands().take_front(op.getNumImageOperands());
    if (!llvm::all_of(images, isImage))
      return "its operand does not have four dimensions";
    if (!llvm::all_of(images, [](Value image) { return pd::tensorType(image).getElementType().isF32(); }))
      return "its operand is not in f32";
    if (!isStart && llvm::none_of(images, [&](Value image) { return last.contains(image); }))
      return "none of its images has channels last";
    OpBuilder builder(op);
    Operation *rewritten = builder.clone(*op);
    for (auto [i, image] : llvm::enumerate(images))
      rewritten->setOperand(i, lastOf(image, builder));
    cast<pd::LayoutOpInterface>(rewritten).setImageLayout(pd::ImageLayout::ChannelsLast);
    builder.setInsertionPointAfter(rewritten);
    for (auto [before, after] : llvm::zip(op->getResults(), rewritten->getResults())) {
      if (!isImage(before) || !op.hasImageResults()) {
        before.replaceAllUsesWith(after);
        continue;
      }
      after.setType(permuted(pd::tensorType(before)));
      replace(before, after, builder);
    }
    op->erase();
    return nullptr;
  }

  /// An operand that broadcasts to an image, in channels-last order; null if no order fits.
  Value follow(Value operand, OpBuilder &builder) {
    auto type = pd::tensorType(operand);
    if (last.contains(operand))
      return last[operand];
    if (!type.hasStaticShape())
      return type.getRank() == 4 ? lastOf(operand, builder) : Value();
    if (type.getNumElements() == 1)
      return type.getRank() <= 1 ? operand : Value(reshaped(operand, {1}, builder));
    // [C, 1, 1] and [1, C, 1, 1]: one element for each channel.
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

  const char *rewriteElementwise(Operation *op) {
    if (op->getNumResults() != 1 || !isImage(op->getResult(0)))
      return "its result does not have four dimensions";
    OpBuilder builder(op);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(follow(operand, builder));
      if (!operands.back())
        return "an operand with fewer dimensions has dynamic dims or is neither a scalar nor one value for "
               "each channel";
    }
    Operation *rewritten = builder.clone(*op);
    rewritten->setOperands(operands);
    rewritten->getResult(0).setType(permuted(pd::tensorType(op->getResult(0))));
    replace(op->getResult(0), rewritten->getResult(0), builder);
    op->erase();
    return nullptr;
  }

  const char *rewriteConcat(pd::ConcatOp op) {
    if (!llvm::all_of(op.getX(), [&](Value v) { return isImage(v) && last.contains(v); }))
      return "not all of its operands have channels last";
    if (op.getAxisTensor())
      return "its axis is a tensor";
    OpBuilder builder(op);
    auto rewritten = cast<pd::ConcatOp>(builder.clone(*op));
    for (auto [i, operand] : llvm::enumerate(op.getX()))
      rewritten->setOperand(i, last[operand]);
    int64_t axis = static_cast<int64_t>(op.getAxis());
    rewritten.setAxis(placeInLast[axis < 0 ? axis + 4 : axis]);
    rewritten.getOut().setType(permuted(pd::tensorType(op.getOut())));
    replace(op.getOut(), rewritten.getOut(), builder);
    op->erase();
    return nullptr;
  }

  /// Reductions; without kept dimensions those whose result has the same dimensions in the same order.
  const char *rewriteReduction(Operation *op) {
    auto axes = op->getAttrOfType<DenseI64ArrayAttr>("axis");
    auto keepdim = op->getAttrOfType<BoolAttr>("keepdim");
    bool isReduction = isa<pd::ReductionOpInterface, pd::MeanOp>(op);
    if (!isReduction || !axes || !keepdim || !isImage(op->getOperand(0)))
      return "it has no form with channels last";
    SmallVector<int64_t> reduced = pd::reducedAxes(axes.asArrayRef(), 4), moved;
    auto stays = [&](int64_t axis) { return !llvm::is_contained(reduced, axis); };
    if (!keepdim.getValue() && stays(1) && (stays(2) || stays(3)))
      return "its result would have other dimensions than before";
    for (int64_t axis : reduced)
      moved.push_back(placeInLast[axis]);
    llvm::sort(moved);
    OpBuilder builder(op);
    Operation *rewritten = builder.clone(*op);
    rewritten->setOperand(0, last[op->getOperand(0)]);
    rewritten->setAttr("axis", builder.getDenseI64ArrayAttr(moved));
    if (keepdim.getValue()) {
      rewritten->getResult(0).setType(permuted(pd::tensorType(op->getResult(0))));
      replace(op->getResult(0), rewritten->getResult(0), builder);
    } else {
      op->getResult(0).replaceAllUsesWith(rewritten->getResult(0));
    }
    op->erase();
    return nullptr;
  }

  /// The version with channels last of a value with channels first.
  llvm::DenseMap<Value, Value> last;
};

} // namespace
} // namespace proa
