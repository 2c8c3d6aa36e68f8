#include "dialects/pd/sharding/LocalForm.h"

#include "dialects/pd/ir/InferredTypes.h"
#include "dialects/pd/ops/math/BinaryOps.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace proa::pd {

std::optional<unsigned> LocalFormBuilder::splitFactor(unsigned operand, int64_t dim) const {
  for (unsigned factor : rule.operands[operand][static_cast<size_t>(dim)])
    if (shardCount(factor) > 1)
      return factor;
  return std::nullopt;
}

std::optional<unsigned> LocalFormBuilder::splitResultFactor(unsigned result, int64_t dim) const {
  for (unsigned factor : rule.results[result][static_cast<size_t>(dim)])
    if (shardCount(factor) > 1)
      return factor;
  return std::nullopt;
}

std::optional<int64_t> LocalFormBuilder::countBefore(unsigned factor, int64_t index) const {
  int64_t shards = shardCount(factor), begin = 0, count = 0;
  for (int64_t block : blocksOf(factor)) {
    if (begin >= index)
      break;
    std::optional<int64_t> shard = block % shards == 0 ? 0 : ownShard(factor);
    if (!shard)
      return std::nullopt;
    count += beginOfShard(block, shards, *shard + 1) - beginOfShard(block, shards, *shard);
    begin += block;
  }
  return begin == index ? std::optional(count) : std::nullopt;
}

Operation *LocalFormBuilder::cloneOn(ValueRange localOperands) {
  IRMapping mapping;
  Operation *clone = builder.clone(*global, mapping);
  clone->setOperands(localOperands);
  setLocalShape(clone, localResultType(0).getShape());
  if (succeeded(inferAgain(clone)))
    return clone;
  clone->erase();
  return nullptr;
}

Value LocalFormBuilder::next(Value local, unsigned factor) {
  int64_t shards = shardCount(factor);
  return permute(local, factor, llvm::map_to_vector(llvm::seq<int64_t>(shards), [shards](int64_t shard) {
                   return (shard + 1) % shards;
                 }));
}

Value LocalFormBuilder::indexOf(unsigned factor) {
  llvm::SmallVector<int64_t> indices;
  for (int64_t shard = 0; shard < shardCount(factor); ++shard)
    indices.push_back(shard);
  return byShard(factor, indices);
}

Value LocalFormBuilder::beginOf(unsigned factor, int64_t size) {
  llvm::SmallVector<int64_t> begins;
  for (int64_t shard = 0; shard < shardCount(factor); ++shard)
    begins.push_back(beginOfShard(size, shardCount(factor), shard));
  return byShard(factor, begins);
}

Value LocalFormBuilder::endOf(unsigned factor, int64_t size) {
  llvm::SmallVector<int64_t> ends;
  for (int64_t shard = 0; shard < shardCount(factor); ++shard)
    ends.push_back(beginOfShard(size, shardCount(factor), shard + 1));
  return byShard(factor, ends);
}

int64_t beginOfShard(int64_t size, int64_t shards, int64_t shard) {
  return (shard * size + shards - 1) / shards;
}

ShardIndices indicesInShard(LocalFormBuilder &form, TensorBuilder &e, Value index, unsigned factor,
                            int64_t size) {
  Type int64 = e.getBuilder().getI64Type();
  Expression given = e.cast(e.wrap(index), int64);
  Expression global = e.select(given < 0.0, given + static_cast<double>(size), given);
  Expression begin = e.wrap(form.beginOf(factor, size)), end = e.wrap(form.endOf(factor, size));
  Expression isHeld = e.wrap(e.create<LogicalAndOp>(global >= begin, global < end));
  return {e.select(isHeld, global - begin, 0.0), isHeld};
}

Value termOf(TensorBuilder &e, Expression isHeld, Expression x) {
  if (x.type().getElementType().isInteger(1))
    return e.create<LogicalAndOp>(isHeld, x);
  return e.select(isHeld, x, 0.0);
}

} // namespace proa::pd
