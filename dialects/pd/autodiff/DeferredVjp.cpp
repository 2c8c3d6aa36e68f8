#include "dialects/pd/autodiff/DeferredVjp.h"

#include "mlir/Transforms/RegionUtils.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// A pd.vjp by `inputs`. `fill` creates the ops of its region from the block arguments, and returns what the
/// region yields, one value for each cotangent.
VjpOp makeVjp(OpBuilder &builder, Location location, ValueRange inputs, ValueRange saved,
              ArrayRef<int64_t> savedOf, ValueRange cotangents,
              llvm::function_ref<SmallVector<Value>(ValueRange)> fill) {
  auto numbers = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(cotangents.size())));
  auto vjp = VjpOp::create(builder, location, inputs, saved, cotangents,
                           builder.getDenseI64ArrayAttr(savedOf), builder.getDenseI64ArrayAttr(numbers));
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&vjp.getBody(), {}, inputs.getTypes(),
                                    SmallVector<Location>(inputs.size(), location));
  YieldOp::create(builder, location, fill(body->getArguments()));
  return vjp;
}

/// The op on other operands, some of which may be one value.
Operation *cloneOn(OpBuilder &builder, Operation *op, ValueRange operands) {
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  return copy;
}

} // namespace

ErrorWatch::ErrorWatch(MLIRContext *context)
    : handler(context, [this, thread = std::this_thread::get_id()](Diagnostic &diagnostic) {
        seen |= diagnostic.getSeverity() == DiagnosticSeverity::Error && thread == std::this_thread::get_id();
        return failure(); // others may handle it too
      }) {}

bool hasDynamicDims(Operation *op) {
  auto isOpen = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  };
  return llvm::any_of(op->getOperandTypes(), isOpen) || llvm::any_of(op->getResultTypes(), isOpen);
}

bool isDeferrable(Operation *op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return captured.empty() && hasDynamicDims(op);
}

SmallVector<Value> deferredGradient(OpBuilder &builder, Operation *op, ArrayRef<Value> cotangents) {
  SmallVector<Value> given, saved;
  SmallVector<int64_t> savedOf;
  for (auto [result, cotangent] : llvm::zip(op->getResults(), cotangents))
    if (cotangent) {
      savedOf.push_back(static_cast<int64_t>(given.size()));
      saved.push_back(result);
      given.push_back(cotangent);
    }
  VjpOp vjp =
      makeVjp(builder, op->getLoc(), op->getOperands(), saved, savedOf, given, [&](ValueRange inputs) {
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
  SmallVector<Value> inputs, given;
  // The gradient is linear in its cotangents: where it is differentiated does not matter. The operands are
  // constants to it.
  for (Value result : op->getResults())
    if (isDifferentiable(result.getType()))
      inputs.push_back(zerosLike(builder, op->getLoc(), result));
  llvm::copy_if(tangents, std::back_inserter(given), [](Value tangent) { return tangent != nullptr; });
  VjpOp vjp = makeVjp(builder, op->getLoc(), inputs, ValueRange(), {}, given, [&](ValueRange arguments) {
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
