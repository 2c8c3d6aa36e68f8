//! Gradient accumulation: gradients of a batch as means over its micro-batches.
#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/Guarded.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/InferredTypes.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/nn/NormOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "passes/autodiff/BackwardRegion.h"
#include "passes/autodiff/NewFunction.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace proa::autodiff {
namespace {

/// Converts the ops of a block that depend on the batch to a loop over micro-batches.
class Accumulation {
public:
  Accumulation(Block &block, ArrayRef<Value> batches, int64_t count)
      : block(block), batches(batches), count(count) {}

  LogicalResult run() {
    findRegions();
    if (failed(check()))
      return failure();
    moveReaders();
    return writeLoop();
  }

private:
  void findRegions() {
    ofBatch = dependentOps(block, batches);
    auto backward = findBackwardRegion(block);
    SmallVector<Value> gradients;
    llvm::copy_if(backward.gradients, std::back_inserter(gradients),
                  [&](Value value) { return ofBatch.contains(value.getDefiningOp()); });
    // Ops of the backward region that read a gradient belong to the loop too.
    auto behind = dependentOps(block, gradients);
    for (Operation *op : neededOps(block, gradients))
      behind.remove(op);
    readers = behind;
    for (Operation *op : readers)
      ofBatch.remove(op);
    for (Operation *op : ofBatch)
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !ofBatch.contains(block.findAncestorOpInBlock(*user));
            }))
          means.push_back(result);
  }

  /// Whether a value in the block, or in a region of it, depends on elements of the batch.
  bool isOfBatch(Value value) const {
    if (llvm::is_contained(batches, value))
      return true;
    if (Operation *op = value.getDefiningOp()) {
      if (op->getBlock() == &block)
        return ofBatch.contains(op);
      // Of an op with regions every value that it may read counts.
      return op->getNumRegions() > 0 ||
             llvm::any_of(op->getOperands(), [this](Value operand) { return isOfBatch(operand); });
    }
    auto argument = cast<BlockArgument>(value);
    Operation *parent = argument.getOwner()->getParentOp();
    if (argument.getOwner() == &block)
      return false;
    if (auto gradient = dyn_cast<pd::VjpOp>(parent))
      return isOfBatch(gradient.getInputs()[argument.getArgNumber()]);
    return ofBatch.contains(block.findAncestorOpInBlock(*parent));
  }

  /// Refuses branches that one micro-batch may take and another one not, or the batch not.
  LogicalResult checkBranches(Operation *op) {
    WalkResult walked = op->walk([&](scf::IfOp branch) {
      if (!isOfBatch(branch.getCondition()))
        return WalkResult::advance();
      branch.emitError()
          << "cannot be computed on micro-batches: its condition depends on the batch, so that "
             "micro-batches may take other branches than the batch";
      return WalkResult::interrupt();
    });
    return failure(walked.wasInterrupted());
  }

  LogicalResult check() {
    bool isDivided = count > 1;
    for (Operation *op : ofBatch)
      if (isDivided && failed(checkBranches(op)))
        return failure();
    for (Operation *op : ofBatch)
      if (WalkResult walked = op->walk([&](pd::BatchNormOp norm) {
            if (!isDivided || norm.getUseGlobalStats() ||
                (norm.getIsTest() && !norm.getTrainableStatistics()))
              return WalkResult::advance();
            norm.emitError()
                << "cannot be computed on micro-batches: batch normalization in training mode takes its "
                   "statistics from the whole batch";
            return WalkResult::interrupt();
          });
          walked.wasInterrupted())
        return failure();
    for (Value value : means) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type || !type.hasStaticShape() || !isa<FloatType, ComplexType>(type.getElementType()))
        return mlir::emitError(value.getLoc()) << "a value of type " << value.getType()
                                               << " that depends on the batch is used after the gradients: "
                                                  "expected floats with static dims, which are "
                                                  "a mean over the batch";
    }
    return success();
  }

  /// Moves the readers after the last op of the loop.
  void moveReaders() {
    Operation *last = ofBatch.empty() ? &block.front() : ofBatch.back();
    for (Operation *op : readers) {
      if (op->isBeforeInBlock(last)) {
        op->moveAfter(last);
      }
      if (last->isBeforeInBlock(op))
        last = op;
    }
  }

  LogicalResult writeLoop() {
    if (means.empty())
      return success();
    Operation *end = ofBatch.back();
    OpBuilder builder(end->getContext());
    builder.setInsertionPointAfter(end);
    Location location = end->getLoc();
    TensorBuilder e(builder, end);
    SmallVector<Value> microBatches, inits;
    for (Value batch : batches) {
      auto divided = dividedBatch(e, batch);
      if (failed(divided))
        return failure();
      microBatches.push_back(*divided);
    }
    for (Value value : means)
      inits.push_back(pd::zerosLike(builder, location, value));
    bool fits = true;
    auto sums = pd::countedLoop(builder, location, pd::oneInt(builder, location, count), inits,
                                [&](OpBuilder &inside, Value index, ValueRange carried) {
                                  SmallVector<Value> next(carried);
                                  fits = succeeded(writeBody(inside, microBatches, index, next));
                                  return next;
                                });
    if (!fits)
      return failure();
    for (auto [value, sum] : llvm::zip(means, sums)) {
      TensorBuilder mean(builder, end);
      Value result = mean.wrap(sum) / static_cast<double>(count);
      value.replaceUsesWithIf(result, [&](OpOperand &use) {
        return !ofBatch.contains(block.findAncestorOpInBlock(*use.getOwner()));
      });
    }
    for (Operation *op : llvm::reverse(ofBatch.getArrayRef()))
      op->erase();
    return success();
  }

  /// The batch reshaped to [batch / count, count, ...]: example i is in micro-batch i modulo count. So each
  /// device of data parallelism, which has adjacent examples, has the same shard of each micro-batch.
  FailureOr<Value> dividedBatch(pd::TensorBuilder &e, Value batch) {
    auto type = pd::tensorType(batch);
    if (type.getRank() == 0)
      return mlir::emitError(batch.getLoc()) << "an argument of rank 0 cannot be divided into micro-batches";
    int64_t size = type.getDimSize(0);
    if (!ShapedType::isDynamic(size) && size % count != 0)
      return mlir::emitError(batch.getLoc()) << "a batch of " << size << " examples cannot be divided into "
                                             << count << " equal micro-batches";
    SmallVector<pd::DimSize> shape = pd::dimSizesOf(e.wrap(batch));
    shape[0] = pd::divide(e, shape[0], count);
    shape.insert(shape.begin() + 1, pd::DimSize(count));
    return Value(pd::reshapeTo(e.wrap(batch), shape));
  }

  LogicalResult writeBody(OpBuilder &inside, ArrayRef<Value> microBatches, Value index,
                          SmallVector<Value> &sums) {
    IRMapping mapping;
    for (auto [batch, own] : llvm::zip(batches, microBatches)) {
      Value slice =
          pd::GatherOp::create(inside, batch.getLoc(), own, index, Value(), inside.getI64IntegerAttr(1));
      pd::TensorBuilder e(inside, slice.getDefiningOp());
      mapping.map(batch, pd::dropDim(e.wrap(slice), 1));
    }
    for (Operation *op : ofBatch) {
      Operation *copy = inside.clone(*op, mapping);
      if (failed(inferAgain(copy)))
        return failure();
    }
    for (auto [value, sum] : llvm::zip(means, sums)) {
      Value again = mapping.lookup(value);
      if (again.getType() != value.getType())
        return mlir::emitError(value.getLoc())
               << "depends on the number of examples: has type " << value.getType() << " for the batch and "
               << again.getType() << " for a micro-batch";
      sum = pd::AddOp::create(inside, value.getLoc(), sum, again);
    }
    return success();
  }

  /// Checks an op whose results have given types, also against the symbols that it uses.
  static LogicalResult verifyTypes(Operation *op) {
    SymbolTableCollection symbols;
    auto user = dyn_cast<SymbolUserOpInterface>(op);
    return success(succeeded(mlir::verify(op)) && (!user || succeeded(user.verifySymbolUses(symbols))));
  }

  /// Infers the result types of a clone whose operands have fewer examples.
  static LogicalResult inferAgain(Operation *op) {
    if (auto gradient = dyn_cast<pd::VjpOp>(op))
      return inferGradient(gradient);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return inferBranch(branch);
    if (isa<CallOpInterface>(op))
      return op->emitError("calls cannot be computed on micro-batches; inline them first");
    // The types of other ops may depend on their operands' types. Types inside of regions are not inferred.
    bool hasInference = isa<InferTypeOpInterface>(op);
    bool isValid = op->getNumRegions() == 0 &&
                   succeeded(hasInference ? pd::inferAgain(op, op->getLoc()) : verifyTypes(op));
    if (!isValid)
      return op->emitError() << "'" << op->getName().getStringRef()
                             << "' cannot be computed on micro-batches";
    return success();
  }

  static LogicalResult inferBranch(scf::IfOp op) {
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        if (!inner.hasTrait<OpTrait::IsTerminator>() && failed(inferAgain(&inner)))
          return failure();
    if (op.getNumResults() == 0)
      return success();
    if (op.thenYield().getOperandTypes() != op.elseYield().getOperandTypes())
      return op->emitError()
             << "'scf.if' cannot be computed on micro-batches: its regions would yield values of "
                "different types";
    for (auto [result, yielded] : llvm::zip(op.getResults(), op.thenYield().getOperands()))
      result.setType(yielded.getType());
    return success();
  }

  static LogicalResult inferGradient(pd::VjpOp op) {
    Block &body = op.getBody().front();
    for (auto [argument, input] : llvm::zip(body.getArguments(), op.getInputs()))
      argument.setType(input.getType());
    for (Operation &inner : body.without_terminator())
      if (failed(inferAgain(&inner)))
        return failure();
    for (auto [result, input] : llvm::zip(op.getResults(), op.getInputs()))
      result.setType(input.getType());
    return success();
  }

  using TensorBuilder = pd::TensorBuilder;
  Block &block;
  ArrayRef<Value> batches;
  int64_t count;
  llvm::SetVector<Operation *> ofBatch, readers;
  SmallVector<Value> means; ///< values of the loop that ops after it read
};

