#include "dialects/pd/ir/Specialize.h"
#include "dialects/pd/ir/InferredTypes.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// Operands of at most this many elements become constants, because a shape operand decides the result's
/// dims.
constexpr int64_t maxConstantElements = 4096;

} // namespace

Operation *cloneForValues(Operation *op, llvm::ArrayRef<Tensor> operands, Block &block) {
  MLIRContext *context = op->getContext();
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(&block);
  IRMapping mapping;
  for (auto [operand, tensor] : llvm::zip(op->getOperands(), operands)) {
    auto type = RankedTensorType::get(tensor.dims(), elementTypeOf(context, tensor.dtype()));
    Value value;
    if (tensor.size() <= maxConstantElements)
      value = ConstantOp::create(builder, op->getLoc(), type, attributeFromTensor(context, tensor));
    else
      value = block.addArgument(type, op->getLoc());
    mapping.map(operand, value);
  }
  Operation *clone = builder.clone(*op, mapping);
  // A decomposition may leave out unused results.
  for (auto [original, result] : llvm::zip(op->getResults(), clone->getResults()))
    if (!original.use_empty())
      UnrealizedConversionCastOp::create(builder, op->getLoc(), TypeRange{builder.getI1Type()},
                                         ValueRange{result});
  bool fits = !isa<InferTypeOpInterface>(clone) || succeeded(inferAgain(clone, op->getLoc()));
  return fits ? clone : nullptr;
}

} // namespace proa::pd
