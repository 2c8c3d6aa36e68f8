/// Local forms: what a device computes where a split of an op needs communication inside of the op.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/sharding/ShardingRule.h"

namespace proa::pd {

/// The inputs of the local form of an op on one device: its parts of the operands, and collectives over the
/// axes of a factor. All devices create the same ops, with other dims and numbers. The partitioner implements
/// the collectives; tests simulate them.
class LocalFormBuilder {
public:
  LocalFormBuilder(mlir::OpBuilder &builder, mlir::Operation *op, const ShardingRule &rule,
                   mlir::ValueRange operands)
      : builder(builder), global(op), rule(rule), operands(operands) {}
  virtual ~LocalFormBuilder() = default;

  mlir::OpBuilder &getBuilder() { return builder; }
  /// The op with global types.
  mlir::Operation *op() const { return global; }
  /// The device's part of an operand.
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

  /// The type of the device's part of a result.
  virtual mlir::RankedTensorType localResultType(unsigned result) const = 0;
  virtual int64_t partsOf(unsigned factor) const = 0;
  /// The blocks of the factor that are each split; empty: the factor is one block.
  virtual llvm::ArrayRef<int64_t> blocksOf(unsigned) const { return {}; }
  /// The part of the device, if the form is created for one device.
  virtual std::optional<int64_t> ownPart(unsigned) const { return std::nullopt; }
  /// The number of elements of the device's part before index `index` of the factor, which is at the begin of
  /// a block. None if the devices have different numbers.
  std::optional<int64_t> countBefore(unsigned factor, int64_t index) const;
  /// A rank-0 int64 tensor: `values[i]` on the devices of part i of the factor.
  virtual mlir::Value byPart(unsigned factor, llvm::ArrayRef<int64_t> values) = 0;
  /// The values of all parts, joined along `dim` in the order of the parts to `size` elements.
  virtual mlir::Value gather(mlir::Value local, int64_t dim, unsigned factor, int64_t size) = 0;
  /// The elementwise combination of the values of all parts, which have equal dims.
  virtual mlir::Value reduce(mlir::Value local, ReductionKind kind, unsigned factor) = 0;
  /// The device's part of the sum of the values of all parts, along `dim`, which has `size` elements.
  virtual mlir::Value reduceScatter(mlir::Value local, int64_t dim, unsigned factor, int64_t size) = 0;
  /// The value of part `sources[i]` on the devices of part i, where `sources` is a permutation of the parts.
  /// All devices have equal dims.
  virtual mlir::Value permute(mlir::Value local, unsigned factor, llvm::ArrayRef<int64_t> sources) = 0;
  /// Elements of a dimension of global size `size` that is split over the factor: part i gets `ranges[i]`,
  /// which may begin before 0 and end after `size`. The elements there are `fill`.
  virtual mlir::Value window(mlir::Value local, int64_t dim, unsigned factor, int64_t size,
                             llvm::ArrayRef<std::pair<int64_t, int64_t>> ranges, double fill) = 0;

  /// The value of the next part; that of part 0 for the last one.
  mlir::Value next(mlir::Value local, unsigned factor);
  mlir::Value indexOf(unsigned factor);
  /// The first index of the device's part of a dimension of `size` elements, and the index after the last.
  mlir::Value beginOf(unsigned factor, int64_t size);
  mlir::Value endOf(unsigned factor, int64_t size);

private:
  mlir::OpBuilder &builder;
  mlir::Operation *global;
  const ShardingRule &rule;
  llvm::SmallVector<mlir::Value> operands;
};

/// Where part i of `parts` of a dimension begins: as spmd::partOf (docs/dist.md).
int64_t beginOfPart(int64_t size, int64_t parts, int64_t part);

/// Indices into a split dimension.
struct PartIndices {
  /// Relative to the device's part; 0 where the part does not have the index.
  Expression index;
  /// Whether the device's part has the index.
  Expression isHeld;
};
/// The part of indices into a dimension of `size` elements. Negative indices count from its end.
PartIndices indicesInPart(LocalFormBuilder &form, TensorBuilder &e, mlir::Value index, unsigned factor,
                          int64_t size);

/// x where the condition is true, elsewhere zeros or false: a term of a sum, or of an Or, over devices.
mlir::Value termOf(TensorBuilder &e, Expression isHeld, Expression x);

} // namespace proa::pd
