#include "passes/pipeline/MicroBatchLoop.h"

#include "dialects/pd/autodiff/Seeds.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace proa {
namespace {

std::optional<int64_t> integerOf(Value value) {
  auto constant = value.getDefiningOp<pd::ConstantOp>();
  auto elements = constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue()) : DenseIntElementsAttr();
  if (!elements || elements.getNumElements() != 1)
    return std::nullopt;
  return (*elements.begin()).getSExtValue();
}

/// Ops of the block that depend on one of the values, in program order.
llvm::SetVector<Operation *> dependentOps(Block &block, llvm::DenseSet<Value> reached) {
  llvm::SetVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    if (llvm::any_of(valuesReadBy(&op), [&](Value value) { return reached.contains(value); })) {
      ops.insert(&op);
      reached.insert(op.result_begin(), op.result_end());
    }
  return ops;
}

class LoopReader {
public:
  LoopReader(scf::WhileOp loop, ArrayRef<Operation *> seeds) {
    found.loop = loop;
    found.seeds.assign(seeds.begin(), seeds.end());
    llvm::DenseSet<Value> cotangents;
    for (Operation *seed : seeds)
      cotangents.insert(seed->getResult(0));
    found.dependent.insert_range(dependentOps(found.body(), std::move(cotangents)));
    for (Operation *seed : seeds)
      if (seed->getBlock() == &found.body())
        found.dependent.insert(seed);
  }

  bool hasGradients() const { return !found.dependent.empty(); }

  FailureOr<MicroBatchLoop> run() {
    if (failed(readTripCount()) || failed(readSums()))
      return failure();
    return std::move(found);
  }

private:
  /// The condition is that an index, from 0 in steps of 1, is less than a constant.
  LogicalResult readTripCount() {
    auto fail = [&] {
      return found.loop.emitError(
          "the number of micro-batches is not constant: expected a loop as pd-accumulate "
          "writes it");
    };
    scf::ConditionOp condition = found.loop.getConditionOp();
    if (!llvm::equal(condition.getArgs(), found.loop.getBeforeArguments()))
      return fail();
    auto element = condition.getCondition().getDefiningOp<tensor::ExtractOp>();
    Value tensor = element ? element.getTensor() : Value();
    if (auto reshape = tensor ? tensor.getDefiningOp<pd::ReshapeOp>() : pd::ReshapeOp())
      tensor = reshape.getX();
    auto comparison = tensor ? tensor.getDefiningOp<pd::LessThanOp>() : pd::LessThanOp();
    auto index = comparison ? dyn_cast<BlockArgument>(comparison.getX()) : BlockArgument();
    std::optional<int64_t> count = comparison ? integerOf(comparison.getY()) : std::nullopt;
    if (!index || !count || *count < 1 || integerOf(found.loop.getInits()[index.getArgNumber()]) != 0)
      return fail();
    found.index = index.getArgNumber();
    found.count = *count;
    auto next = found.loop.getYieldOp().getOperand(found.index).getDefiningOp<pd::AddOp>();
    if (!next || next.getX() != found.indexArgument() || integerOf(next.getY()) != 1)
      return fail();
    found.nextIndex = next;
    return success();
  }

  LogicalResult readSums() {
    llvm::DenseMap<Operation *, unsigned> sumOf;
    for (BlockArgument carried : found.body().getArguments()) {
      if (carried == found.indexArgument())
        continue;
      MicroBatchSum sum{carried.getArgNumber(), dependentOps(found.body(), {carried}), Value()};
      Value next = found.loop.getYieldOp().getOperand(sum.index);
      auto isOfSum = [&](Operation *op) { return sum.ops.contains(op); };
      bool isSum = sum.ops.contains(next.getDefiningOp());
      for (Operation *op : sum.ops) {
        isSum &= sumOf.try_emplace(op, sum.index).second;
        for (OpOperand &use : op->getUses())
          isSum &=
              isOfSum(use.getOwner()) || (use.get() == next && use.getOwner() == found.loop.getYieldOp() &&
                                          use.getOperandNumber() == sum.index);
      }
      if (!isSum)
        return found.loop.emitError()
               << "value " << sum.index
               << " that the loop over micro-batches carries is not a sum over them: the stages of "
                  "a pipeline compute micro-batches in another order";
      if (auto add = dyn_cast<pd::AddOp>(sum.ops.front()); add && sum.ops.size() == 1)
        sum.addend = add.getX() == carried ? add.getY() : add.getX();
      found.sums.push_back(std::move(sum));
    }
    return success();
  }

  MicroBatchLoop found;
};

} // namespace

llvm::SetVector<Value> valuesReadBy(Operation *op) {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return values;
}

FailureOr<MicroBatchLoop> findMicroBatchLoop(func::FuncOp function) {
  SmallVector<Operation *> seeds;
  function.walk([&](pd::OptimizationBarrierOp op) {
    if (pd::isSeed(op))
      seeds.push_back(op);
  });
  std::optional<LoopReader> reader;
  for (auto loop : function.getBody().front().getOps<scf::WhileOp>())
    if (LoopReader next(loop, seeds); next.hasGradients()) {
      if (reader)
        return loop.emitError("is a second loop over micro-batches; expected one");
      reader.emplace(std::move(next));
    }
  if (!reader)
    return function.emitError(
        "has no loop over micro-batches with gradients: a pipeline divides the step of a "
        "training program");
  return reader->run();
}

} // namespace proa
