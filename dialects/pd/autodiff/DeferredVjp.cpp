#include "dialects/pd/autodiff/DeferredVjp.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// Creates a pd.vjp by `inputs`. `fill` creates the ops of its region from the block arguments and returns
/// the values to yield, one for each cotangent.
VjpOp createVjp(OpBuilder &builder, Location location, ValueRange inputs, ValueRange saved,
                ArrayRef<int64_t> savedOf, ValueRange cotangents,
                llvm::function_ref<SmallVector<Value>(ValueRange)> fill) {
  auto outputs = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(cotangents.size())));
  auto vjp = VjpOp::create(builder, location, inputs, saved, cotangents,
                           builder.getDenseI64ArrayAttr(savedOf), builder.getDenseI64ArrayAttr(outputs));
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&vjp.getBody(), {}, inputs.getTypes(),
                                    SmallVector<Location>(inputs.size(), location));
  YieldOp::create(builder, location, fill(body->getArguments()));
  return vjp;
}

/// A clone of the op on other operands. An IRMapping cannot be used: operands of the op may be equal.
Operation *cloneOn(OpBuilder &builder, Operation *op, ValueRange operands) {
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  return copy;
}

} // namespace

ErrorWatch::ErrorWatch(MLIRContext *context)
    : handler(context, [this, thread = std::this_thread::get_id()](mlir::Diagnostic &diagnostic) {
        seen |= diagnostic.getSeverity() == DiagnosticSeverity::Error && thread == std::this_thread::get_id();
        return failure(); // others may handle it too
      }) {}

bool hasDynamicDims(Operation *op) {
  auto isDynamic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  };
  return llvm::any_of(op->getOperandTypes(), isDynamic) || llvm::any_of(op->getResultTypes(), isDynamic);
}

/// Whether a region of `op` contains the definition of a value.
static bool contains(Operation *op, Value value) {
  Operation *around = value.getParentBlock()->getParentOp();
  while (around && around != op)
    around = around->getParentOp();
  return around == op;
}

bool isDeferrable(Operation *op) {
  // MLIR's getUsedValuesDefinedAbove needs a region in a function; forward mode differentiates detached ones.
  WalkResult captures = op->walk([&](Operation *inner) {
    bool isLocal =
        inner == op || llvm::all_of(inner->getOperands(), [&](Value v) { return contains(op, v); });
    return isLocal ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !captures.wasInterrupted() && hasDynamicDims(op);
}

SmallVector<Value> deferredGradient(OpBuilder &builder, Operation *op, ArrayRef<Value> cotangents) {
  SmallVector<Value> nonZero, saved;
  SmallVector<int64_t> savedOf;
  for (auto [result, cotangent] : llvm::zip(op->getResults(), cotangents))
    if (cotangent) {
      savedOf.push_back(static_cast<int64_t>(nonZero.size()));
      saved.push_back(result);
      nonZero.push_back(cotangent);
    }
  VjpOp vjp =
      createVjp(builder, op->getLoc(), op->getOperands(), saved, savedOf, nonZero, [&](ValueRange inputs) {
        Operation *copy = cloneOn(builder, op, inputs);
        SmallVector<Value> yielded;
        for (auto [result, cotangent] : llvm::zip(copy->getResults(), cotangents))
          if (cotangent)
            yielded.push_back(result);
        return yielded;
      });
  SmallVector<Value> gradients(vjp.getGradients());
  for (Value &gradient : gradients)
    if (!isDifferentiable(gradient.getType()))
      gradient = Value();
  return gradients;
}

SmallVector<Value> deferredTangent(OpBuilder &builder, Operation *op, ArrayRef<Value> tangents) {
  SmallVector<Value> inputs, nonZero;
  // u -> J^T u is linear, so it can be differentiated at u = 0. The operands are constants of its region.
  for (Value result : op->getResults())
    if (isDifferentiable(result.getType()))
      inputs.push_back(zerosLike(builder, op->getLoc(), result));
  llvm::copy_if(tangents, std::back_inserter(nonZero), [](Value tangent) { return tangent != nullptr; });
  VjpOp vjp = createVjp(builder, op->getLoc(), inputs, ValueRange(), {}, nonZero, [&](ValueRange arguments) {
    SmallVector<Value> cotangents, yielded;
    size_t next = 0;
    for (Value result : op->getResults())
      cotangents.push_back(isDifferentiable(result.getType()) ? arguments[next++] : Value());
    SmallVector<Value> gradients = deferredGradient(builder, op, cotangents);
    for (auto [tangent, gradient] : llvm::zip(tangents, gradients))
      if (tangent)
        yielded.push_back(gradient);
    return yielded;
  });
  SmallVector<Value> out;
  size_t next = 0;
  for (Value result : op->getResults())
    out.push_back(isDifferentiable(result.getType()) ? Value(vjp.getGradients()[next++]) : Value());
  return out;
}

} // namespace proa::pd
