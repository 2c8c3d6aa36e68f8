#include "dialects/pd/autodiff/ArrayGradient.h"
#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/autodiff/Broadcasting.h"
#include "dialects/pd/autodiff/ControlFlow.h"
#include "dialects/pd/autodiff/DeferredVjp.h"
#include "dialects/pd/autodiff/ForLoop.h"
#include "dialects/pd/autodiff/ForwardMode.h"
#include "dialects/pd/autodiff/KeepsDerivative.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/ReplaceResult.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVectorExtras.h"

#include <thread>

using namespace mlir;

namespace proa::pd {

bool isDifferentiable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<FloatType, ComplexType>(tensor.getElementType());
}

bool isIntegerTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isInteger() && !tensor.getElementType().isInteger(1);
}

Value zerosLike(OpBuilder &builder, Location location, Value like) {
  auto type = tensorType(like);
  if (!type.hasStaticShape())
    return FullLikeOp::create(builder, location, like, Value(), builder.getF64FloatAttr(0), TypeAttr());
  return FullOp::create(builder, location, Value(), Value(), builder.getDenseI64ArrayAttr(type.getShape()),
                        TypeAttr::get(type.getElementType()), builder.getF64FloatAttr(0), IntegerAttr());
}

namespace {

/// One reverse sweep over a block.
class ReverseMode {
public:
  /// `outputs`: the operands of the terminator that have cotangents.
  ReverseMode(Block &block, llvm::ArrayRef<Value> inputs, llvm::ArrayRef<int64_t> outputs, bool mayDefer)
      : builder(block.getTerminator()), block(block), outputs(outputs), mayDefer(mayDefer) {
    active.insert(inputs.begin(), inputs.end());
    isOnIntegers = llvm::any_of(inputs, [](Value input) { return isIntegerTensor(input.getType()); });
  }

  /// Adds a cotangent to a value. A value with several uses gets several cotangents.
  void accumulate(Value value, Value cotangent) {
    if (cotangent && isActive(value))
      pending[value].push_back(cotangent);
  }

  /// Finds the ops that depend on the inputs. Decomposes composites among them until each op has a rule.
  LogicalResult findActiveOps() {
    for (Operation *op = &block.front(); op != block.getTerminator();) {
      Operation *next = op->getNextNode();
      if (llvm::none_of(op->getOperands(), [&](Value v) { return isActive(v); }) &&
          op->getNumRegions() == 0) {
        op = next;
        continue;
      }
      if (op->hasTrait<KeepsDerivative>() && isDifferentiated(op->getResults().back()) &&
          succeeded(splitDerivative(op)))
        next = op->getNextNode();
      FailureOr<Operation *> first = decompose(op);
      if (failed(first))
        return failure();
      if (*first) {
        op = *first;
        continue;
      }
      // Float scalars extracted from tensors are active: an op that computes a tensor from one is an error.
      for (Value result : op->getResults())
        if (hasTangent(result.getType()) || isa<FloatType, ComplexType>(result.getType()) ||
            (isOnIntegers && isIntegerTensor(result.getType())))
          active.insert(result);
      ops.push_back(op);
      op = next;
    }
    return success();
  }

  /// Differentiates the active ops in reverse order. Reports all ops without a gradient.
  LogicalResult sweep() {
    Operation *current = nullptr;
    bool hasFailed = false;
    // Attaches the path from the loss to the op to all errors of rules.
    ScopedDiagnosticHandler handler(builder.getContext(),
                                    [&, thread = std::this_thread::get_id()](mlir::Diagnostic &diagnostic) {
                                      if (current && diagnostic.getSeverity() == DiagnosticSeverity::Error &&
                                          thread == std::this_thread::get_id()) {
                                        hasReported = true;
                                        notePath(diagnostic, current);
                                      }
                                      return failure(); // others may handle it too
                                    });
    for (Operation *op : llvm::reverse(ops)) {
      current = op;
      hasReported = false;
      llvm::SmallVector<Value> cotangents;
      for (Value result : op->getResults())
        cotangents.push_back(take(result));
      Operation *before = block.getTerminator()->getPrevNode();
      if (llvm::any_of(cotangents, [](Value v) { return v != nullptr; }))
        hasFailed |= failed(differentiate(op, cotangents)) ||
                     (op->getNumRegions() != 0 && failed(expandGradientsAfter(before)));
    }
    return failure(hasFailed);
  }