/// The arguments with these indices, or all feeds.
FailureOr<SmallVector<Value>> batchesOf(Function function, Block &block, Numbers indices) {
  SmallVector<Value> values;
  for (int64_t index : indices) {
    if (index < 0 || index >= function.getNumArguments())
      return emitError(function.getLoc())
             << "argument " << index << " is asked for, the function has " << function.getNumArguments();
    values.push_back(block.getArgument(static_cast<unsigned>(index)));
  }
  if (indices.empty())
    for (BlockArgument argument : block.getArguments())
      if (function.getArgAttr(argument.getArgNumber(), pd::feedAttribute))
        values.push_back(argument);
  if (values.empty())
    return emitError(function.getLoc()) << "no argument is a batch: expected feeds, or their numbers";
  for (BlockArgument argument : block.getArguments())
    if (auto owner = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), pd::lodOwnerAttribute))
      return emitError(function.getLoc()) << "feed '" << owner.getValue()
                                          << "' cannot be divided into micro-batches: its rows are sequences "
                                             "(LoD), not examples";
  for (Value value : values)
    if (!isa<RankedTensorType>(value.getType()))
      return emitError(function.getLoc())
             << "an argument of type " << value.getType() << " cannot be divided into micro-batches";
  return values;
}

LogicalResult accumulateIn(Function function, Block &block, int64_t count, Numbers batches) {
  if (count < 1)
    return emitError(function.getLoc()) << "the number of micro-batches must be above 0, found " << count;
  auto values = batchesOf(function, block, batches);
  if (failed(values))
    return failure();
  FailureOr<bool> done = pd::guarded([&]() -> FailureOr<bool> {
    if (failed(Accumulation(block, *values, count).run()))
      return failure();
    return true;
  });
  return success(succeeded(done));
}

} // namespace

