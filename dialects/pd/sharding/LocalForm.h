/// Local forms: what a device computes where a split of an op needs communication inside of the op.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/sharding/ShardingRule.h"

namespace proa::pd {

/// The inputs of the local form of an op on one device: its shards of the operands, and collectives over the
/// axes of a factor. All devices create the same ops, with other dims and constants. The partitioner
/// implements the collectives; tests simulate them.
class LocalFormBuilder {
public:
  LocalFormBuilder(mlir::OpBuilder &builder, mlir::Operation *op, const ShardingRule &rule,
                   mlir::ValueRange operands)
      : builder(builder), global(op), rule(rule), operands(operands) {}
  virtual ~LocalFormBuilder() = default;

  mlir::OpBuilder &getBuilder() { return builder; }
  /// The op with global types.
  mlir::Operation *op() const { return global; }
  /// The device's shard of an operand.
  mlir::Value operand(unsigned index) const { return operands[index]; }
  int64_t globalDim(unsigned operand, int64_t dim) const {
    return mlir::cast<mlir::RankedTensorType>(global->getOperand(operand).getType()).getDimSize(dim);
  }
  /// The factor of a dimension of an operand or of a result, if it is split.
  std::optional<unsigned> splitFactor(unsigned operand, int64_t dim) const;
  std::optional<unsigned> splitResultFactor(unsigned result, int64_t dim) const;
  /// A clone of the op on local operands, with the local dims of its first result, of inferred types; null if
  /// inference refuses the operands.
  mlir::Operation *cloneOn(mlir::ValueRange localOperands);

  /// The type of the device's shard of a result.
  virtual mlir::RankedTensorType localResultType(unsigned result) const = 0;
  virtual int64_t shardCount(unsigned factor) const = 0;
  /// The blocks of the factor that are each split; empty: the factor is one block.
  virtual llvm::ArrayRef<int64_t> blocksOf(unsigned) const { return {}; }
  /// The shard of the device, if the form is created for one device.
  virtual std::optional<int64_t> ownShard(unsigned) const { return std::nullopt; }
  /// The number of elements of the device's shard before index `index` of the factor, which is at the begin
  /// of a block. None if the devices have different counts.
  std::optional<int64_t> countBefore(unsigned factor, int64_t index) const;
  /// A rank-0 int64 tensor: `values[i]` on the devices of shard i of the factor.
  virtual mlir::Value byShard(unsigned factor, llvm::ArrayRef<int64_t> values) = 0;
  /// The values of all shards, joined along `dim` in the order of the shards to `size` elements.
  virtual mlir::Value gather(mlir::Value local, int64_t dim, unsigned factor, int64_t size) = 0;
  /// The elementwise combination of the values of all shards, which have equal dims.
  virtual mlir::Value reduce(mlir::Value local, ReductionKind kind, unsigned factor) = 0;
  /// The device's shard of the sum of the values of all shards, along `dim`, which has `size` elements.
  virtual mlir::Value reduceScatter(mlir::Value local, int64_t dim, unsigned factor, int64_t size) = 0;
  /// The value of shard `sources[i]` on the devices of shard i, where `sources` is a permutation of the
  /// shards. All devices have equal dims.
  virtual mlir::Value permute(mlir::Value local, unsigned factor, llvm::ArrayRef<int64_t> sources) = 0;
  /// Elements of a dimension of global size `size` that is split over the factor: shard i gets `ranges[i]`,
  /// which may begin before 0 and end after `size`. The elements there are `fill`.
  virtual mlir::Value window(mlir::Value local, int64_t dim, unsigned factor, int64_t size,
                             llvm::ArrayRef<std::pair<int64_t, int64_t>> ranges, double fill) = 0;

  /// The value of the next shard; the last one has the value of shard 0.
  mlir::Value next(mlir::Value local, unsigned factor);
  mlir::Value indexOf(unsigned factor);
  /// The first index of the device's shard of a dimension of `size` elements, and the index after the last.
  mlir::Value beginOf(unsigned factor, int64_t size);
  mlir::Value endOf(unsigned factor, int64_t size);

private:
  mlir::OpBuilder &builder;
  mlir::Operation *global;
  const ShardingRule &rule;
  llvm::SmallVector<mlir::Value> operands;
};

/// Where shard i of `shards` of a dimension begins: as spmd::shardRange (docs/dist.md).
int64_t beginOfShard(int64_t size, int64_t shards, int64_t shard);

/// Indices into a split dimension.
struct ShardIndices {
  /// Relative to the device's shard; 0 where the shard does not have the index.
  Expression index;
  /// Whether the device's shard has the index.
  Expression isHeld;
};
/// The shard of indices into a dimension of `size` elements. Negative indices count from its end.
ShardIndices indicesInShard(LocalFormBuilder &form, TensorBuilder &e, mlir::Value index, unsigned factor,
                            int64_t size);

/// x where the condition is true, elsewhere zeros or false: a term of a sum, or of an Or, over devices.
mlir::Value termOf(TensorBuilder &e, Expression isHeld, Expression x);

} // namespace proa::pd
