//! The check that type inference of an op accepts the types of a shard, for each factor of a sharding rule.
#include "dialects/pd/ir/InferredTypes.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/sharding/CloneOnTypes.h"
#include "dialects/pd/sharding/ShardingRule.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// The types of a shard of tensors when the factor is split completely, into shards of size 1.
llvm::SmallVector<Type> shardTypes(TypeRange types, llvm::ArrayRef<TensorFactors> tensors, unsigned factor,
                                   int64_t size) {
  llvm::SmallVector<Type> shards;
  for (auto [whole, tensor] : llvm::zip(types, tensors)) {
    auto type = cast<RankedTensorType>(whole);
    llvm::SmallVector<int64_t> dims(type.getShape());
    for (auto [dim, factors] : llvm::zip(dims, tensor))
      if (llvm::is_contained(factors, factor))
        dim /= size;
    shards.push_back(type.clone(dims));
  }
  return shards;
}

bool isShard(Type whole, Type expected, Type inferred) {
  auto local = dyn_cast<RankedTensorType>(expected), type = dyn_cast<RankedTensorType>(inferred);
  if (!local || !type)
    return expected == inferred;
  if (failed(verifyCompatibleShape(type.getShape(), local.getShape())))
    return false;
  for (auto [dim, shard, found] :
       llvm::zip(cast<RankedTensorType>(whole).getShape(), local.getShape(), type.getShape()))
    if (!ShapedType::isDynamic(dim) && ShapedType::isDynamic(shard) && !ShapedType::isDynamic(found))
      return false;
  return true;
}

} // namespace

Operation *cloneOnTypes(Block &block, Operation *op, TypeRange operands) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(&block);
  IRMapping mapping;
  SmallVector<Value> values;
  for (auto [operand, type] : llvm::zip(op->getOperands(), operands)) {
    auto constant = operand.getDefiningOp<ConstantOp>();
    if (constant && type == operand.getType())
      values.push_back(builder.clone(*constant)->getResult(0));
    else
      values.push_back(block.addArgument(type, op->getLoc()));
    mapping.map(operand, values.back());
  }
  // The dims of a value that is two operands are split by two factors.
  Operation *clone = builder.clone(*op, mapping);
  clone->setOperands(values);
  return clone;
}

void setLocalShape(Operation *op, llvm::ArrayRef<int64_t> dims) {
  auto attribute = op->getAttrOfType<DenseI64ArrayAttr>("shape");
  if (!attribute || attribute.size() != static_cast<int64_t>(dims.size()))
    return;
  llvm::SmallVector<int64_t> shape(attribute.asArrayRef());
  for (auto [dim, local] : llvm::zip(shape, dims))
    if (dim > 0) // 0 and -1 are inferred from the operand
      dim = ShapedType::isDynamic(local) ? -1 : local;
  op->setAttr("shape", Builder(op->getContext()).getDenseI64ArrayAttr(shape));
}

bool infersLocalTypes(Operation *op, llvm::ArrayRef<Type> operands, llvm::ArrayRef<Type> results) {
  if (!isa<InferTypeOpInterface>(op))
    return true;
  Block block;
  Operation *shard = cloneOnTypes(block, op, TypeRange(operands));
  if (auto first = dyn_cast<RankedTensorType>(results.front()))
    setLocalShape(shard, first.getShape());
  FailureOr<llvm::SmallVector<Type>> types = inferredTypes(shard);
  return succeeded(types) && llvm::all_of(llvm::zip(op->getResultTypes(), results, *types), [](auto each) {
           return isShard(std::get<0>(each), std::get<1>(each), std::get<2>(each));
         });
}

ShardingRule fitted(Operation *op, ShardingRule rule) {
  ScopedDiagnosticHandler silent(op->getContext(), [](mlir::Diagnostic &) { return success(); });
  for (unsigned factor = 0; factor < rule.factors.size(); ++factor) {
    ShardingFactor &own = rule.factors[factor];
    if (own.kind != FactorKind::Replicated && own.size > 1 &&
        !infersLocalTypes(op, shardTypes(op->getOperandTypes(), rule.operands, factor, own.size),
                          shardTypes(op->getResultTypes(), rule.results, factor, own.size))) {
      own.kind = FactorKind::Replicated;
      own.reason = "for a shard of the dimension, other dims are inferred";
    }
  }
  return rule;
}

} // namespace proa::pd