  /// The sum of the cotangents of a value; null for zero.
  Value take(Value value) {
    auto found = pending.find(value);
    if (found == pending.end())
      return {};
    Value sum = found->second.front();
    for (Value term : llvm::drop_begin(found->second))
      sum = isa<ArrayType>(value.getType()) ? sumOfArrays(builder, value.getLoc(), sum, term)
                                            : Value(AddOp::create(builder, value.getLoc(), sum, term));
    pending.erase(found);
    return sum;
  }

private:
  bool isActive(Value value) const { return active.contains(value); }

  /// Whether the value may have a cotangent: an op uses it, or it is an output.
  bool isDifferentiated(Value value) const {
    return llvm::any_of(value.getUses(), [&](OpOperand &use) {
      return use.getOwner() != block.getTerminator() || llvm::is_contained(outputs, use.getOperandNumber());
    });
  }

  /// Attaches notes at the ops on the path from the block's results to `op`, the last op first.
  void notePath(mlir::Diagnostic &diagnostic, Operation *op) const {
    llvm::DenseSet<Operation *> inSweep(ops.begin(), ops.end());
    llvm::DenseMap<Operation *, Operation *> cameFrom{{op, nullptr}};
    llvm::SmallVector<Operation *> queue{op};
    Operation *last = nullptr;
    for (size_t i = 0; i < queue.size() && !last; ++i)
      for (Operation *user : queue[i]->getUsers()) {
        if (user == block.getTerminator())
          last = queue[i];
        else if (inSweep.contains(user) && cameFrom.try_emplace(user, queue[i]).second)
          queue.push_back(user);
      }
    // An error in control flow is at a nested op, so the control flow op itself gets a note too.
    for (Operation *on = last; on && (on != op || op->getNumRegions() != 0); on = cameFrom.lookup(on))
      diagnostic.attachNote(on->getLoc())
          << "the gradient comes through '" << on->getName().getStringRef() << "'";
  }

  /// Replaces a composite without a rule by its decomposition and returns its first op; null if the op is not
  /// replaced. Failure after an error.
  FailureOr<Operation *> decompose(Operation *op) {
    auto composite = dyn_cast<DecomposableOpInterface>(op);
    if (!composite || isa<VjpOpInterface>(op) || isGradientOfLoop(op))
      return nullptr;
    OpBuilder local(op);
    return replaceByDecomposition(local, composite);
  }

  static bool isGradientOfLoop(Operation *op) {
    auto gradient = dyn_cast<VjpOp>(op);
    return gradient && isLoopGradient(gradient);
  }

  /// Decomposes the gradients of control flow bodies after `op`, so that their errors get the path too.
  LogicalResult expandGradientsAfter(Operation *op) {
    llvm::SmallVector<VjpOp> gradients;
    for (op = op->getNextNode(); op != block.getTerminator(); op = op->getNextNode())
      op->walk<WalkOrder::PreOrder>([&](VjpOp gradient) {
        // A pd.vjp directly in this block stays: its results may be pending cotangents.
        if (gradient->getBlock() != &block && !isLoopGradient(gradient))
          gradients.push_back(gradient);
        return WalkResult::skip();
      });
    bool hasFailed = false;
    for (VjpOp gradient : gradients) {
      OpBuilder local(gradient);
      ErrorWatch errors(builder.getContext());
      if (FailureOr<Operation *> first = replaceByDecomposition(local, gradient); failed(first) || !*first)
        hasFailed |= errors.hasSeen() || !hasDynamicDims(gradient);
    }
    return failure(hasFailed);
  }

  LogicalResult differentiateArrays(ArrayVjpOpInterface op, llvm::ArrayRef<Value> cotangents) {
    Value array = op->getOperand(0);
    auto gradients = op.vjpOnArrays(builder, cotangents, isActive(array) ? take(array) : Value());
    if (failed(gradients))
      return failure();
    for (auto [operand, gradient] : llvm::zip(op->getOperands(), *gradients))
      if (gradient && isActive(operand))
        accumulate(operand, widened(builder, op->getLoc(), gradient, operand.getType()));
    return success();
  }

