#include "dialects/pd/ops/conv/WindowSharding.h"

#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/ir/InferredTypes.h"

using namespace mlir;

namespace proa::pd {
namespace {

int64_t firstSpatialDim(Operation *op) {
  auto format = op->getAttrOfType<DataFormatAttr>("data_format");
  return format && channelsAreLast(format.getValue()) ? 1 : 2;
}

/// Paddings before and after each of `count` dimensions.
SmallVector<int64_t> pairsOf(llvm::ArrayRef<int64_t> paddings, size_t count) {
  if (paddings.size() == 2 * count)
    return SmallVector<int64_t>(paddings);
  SmallVector<int64_t> pairs;
  for (int64_t padding : paddings)
    pairs.append({padding, padding});
  return pairs;
}

/// The elements that each shard of a result dimension of `size` elements needs.
SmallVector<std::pair<int64_t, int64_t>> rangesOf(const Windows &windows, size_t i, int64_t padding,
                                                  int64_t size, int64_t shards) {
  int64_t stride = windows.strides[i],
          window = (windows.kernel[i] - 1) * (windows.dilations.empty() ? 1 : windows.dilations[i]) + 1;
  SmallVector<std::pair<int64_t, int64_t>> ranges;
  for (int64_t shard = 0; shard < shards; ++shard) {
    int64_t first = beginOfShard(size, shards, shard), last = beginOfShard(size, shards, shard + 1) - 1;
    ranges.push_back({first * stride - padding, last * stride - padding + window});
  }
  return ranges;
}

} // namespace

FailureOr<SmallVector<Value>> windowOfShard(LocalFormBuilder &form, const Windows &windows) {
  Operation *op = form.op();
  size_t count = windows.kernel.size();
  SmallVector<int64_t> paddings = pairsOf(windows.paddings, count);
  SmallVector<Value> operands{form.operand(0)};
  for (unsigned i = 1; i < op->getNumOperands(); ++i)
    operands.push_back(form.operand(i));
  for (size_t i = 0; i < count; ++i) {
    int64_t dim = firstSpatialDim(op) + static_cast<int64_t>(i);
    auto factor = form.splitFactor(0, dim);
    if (!factor)
      continue;
    int64_t size = cast<RankedTensorType>(op->getResult(0).getType()).getDimSize(dim),
            shards = form.shardCount(*factor);
    if (ShapedType::isDynamic(size) || size < shards)
      return failure();
    operands[0] = form.window(operands[0], dim, *factor, form.globalDim(0, dim),
                              rangesOf(windows, i, paddings[2 * i], size, shards), windows.fill);
    paddings[2 * i] = paddings[2 * i + 1] = 0;
  }
  Operation *local = form.getBuilder().clone(*op);
  local->setOperands(operands);
  local->setAttr("paddings", form.getBuilder().getDenseI64ArrayAttr(paddings));
  if (failed(inferAgain(local)))
    return failure();
  return SmallVector<Value>(local->getResults());
}

void shardSpace(ShardingRuleBuilder &rule, bool channelsAreLast, LocalForm form) {
  int64_t first = channelsAreLast ? 1 : 2;
  for (int64_t dim = first; dim < first + rule.operandType(0).getRank() - 2; ++dim) {
    int64_t size = rule.resultType(0).getDimSize(dim);
    if (ShapedType::isDynamic(size) || size == 1)
      continue;
    if (auto factor = rule.splitByLocalForm(0, dim, form))
      rule.setResult(0, dim, *factor);
  }
}

} // namespace proa::pd