FailureOr<Function> accumulate(Function function, StringRef name, int64_t count, Numbers batches) {
  NewFunction created(function, name);
  if (failed(created.check()) || failed(accumulateIn(function, created.block(), count, batches)))
    return failure();
  for (auto [i, value] : llvm::enumerate(created.returned()))
    created.returnOriginal(static_cast<int64_t>(i), value);
  return created.finish();
}

LogicalResult accumulateGradients(NewFunction &created, Value loss, Value cotangent, int64_t count,
                                  Numbers batches, SmallVector<Value> &gradients) {
  // The gradient of the whole body is one pd.vjp, as in an imported training program; the loop computes it
  // for each micro-batch.
  Block &block = created.block();
  OpBuilder builder(block.getTerminator());
  SmallVector<Value> inputs = created.inputs();
  auto gradient = pd::VjpOp::create(builder, loss.getLoc(), inputs, ValueRange(), cotangent,
                                    builder.getDenseI64ArrayAttr({}), builder.getDenseI64ArrayAttr({0}));
  Block *body = builder.createBlock(&gradient.getBody());
  IRMapping mapping;
  for (Value input : inputs)
    mapping.map(input, body->addArgument(input.getType(), input.getLoc()));
  for (Operation &op : block.without_terminator())
    if (&op != gradient)
      builder.clone(op, mapping);
  pd::YieldOp::create(builder, loss.getLoc(), mapping.lookupOrDefault(loss));
  // The function returns the gradients, so that they become results of the loop.
  unsigned first = block.getTerminator()->getNumOperands();
  block.getTerminator()->insertOperands(first, gradient.getResults());
  if (failed(accumulateIn(created.function, block, count, batches)))
    return failure();
  gradients.assign(block.getTerminator()->operand_begin() + first, block.getTerminator()->operand_end());
  return success();
}

} // namespace proa::autodiff