  LogicalResult differentiate(Operation *op, llvm::ArrayRef<Value> cotangents) {
    auto isActive = [this](Value value) { return this->isActive(value); };
    auto accumulate = [this](Value value, Value gradient) { this->accumulate(value, gradient); };
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return differentiateBranch(builder, branch, cotangents, isActive, accumulate);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return differentiateLoop(builder, loop, cotangents, isActive, accumulate);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return differentiateFor(builder, loop, cotangents, isActive, accumulate);
    if (isGradientOfLoop(op))
      return differentiateLoopGradient(builder, cast<VjpOp>(op), cotangents, isActive, accumulate);
    if (auto onArrays = dyn_cast<ArrayVjpOpInterface>(op))
      return differentiateArrays(onArrays, cotangents);
    if (auto cast = dyn_cast<tensor::CastOp>(op)) { // only dims become static or dynamic
      accumulate(cast.getSource(),
                 widened(builder, op->getLoc(), cotangents.front(), cast.getSource().getType()));
      return success();
    }
    auto rule = dyn_cast<VjpOpInterface>(op);
    auto takesGradient = [&](Value v) { return isActive(v) && !isIntegerTensor(v.getType()); };
    if (!rule && op->getNumRegions() == 0 && llvm::none_of(op->getOperands(), takesGradient))
      return success(); // no gradient flows through integers
    if (!rule && !isa<DecomposableOpInterface>(op))
      return op->emitError() << "'" << op->getName().getStringRef() << "' has no rule for its gradient";
    if (op->hasTrait<KeepsDerivative>() && cotangents.back())
      return noSecondDerivative(op);
    FailureOr<llvm::SmallVector<Value>> gradients = failure();
    if (rule)
      gradients = rule.tryVjp(builder, cotangents);
    if (failed(gradients))
      gradients = deferred(op, cotangents);
    if (failed(gradients))
      return failure();
    for (auto [use, gradient] : llvm::zip(op->getOpOperands(), *gradients)) {
      Value operand = use.get();
      if (!gradient || !isActive(operand))
        continue;
      if (isa<ArrayType>(operand.getType())) {
        accumulate(operand, gradient);
        continue;
      }
      auto type = tensorType(gradient), operandType = tensorType(operand);
      if (type.getRank() >= operandType.getRank())
        gradient = gradientOfOperand(builder, use, gradient);
      if (!compatibleTypes(gradient.getType(), operandType))
        return op->emitError() << "the gradient rule of '" << op->getName().getStringRef() << "' returns "
                               << type << " for an operand of type " << operandType;
      accumulate(operand, gradient);
    }
    return success();
  }

  /// Defers the gradient of an op whose rule failed without an error: it needs static dims.
  FailureOr<llvm::SmallVector<Value>> deferred(Operation *op, llvm::ArrayRef<Value> cotangents) {
    if (hasReported)
      return failure();
    if (!isDeferrable(op))
      return op->emitError() << "'" << op->getName().getStringRef() << "' has no rule for its gradient";
    if (!mayDefer)
      return failure();
    return deferredGradient(builder, op, cotangents);
  }

  OpBuilder builder;
  Block &block;
  llvm::ArrayRef<int64_t> outputs;
  bool mayDefer, hasReported = false;
  llvm::DenseSet<Value> active;
  bool isOnIntegers = false;
  llvm::DenseMap<Value, llvm::SmallVector<Value, 2>> pending;
  std::vector<Operation *> ops;
};

} // namespace

FailureOr<llvm::SmallVector<Value>> differentiateSparsely(Block &block, llvm::ArrayRef<int64_t> outputs,
                                                          llvm::ArrayRef<Value> cotangents,
                                                          llvm::ArrayRef<Value> inputs, bool mayDefer) {
  return guarded([&]() -> FailureOr<llvm::SmallVector<Value>> {
    ReverseMode mode(block, inputs, outputs, mayDefer);
    if (failed(mode.findActiveOps()))
      return failure();
    for (auto [output, cotangent] : llvm::zip(outputs, cotangents))
      mode.accumulate(block.getTerminator()->getOperand(output), cotangent);
    if (failed(mode.sweep()))
      return failure();
    return llvm::map_to_vector(inputs, [&](Value input) { return mode.take(input); });
  });
}

FailureOr<llvm::SmallVector<Value>> differentiate(Block &block, llvm::ArrayRef<int64_t> outputs,
                                                  llvm::ArrayRef<Value> cotangents,
                                                  llvm::ArrayRef<Value> inputs, bool mayDefer) {
  auto gradients = differentiateSparsely(block, outputs, cotangents, inputs, mayDefer);
  if (failed(gradients))
    return failure();
  OpBuilder builder(block.getTerminator());
  for (auto [input, gradient] : llvm::zip(inputs, *gradients))
    if (!gradient)
      gradient = noCotangent(builder, input.getLoc(), input);
  return gradients;
}

void eraseUnused(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

} // namespace proa::pd
