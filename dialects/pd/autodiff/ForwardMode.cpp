#include "dialects/pd/autodiff/ForwardMode.h"
#include "dialects/pd/ir/ReplaceResult.h"

#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/autodiff/Broadcasting.h"
#include "dialects/pd/autodiff/DeferredVjp.h"
#include "dialects/pd/autodiff/ForwardControlFlow.h"
#include "dialects/pd/autodiff/GradientByKernel.h"
#include "dialects/pd/autodiff/KeepsDerivative.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/DenseSet.h"

#include <thread>

using namespace mlir;

namespace proa::pd {
namespace {

/// The value broadcast to the shape of `like`, a result of the op.
Value broadcastLike(OpBuilder &builder, Operation *op, Value value, Value like) {
  if (value.getType() == like.getType() && !mayBroadcast(op))
    return value;
  TensorBuilder e(builder, op);
  return expandTo(e.wrap(value), dimSizesOf(e.wrap(like)));
}

bool allReal(Operation *op) {
  auto isReal = [](Type type) { return !isa<ComplexType>(getElementTypeOrSelf(type)); };
  return llvm::all_of(op->getOperandTypes(), isReal) && llvm::all_of(op->getResultTypes(), isReal);
}

using OperandGroups = llvm::SmallVector<llvm::SmallVector<unsigned>>;

/// The groups of operands in which the op is linear (LinearOpInterface); empty if it is not linear.
OperandGroups linearGroupsOf(Operation *op) {
  if (auto linear = dyn_cast<LinearOpInterface>(op))
    return linear.getLinearGroups();
  if (isa<tensor::CastOp>(op)) // an op of another dialect, which only changes the type
    return {{0}};
  return {};
}

class ForwardMode {
public:
  ForwardMode(Block &block, Tangents &tangents) : block(block), tangents(tangents) {}

  LogicalResult run() {
    for (Operation *op = block.empty() ? nullptr : &block.front(); op;) {
      Operation *next = op->getNextNode();
      if (failed(followScalars(op)))
        return failure();
      if (isa<scf::IfOp, scf::WhileOp, scf::ForOp>(op)) {
        if (failed(pushThroughControlFlow(op, tangents)))
          return failure();
      } else if (!op->hasTrait<OpTrait::IsTerminator>() && isActive(op)) {
        FailureOr<Operation *> replacement = visit(op);
        if (failed(replacement))
          return failure();
        next = *replacement ? *replacement : next;
      }
      op = next;
    }
    return success();
  }

private:
  /// Float scalars extracted from tensors have no tangents: an op that computes a tensor from one that
  /// depends on a tangent is an error.
  LogicalResult followScalars(Operation *op) {
    auto isScalar = [](Type type) { return isa<FloatType, ComplexType>(type); };
    bool leaves = llvm::any_of(op->getOperands(), [&](Value v) {
      return scalars.contains(v) || (tangents.contains(v) && llvm::any_of(op->getResultTypes(), isScalar));
    });
    if (!leaves || op->hasTrait<OpTrait::IsTerminator>())
      return success();
    if (llvm::any_of(op->getResultTypes(), hasTangent))
      return op->emitError() << "'" << op->getName().getStringRef() << "' has no rule for its derivative";
    for (Value result : op->getResults())
      if (isScalar(result.getType()))
        scalars.insert(result);
    return success();
  }

  bool isActive(Operation *op) const {
    return readsAny(op, [&](Value v) { return tangents.contains(v); }) &&
           llvm::any_of(op->getResultTypes(), hasTangent);
  }

