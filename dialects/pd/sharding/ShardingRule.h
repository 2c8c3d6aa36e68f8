/// Sharding rules: how an op may be split over devices, and which dimensions of its operands and results are
/// split together.
#pragma once

#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

enum class FactorKind : uint8_t {
  /// Each part of the operands gives that part of the results.
  PassThrough,
  /// Each part of the operands gives results of the whole size, which are combined by a reduction.
  Reduction,
  /// The dimensions belong together, but each part of a result needs all of the operands.
  Replicated,
};

/// A loop of the op's computation, which dimensions of operands and results share.
struct ShardingFactor {
  /// The dim size; may be ShapedType::kDynamic.
  int64_t size = 0;
  FactorKind kind = FactorKind::PassThrough;
  /// Of a Reduction.
  ReductionKind reduction = ReductionKind::Sum;
};

/// The factors of a dimension, from the outermost on: a dimension that `reshape` joins has those of its
/// parts. A dimension without factors is needed whole.
using DimFactors = llvm::SmallVector<unsigned, 1>;
/// One entry for each dimension. Empty if the value is not a tensor.
using TensorFactors = llvm::SmallVector<DimFactors, 4>;

/// As Shardy's OpShardingRule and GSPMD's dimension groups (Bauer et al. 2021, "GSPMD", section 3.5): the
/// matrix product of [m, k] and [k, n] is `([i, k], [k, j])->([i, j]) {i=m, j=n, k=k} reduction={k:sum}`.
struct ShardingRule {
  llvm::SmallVector<ShardingFactor> factors;
  llvm::SmallVector<TensorFactors> operands, results;

  /// The notation above. Factors are called i, j, k, ...; after them, those that are not pass-through are
  /// listed.
  std::string text() const;
};

/// Builds a rule factor by factor.
class ShardingRuleBuilder {
public:
  /// A rule without factors.
  explicit ShardingRuleBuilder(mlir::Operation *op);

  unsigned addFactor(int64_t size, FactorKind kind = FactorKind::PassThrough,
                     ReductionKind reduction = ReductionKind::Sum);
  /// Appends a factor to a dimension, inside of those that it has.
  void setOperand(unsigned operand, int64_t dim, unsigned factor);
  void setResult(unsigned result, int64_t dim, unsigned factor);
  /// Adds a factor that a dimension of an operand and one of a result share, if their sizes are equal.
  void pair(unsigned operand, int64_t operandDim, unsigned result, int64_t resultDim,
            FactorKind kind = FactorKind::PassThrough);

  mlir::RankedTensorType operandType(unsigned operand) const;
  mlir::RankedTensorType resultType(unsigned result) const;
  mlir::Operation *op() const { return operation; }
  /// The rule, without factors of size 1.
  ShardingRule take();

private:
  mlir::Operation *operation;
  ShardingRule rule;
};

/// Whether the op's record has the field `sharding`.
bool hasRecordedSharding(mlir::Operation *op);
/// The rule in the field `sharding` of the op's record, if it has one that fits the op's ranks.
std::optional<ShardingRule> shardingOfRecord(mlir::Operation *op);

/// The rule that follows from the decomposition of a composite: a dimension can be split if every op of the
/// decomposition allows it.
std::optional<ShardingRule> shardingOfDecomposition(mlir::Operation *op);

/// Sets the attribute `shape` of a reshape or expand, whose result becomes a part, to the dims of the part.
void setLocalShape(mlir::Operation *op, llvm::ArrayRef<int64_t> dims);

/// The rule with those factors replicated that type inference does not follow: on a part of the operands, the
/// inferred results are not parts (the size is in an attribute, or a dimension of size 1 is removed).
ShardingRule fitted(mlir::Operation *op, ShardingRule rule);

/// The source of the rule of an op of this kind: "record", "code" (ShardableOpInterface), "interface",
/// "decomposition", or "none".
llvm::StringRef shardingSource(mlir::Operation *op);

/// The rule of an op: of its record, of describeSharding(), by its interfaces (elementwise, reduction,
/// movement), or of its decomposition. An op without one runs whole on each device.
std::optional<ShardingRule> shardingRuleOf(mlir::Operation *op);

} // namespace proa::pd
