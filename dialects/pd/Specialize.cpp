#include "dialects/pd/Specialize.h"
#include "dialects/pd/Evaluate.h"
#include "dialects/pd/creation/CreationOps.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// Operands of at most so many elements are constants while types are inferred: a shape operand decides the
/// result's dims.
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
  // A decomposition may leave out what nobody reads.
  for (auto [original, result] : llvm::zip(op->getResults(), clone->getResults()))
    if (!original.use_empty())
      UnrealizedConversionCastOp::create(builder, op->getLoc(), TypeRange{builder.getI1Type()},
                                         ValueRange{result});
  llvm::SmallVector<Type> types;
  auto inference = dyn_cast<InferTypeOpInterface>(clone);
  if (!inference)
    return clone;
  if (failed(inference.inferReturnTypes(context, op->getLoc(), clone->getOperands(),
                                        clone->getAttrDictionary(), clone->getPropertiesStorage(),
                                        clone->getRegions(), types)))
    return nullptr;
  for (auto [result, type] : llvm::zip(clone->getResults(), types))
    result.setType(type);
  return clone;
}

} // namespace proa::pd
