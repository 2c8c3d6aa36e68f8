//! The check that type inference of an op accepts the types of a part, for each factor of a sharding rule.
#include "dialects/pd/ir/InferredTypes.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/sharding/CloneWithDims.h"
#include "dialects/pd/sharding/ShardingRule.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// The dims of a part of a tensor when the factor is split completely, into parts of size 1.
llvm::SmallVector<int64_t> dimsOfPart(RankedTensorType type, const TensorFactors &tensor, unsigned factor,
                                      int64_t size) {
  llvm::SmallVector<int64_t> dims(type.getShape());
  for (auto [dim, factors] : llvm::zip(dims, tensor))
    if (llvm::is_contained(factors, factor))
      dim /= size;
  return dims;
}

bool fits(Operation *op, const ShardingRule &rule, unsigned factor) {
  Block block;
  int64_t size = rule.factors[factor].size;
  Operation *part = cloneWithDims(block, op, [&](unsigned operand) {
    return dimsOfPart(cast<RankedTensorType>(op->getOperand(operand).getType()), rule.operands[operand],
                      factor, size);
  });
  llvm::SmallVector<llvm::SmallVector<int64_t>> expected;
  for (auto [type, tensor] : llvm::zip(op->getResultTypes(), rule.results))
    expected.push_back(dimsOfPart(cast<RankedTensorType>(type), tensor, factor, size));
  setLocalShape(part, expected.front());
  if (!isa<InferTypeOpInterface>(part))
    return true;
  FailureOr<llvm::SmallVector<Type>> types = inferredTypes(part);
  return succeeded(types) && llvm::all_of(llvm::zip(*types, expected), [](auto pair) {
           auto type = dyn_cast<RankedTensorType>(std::get<0>(pair));
           return type && succeeded(verifyCompatibleShape(type.getShape(), std::get<1>(pair)));
         });
}

} // namespace

Operation *cloneWithDims(Block &block, Operation *op,
                         llvm::function_ref<llvm::SmallVector<int64_t>(unsigned operand)> dimsOf) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(&block);
  IRMapping mapping;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (mapping.contains(value))
      continue;
    auto type = cast<RankedTensorType>(value.getType());
    auto dims = dimsOf(operand.getOperandNumber());
    auto constant = value.getDefiningOp<ConstantOp>();
    if (constant && llvm::ArrayRef<int64_t>(dims) == type.getShape())
      mapping.map(value, builder.clone(*constant)->getResult(0));
    else
      mapping.map(value, Value(block.addArgument(type.clone(dims), op->getLoc())));
  }
  return builder.clone(*op, mapping);
}

void setLocalShape(Operation *op, llvm::ArrayRef<int64_t> dims) {
  if (!isa<ReshapeOp, ExpandOp>(op))
    return;
  auto attribute = op->getAttrOfType<DenseI64ArrayAttr>("shape");
  if (!attribute || attribute.size() != static_cast<int64_t>(dims.size()))
    return;
  llvm::SmallVector<int64_t> shape(attribute.asArrayRef());
  for (auto [dim, local] : llvm::zip(shape, dims))
    if (dim > 0) // 0 and -1 are inferred from the operand
      dim = local;
  op->setAttr("shape", Builder(op->getContext()).getDenseI64ArrayAttr(shape));
}

ShardingRule fitted(Operation *op, ShardingRule rule) {
  ScopedDiagnosticHandler silent(op->getContext(), [](Diagnostic &) { return success(); });
  for (unsigned factor = 0; factor < rule.factors.size(); ++factor) {
    ShardingFactor &own = rule.factors[factor];
    if (own.kind != FactorKind::Replicated && own.size > 1 && !fits(op, rule, factor))
      own.kind = FactorKind::Replicated;
  }
  return rule;
}

} // namespace proa::pd
