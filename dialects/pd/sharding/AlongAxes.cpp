#include "dialects/pd/sharding/AlongAxes.h"

#include "dialects/pd/ir/Infer.h"

using namespace mlir;

namespace proa::pd {

void shareDims(ShardingRuleBuilder &rule, llvm::ArrayRef<int64_t> axes) {
  Operation *op = rule.op();
  int64_t rank = rule.operandType(0).getRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool isAxis = llvm::is_contained(axes, dim) || llvm::is_contained(axes, dim - rank);
    int64_t size = rule.operandType(0).getDimSize(dim);
    auto hasDim = [&](RankedTensorType type) {
      return type.getRank() == rank && type.getDimSize(dim) == size;
    };
    unsigned factor =
        isAxis ? rule.addWholeFactor(size, "the op works along the dimension") : rule.addFactor(size);
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (hasDim(rule.operandType(i)))
        rule.setOperand(i, dim, factor);
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      if (hasDim(rule.resultType(i)))
        rule.setResult(i, dim, factor);
  }
}

void shareFirstDim(ShardingRuleBuilder &rule, llvm::ArrayRef<Value> operands,
                   llvm::ArrayRef<unsigned> results, FactorKind kind) {
  unsigned factor = rule.addFactor(tensorType(operands.front()).getDimSize(0), kind);
  for (OpOperand &operand : rule.op()->getOpOperands())
    if (llvm::is_contained(operands, operand.get()))
      rule.setOperand(operand.getOperandNumber(), 0, factor);
  for (unsigned result : results)
    rule.setResult(result, 0, factor);
}

bool shardAlongAxis(ShardingRuleBuilder &rule) {
  auto flatten = rule.op()->getAttrOfType<BoolAttr>("flatten");
  if (flatten && flatten.getValue())
    return false;
  auto axis = rule.op()->getAttrOfType<IntegerAttr>("axis");
  shareDims(rule, {axis ? axis.getInt() : -1});
  return true;
}

} // namespace proa::pd