  /// Computes the tangents of the results and returns null, or replaces the op by simpler ones and returns
  /// the first of them.
  FailureOr<Operation *> visit(Operation *op) {
    if (OperandGroups groups = linearGroupsOf(op); !groups.empty())
      return linear(op, groups), nullptr;
    bool hasRule = isa<VjpOpInterface>(op), isComposite = isa<DecomposableOpInterface>(op);
    if (op->hasTrait<KeepsDerivative>() && !op->getResults().back().use_empty())
      return succeeded(splitDerivative(op)) ? FailureOr<Operation *>(op) : noSecondDerivative(op);
    if (op->hasTrait<GradientByKernel>())
      if (auto first = decompose(op); failed(first) || *first)
        return first;
    if (hasRule && isSymmetric(op))
      return symmetric(op);
    ErrorWatch errors(op->getContext());
    if (hasRule && succeeded(isComposite ? quietly(op) : transposed(op)))
      return nullptr;
    if (errors.hasSeen())
      return failure();
    if (isComposite)
      if (auto first = decompose(op); failed(first) || *first)
        return first;
    if ((hasRule || isComposite) && isDeferrable(op))
      return deferred(op);
    return op->emitError() << "'" << op->getName().getStringRef() << "' has no rule for its derivative";
  }

  /// Whether each result element depends on one element of each active operand, by a real factor.
  bool isSymmetric(Operation *op) const {
    if (op->getNumResults() != 1 || !allReal(op))
      return false;
    Type element = getElementTypeOrSelf(op->getResult(0));
    auto active = llvm::make_filter_range(
        op->getOpOperands(), [&](OpOperand &operand) { return tangents.contains(operand.get()); });
    bool onlyFirst = llvm::all_of(active, [](OpOperand &operand) { return operand.getOperandNumber() == 0; });
    bool isElementwise = isa<ScalarOpInterface>(op) || (op->hasTrait<ElementwiseTrait>() && onlyFirst);
    return isElementwise && llvm::all_of(active, [&](OpOperand &operand) {
             return getElementTypeOrSelf(operand.get()) == element;
           });
  }

  FailureOr<Operation *> symmetric(Operation *op) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    for (OpOperand &operand : op->getOpOperands()) {
      Value tangent = tangents.lookup(operand.get());
      if (!tangent)
        continue;
      auto products = cast<VjpOpInterface>(op).tryVjp(builder, {tangent});
      if (failed(products))
        return failure();
      add(builder, op->getResult(0), (*products)[operand.getOperandNumber()]);
    }
    return nullptr;
  }

  /// Adds a term (null: zero) to the tangent of a result.
  void add(OpBuilder &builder, Value result, Value term) {
    if (!term)
      return;
    if (isa<RankedTensorType>(result.getType()))
      term = broadcastLike(builder, result.getDefiningOp(), term, result);
    Value &tangent = tangents[result];
    tangent = tangent ? Value(AddOp::create(builder, result.getLoc(), tangent, term)) : term;
  }

  void linear(Operation *op, ArrayRef<SmallVector<unsigned>> groups) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    for (ArrayRef<unsigned> group : groups) {
      if (llvm::none_of(group, [&](unsigned i) { return tangents.contains(op->getOperand(i)); }))
        continue;
      if (isa<AddOp, SubtractOp>(op)) {
        sum(builder, op);
        continue;
      }
      SmallVector<Value> operands(op->getOperands());
      for (unsigned i : group)
        if (hasTangent(op->getOperand(i).getType()))
          operands[i] = tangentOrZero(builder, op->getOperand(i), tangents);
      Operation *copy = builder.clone(*op);
      copy->setOperands(operands);
      for (auto [result, tangent] : llvm::zip(op->getResults(), copy->getResults()))
        if (hasTangent(result.getType()))
          add(builder, result, tangent);
    }
  }

  /// The tangent of x + y or x - y, without the terms whose tangent is zero.
  void sum(OpBuilder &builder, Operation *op) {
    Value x = tangents.lookup(op->getOperand(0)), y = tangents.lookup(op->getOperand(1));
    if (x)
      add(builder, op->getResult(0), x);
    if (y && isa<SubtractOp>(op))
      y = NegateOp::create(builder, op->getLoc(), y);
    if (y)
      add(builder, op->getResult(0), y);
  }

