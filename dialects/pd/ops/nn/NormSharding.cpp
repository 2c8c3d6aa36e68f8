//! Sharding rules of normalizations.
#include "dialects/pd/ops/nn/NormOps.h"
#include "dialects/pd/sharding/Formula.h"
#include "dialects/pd/sharding/LocalForm.h"

using namespace mlir;

namespace proa::pd {

/// The dimensions from begin_norm_axis on are needed whole, for sums over devices in the local form; scale
/// and bias have them as one.
bool LayerNormOp::describeSharding(ShardingRuleBuilder &rule) {
  int64_t begin = getBeginNormAxis(), rank = rule.operandType(0).getRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t size = rule.operandType(0).getDimSize(dim);
    unsigned factor = dim < begin ? rule.addFactor(size)
                                  : rule.addWholeFactor(size, "the statistics are over the whole dimension");
    rule.setOperand(0, dim, factor);
    rule.setResult(0, dim, factor);
    for (unsigned statistic : {1u, 2u})
      if (dim < begin && rule.resultType(statistic).getRank() == begin)
        rule.setResult(statistic, dim, factor);
    if (dim >= begin)
      for (unsigned operand = 1; operand < getNumOperands(); ++operand)
        rule.setOperand(operand, 0, factor);
  }
  for (int64_t dim = begin; dim < rank; ++dim)
    rule.splitByLocalForm(0, dim, localDecomposition);
  return true;
}

} // namespace proa::pd
