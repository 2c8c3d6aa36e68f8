/// How an op may be split over devices: what extents of its operands and results belong together.
#pragma once

#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

enum class FactorKind : uint8_t {
  /// Each part of the operands gives that part of the results.
  PassThrough,
  /// Each part of the operands gives results of the whole extent, which are combined by a reduction.
  Reduction,
  /// The dimensions belong together, but each part of a result needs all of the operands.
  Replicated,
};

/// A loop of the op's computation: an extent that dimensions have in common.
struct ShardingFactor {
  /// ShapedType::kDynamic: not known.
  int64_t size = 0;
  FactorKind kind = FactorKind::PassThrough;
  /// Of a Reduction.
  ReductionKind reduction = ReductionKind::Sum;
};

/// The factors that a dimension is made of, from the outermost on: of `reshape` a joined dimension has those
/// of its parts. None: nothing is said of the dimension, and it is needed whole.
using DimFactors = llvm::SmallVector<unsigned, 1>;
/// One entry a dimension. None for what is no tensor.
using TensorFactors = llvm::SmallVector<DimFactors, 4>;

/// As Shardy's OpShardingRule and GSPMD's dimension groups (Bauer et al. 2021, "GSPMD", section 3.5): the
/// matrix product of [m, k] and [k, n] is `([i, k], [k, j])->([i, j]) {i=m, j=n, k=k} reduction={k:sum}`.
struct ShardingRule {
  llvm::SmallVector<ShardingFactor> factors;
  llvm::SmallVector<TensorFactors> operands, results;

  /// As above. Factors are called i, j, k, ..., those of a kind other than pass-through are listed behind.
  std::string text() const;
};

/// Makes a rule factor by factor.
class ShardingRuleBuilder {
public:
  /// A rule that says nothing yet.
  explicit ShardingRuleBuilder(mlir::Operation *op);

  unsigned addFactor(int64_t size, FactorKind kind = FactorKind::PassThrough,
                     ReductionKind reduction = ReductionKind::Sum);
  /// The dimension consists of this factor, inside of those that it was given before.
  void setOperand(unsigned operand, int64_t dim, unsigned factor);
  void setResult(unsigned result, int64_t dim, unsigned factor);
  /// A factor of a dimension of one operand and one of a result, where their extents are the same and not 1.
  void pair(unsigned operand, int64_t operandDim, unsigned result, int64_t resultDim,
            FactorKind kind = FactorKind::PassThrough);

  mlir::RankedTensorType operandType(unsigned operand) const;
  mlir::RankedTensorType resultType(unsigned result) const;
  mlir::Operation *op() const { return operation; }
  /// The rule. Factors of extent 1 are left out.
  ShardingRule take();

private:
  mlir::Operation *operation;
  ShardingRule rule;
};

/// The rules by op; the files of this folder fill it, each for a kind of ops. What a record says in its field
/// `sharding` is here too.
class ShardingRules {
public:
  /// False where it does not cover this use.
  using Describe = bool (*)(ShardingRuleBuilder &rule);
  static const ShardingRules &get();

  template <class... Ops> void add(Describe describe) {
    (describes.try_emplace(Ops::getOperationName(), describe), ...);
  }
  Describe find(mlir::Operation *op) const { return describes.lookup(op->getName().getStringRef()); }

private:
  llvm::StringMap<Describe> describes;
};

void addMoveSharding(ShardingRules &rules);
void addAxisSharding(ShardingRules &rules);
void addIndexSharding(ShardingRules &rules);
void addProductSharding(ShardingRules &rules);

/// Whether the op's record has the field `sharding`.
bool hasRecordedSharding(mlir::Operation *op);
/// What the op's record says in the field `sharding`; nothing where it is silent.
std::optional<ShardingRule> shardingOfRecord(mlir::Operation *op);

/// What follows from the decomposition of a composite: a dimension can be split if none of the ops that it is
/// made of stands against it.
std::optional<ShardingRule> shardingOfDecomposition(mlir::Operation *op);

/// Makes the attribute that says the dims of a result (of reshape and expand) say those of a part.
void setLocalShape(mlir::Operation *op, llvm::ArrayRef<int64_t> dims);

/// The rule with those factors replicated for which the op's types do not follow: its results on a part of
/// the operands are not inferred to be parts (an extent in an attribute, a dimension that goes when it is 1).
ShardingRule fitted(mlir::Operation *op, ShardingRule rule);

/// Where the rule of an op of this kind comes from: "record", "table", "interface", "decomposition", or
/// "none".
llvm::StringRef shardingSource(mlir::Operation *op);

/// The rule of an op: of its record, of the table, by its interfaces (elementwise, reduction, movement), or
/// of its decomposition. Nothing where none says anything: it then runs whole on each device.
std::optional<ShardingRule> shardingRuleOf(mlir::Operation *op);

} // namespace proa::pd
