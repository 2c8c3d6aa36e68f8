//! Regions of pd.checkpoint, whose values a gradient recomputes, by the names of values.
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/ReplaceResult.h"
#include "dialects/pd/ir/ResultNames.h"
#include "dialects/pd/ops/autodiff/RecomputeOps.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "passes/autodiff/NewFunction.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace proa::autodiff {
namespace {

StringRef nameOf(Operation *op) { return pd::resultName(op->getLoc()); }

class Segments {
public:
  Segments(Block &block, ArrayRef<std::string> positions) : block(block), takesAll(positions.empty()) {
    for (const std::string &position : positions)
      missing.insert(position);
  }

  LogicalResult wrap() {
    if (failed(decomposeEffects()))
      return failure();
    // A decomposition creates several ops with one name: the last one ends the segment.
    llvm::StringMap<Operation *> last;
    for (Operation &op : block)
      if (missing.contains(nameOf(&op)))
        last[nameOf(&op)] = &op;
    SmallVector<Operation *> ops;
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
      if (op.hasTrait<OpTrait::ConstantLike>())
        continue;
      if (!pd::CheckpointOp::findEffect(&op))
        ops.push_back(&op);
      else if (!moveBefore(ops, &op) && failed(wrapOps(std::exchange(ops, {}))))
        return failure();
      if (last.lookup(nameOf(&op)) != &op || nameOf(&op).empty())
        continue;
      missing.erase(nameOf(&op));
      if (failed(wrapOps(std::exchange(ops, {}))))
        return failure();
    }
    if (!missing.empty())
      return block.getParentOp()->emitError()
             << "there is no op with the name '" << missing.begin()->getKey() << "'";
    return takesAll ? wrapOps(ops) : success();
  }

private:
  /// Decomposes composites with effects, e.g. those that sample random numbers: ops on the samples may be
  /// recomputed.
  LogicalResult decomposeEffects() {
    for (Operation *op = &block.front(); op != block.getTerminator();) {
      Operation *next = op->getNextNode();
      auto composite = dyn_cast<pd::DecomposableOpInterface>(op);
      if (composite && pd::CheckpointOp::findEffect(op)) {
        OpBuilder builder(op);
        FailureOr<Operation *> first = pd::replaceByDecomposition(builder, composite);
        if (failed(first))
          return failure();
        // The created ops may be composites with effects themselves.
        next = *first ? *first : next;
      }
      op = next;
    }
    return success();
  }

  /// Moves an op before the segment if it does not depend on it. Otherwise the segment ends before the op.
  static bool moveBefore(ArrayRef<Operation *> segment, Operation *op) {
    if (segment.empty())
      return true;
    llvm::SmallPtrSet<Operation *, 16> inside(segment.begin(), segment.end());
    llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    if (llvm::any_of(used, [&](Value value) { return inside.contains(value.getDefiningOp()); }))
      return false;
    for (Value value : used) {
      Operation *producer = value.getDefiningOp();
      bool isConstant = producer && producer->hasTrait<OpTrait::ConstantLike>();
      // Others that were moved before the segment may use a constant that is before it already.
      if (isConstant && segment.front()->isBeforeInBlock(producer))
        producer->moveBefore(segment.front());
    }
    op->moveBefore(segment.front());
    return true;
  }

  LogicalResult wrapOps(ArrayRef<Operation *> ops) {
    if (ops.size() < 2)
      return success();
    llvm::SmallPtrSet<Operation *, 16> inside(ops.begin(), ops.end());
    llvm::SetVector<Value> inputs, outputs;
    SmallVector<Operation *> constants;
    for (Operation *op : ops) {
      llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
      getUsedValuesDefinedAbove(op->getRegions(), used);
      for (Value value : used) {
        Operation *producer = value.getDefiningOp();
        if (producer && producer->hasTrait<OpTrait::ConstantLike>())
          constants.push_back(producer);
        else if (!producer || !inside.contains(producer))
          inputs.insert(value);
      }
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !inside.contains(block.findAncestorOpInBlock(*user));
            }))
          outputs.insert(result);
    }
    for (Value value : llvm::concat<const Value>(inputs.getArrayRef(), outputs.getArrayRef()))
      if (auto tensor = dyn_cast<RankedTensorType>(value.getType());
          !tensor || !pd::dtypeOf(tensor.getElementType()))
        return mlir::emitError(value.getLoc())
               << "cannot be computed in a checkpoint, which would be passed a value of type "
               << value.getType() << ", expected a tensor with an element type of the dialect";
    make(ops, inputs.getArrayRef(), outputs.getArrayRef(), constants);
    return success();
  }

  static void make(ArrayRef<Operation *> ops, ArrayRef<Value> inputs, ArrayRef<Value> outputs,
                   ArrayRef<Operation *> constants) {
    OpBuilder builder(ops.back());
    builder.setInsertionPointAfter(ops.back());
    auto region =
        pd::CheckpointOp::create(builder, ops.back()->getLoc(), ValueRange(outputs).getTypes(), inputs);
    Block *body = builder.createBlock(&region.getBody());
    IRMapping mapping;
    for (Value input : inputs)
      mapping.map(input, body->addArgument(input.getType(), input.getLoc()));
    for (Operation *constant : llvm::SetVector<Operation *>(constants.begin(), constants.end()))
      builder.clone(*constant, mapping);
    for (Operation *op : ops)
      builder.clone(*op, mapping);
    pd::YieldOp::create(builder, region.getLoc(),
                        llvm::map_to_vector(outputs, [&](Value value) { return mapping.lookup(value); }));
    for (auto [output, result] : llvm::zip(outputs, region.getResults()))
      Value(output).replaceAllUsesWith(result); // ops in the region use the clones
    for (Operation *op : llvm::reverse(ops))
      op->erase();
  }

  Block &block;
  bool takesAll;
  llvm::StringSet<> missing; ///< names not found so far
};

} // namespace

FailureOr<Function> checkpoint(Function function, StringRef name, ArrayRef<std::string> positions) {
  NewFunction created(function, name);
  if (failed(created.check()))
    return failure();
  if (failed(Segments(created.block(), positions).wrap()))
    return failure();
  for (auto [i, value] : llvm::enumerate(created.returned()))
    created.returnOriginal(static_cast<int64_t>(i), value);
  return created.finish();
}

} // namespace proa::autodiff
