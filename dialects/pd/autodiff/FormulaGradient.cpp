#include "dialects/pd/autodiff/FormulaGradient.h"

#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

using namespace mlir;

namespace proa::pd {

FailureOr<SmallVector<Value>> gradientOfFormula(OpBuilder &builder, Location location, ValueRange inputs,
                                                ArrayRef<Value> cotangents,
                                                llvm::function_ref<Operation *(ValueRange)> forward) {
  SmallVector<Value> nonZero;
  llvm::copy_if(cotangents, std::back_inserter(nonZero),
                [](Value cotangent) { return cotangent != nullptr; });
  auto outputs = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(nonZero.size())));
  auto vjp = VjpOp::create(builder, location, inputs, ValueRange(), nonZero, builder.getDenseI64ArrayAttr({}),
                           builder.getDenseI64ArrayAttr(outputs));
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&vjp.getBody(), {}, inputs.getTypes(),
                                    SmallVector<Location>(inputs.size(), location));
  Operation *op = forward(body->getArguments());
  // The results are yielded before the op is decomposed: a decomposition may skip unused results.
  SmallVector<Value> yielded;
  for (auto [cotangent, result] : llvm::zip(cotangents, op->getResults()))
    if (cotangent)
      yielded.push_back(result);
  YieldOp::create(builder, location, yielded);
  builder.setInsertionPoint(op);
  auto values = cast<DecomposableOpInterface>(op).tryDecompose(builder);
  if (failed(values)) {
    vjp.erase();
    return failure();
  }
  op->replaceAllUsesWith(*values);
  op->erase();
  return SmallVector<Value>(vjp.getGradients());
}

Value vjpOfFormula(OpBuilder &builder, Value x, Value cotangent, llvm::function_ref<Value(Value)> formula) {
  auto vjp = VjpOp::create(builder, x.getLoc(), ValueRange{x}, ValueRange(), ValueRange{cotangent},
                           builder.getDenseI64ArrayAttr({}), builder.getDenseI64ArrayAttr({0}));
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&vjp.getBody(), {}, {x.getType()}, {x.getLoc()});
  YieldOp::create(builder, x.getLoc(), formula(body->getArgument(0)));
  return vjp.getGradients().front();
}

Value derivativeOfFormula(TensorBuilder &e, Value x, llvm::function_ref<Expression(Expression)> formula) {
  Value one = e.constant(1, cast<RankedTensorType>(x.getType()).getElementType());
  return vjpOfFormula(e.getBuilder(), x, one, [&](Value own) -> Value {
    Expression value = formula(e.wrap(own));
    return e.sum(value, llvm::to_vector(llvm::seq<int64_t>(0, value.rank())), /*keepdim=*/false);
  });
}

} // namespace proa::pd