  /// Transposes the reverse-mode rule: it is linear in the cotangents u, u -> J^T u, so its vjp by u, applied
  /// to the tangents t, is J t.
  LogicalResult transposed(Operation *op) {
    Region region;
    Block &body = region.emplaceBlock();
    SmallVector<Value> cotangents, operandTangents, yielded;
    for (Value result : op->getResults())
      cotangents.push_back(
          isDifferentiable(result.getType()) ? body.addArgument(result.getType(), op->getLoc()) : Value());
    OpBuilder inside(op->getContext());
    inside.setInsertionPointToStart(&body);
    auto gradients = cast<VjpOpInterface>(op).tryVjp(inside, cotangents);
    if (failed(gradients))
      return failure();
    for (auto [operand, gradient] : llvm::zip(op->getOpOperands(), *gradients))
      if (Value tangent = tangents.lookup(operand.get()); tangent && gradient) {
        operandTangents.push_back(tangent);
        yielded.push_back(gradientOfOperand(inside, operand, gradient));
      }
    YieldOp::create(inside, op->getLoc(), yielded);
    auto outputs = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(yielded.size())));
    auto results =
        differentiateSparsely(body, outputs, operandTangents, SmallVector<Value>(body.getArguments()));
    if (failed(results))
      return failure();
    moveAfter(op, body, *results);
    return success();
  }

  /// Moves the ops that compute the tangents from the body to after `op`. The body's arguments, cotangents on
  /// which the tangents do not depend, are replaced by zeros.
  void moveAfter(Operation *op, Block &body, ArrayRef<Value> resultTangents) {
    Operation *last = op;
    OpBuilder builder(op->getContext());
    // The terminator keeps the ops that compute the tangents alive, and no others.
    SmallVector<Value> used;
    llvm::copy_if(resultTangents, std::back_inserter(used), [](Value v) { return v != nullptr; });
    body.getTerminator()->setOperands(used);
    eraseUnused(body);
    builder.setInsertionPointAfter(op);
    SmallVector<Value> values(resultTangents);
    unsigned index = 0;
    for (Value result : op->getResults()) {
      if (!isDifferentiable(result.getType()))
        continue;
      BlockArgument argument = body.getArgument(index++);
      if (argument.use_empty())
        continue;
      Value zeros = zerosLike(builder, op->getLoc(), result);
      llvm::replace(values, Value(argument), zeros);
      argument.replaceAllUsesWith(zeros);
      last = zeros.getDefiningOp();
    }
    body.getTerminator()->erase();
    Operation *end = body.empty() ? last : &body.back();
    op->getBlock()->getOperations().splice(std::next(last->getIterator()), body.getOperations());
    builder.setInsertionPointAfter(end);
    index = 0;
    for (Value result : op->getResults())
      if (isDifferentiable(result.getType()))
        add(builder, result, values[index++]);
  }

  /// Defers the derivative of an op whose rule needs static dims.
  Operation *deferred(Operation *op) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    SmallVector<Value> operandTangents;
    for (Value operand : op->getOperands())
      operandTangents.push_back(tangents.lookup(operand));
    for (auto [result, tangent] : llvm::zip(op->getResults(), deferredTangent(builder, op, operandTangents)))
      if (tangent)
        tangents[result] = tangent;
    return nullptr;
  }

  /// transposed() without errors, for an op that can be decomposed instead.
  LogicalResult quietly(Operation *op) {
    ScopedDiagnosticHandler handler(op->getContext(),
                                    [thread = std::this_thread::get_id()](mlir::Diagnostic &diagnostic) {
                                      return success(thread == std::this_thread::get_id() &&
                                                     diagnostic.getSeverity() == DiagnosticSeverity::Error);
                                    });
    return transposed(op);
  }

  static FailureOr<Operation *> decompose(Operation *op) {
    OpBuilder builder(op);
    return replaceByDecomposition(builder, cast<DecomposableOpInterface>(op));
  }

  Block &block;
  Tangents &tangents;
  llvm::DenseSet<Value> scalars; ///< float scalars that depend on a value with a tangent
};

} // namespace

bool hasTangent(Type type) {
  if (auto array = dyn_cast<ArrayType>(type))
    return !array.getElement() || isDifferentiable(array.getElement());
  return isDifferentiable(type);
}

LogicalResult pushForward(Block &block, Tangents &tangents) {
  return guarded([&] { return ForwardMode(block, tangents).run(); });
}

} // namespace proa::pd
