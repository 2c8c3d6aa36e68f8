/// The axes of an op's factors that follow from placements that its operands and results have or should have.
#pragma once

#include "passes/spmd/FactorAxes.h"
#include "passes/spmd/propagation/RuleCache.h"

namespace proa::sharding {

/// Adds the axes of one tensor after the other to factors, by these rules. In the examples x = 4, y = 2, and
/// the halves of x are `x:(1)2` and `x:(2)2`.
///
/// 1. A list that begins the list of the factor changes nothing: `{x}` after `{x, y}`.
/// 2. A list that the list of the factor begins extends it: `{x, y}` after `{x}`, `{x}` after `{x:(1)2}`.
/// 3. Any other list for a split factor is a conflict, and the earlier tensor wins: `{y}` after `{x}`, or
///    `{x:(2)2}` after `{x:(1)2}`; so is a list with other blocks.
/// 4. An axis that overlaps one of another factor is a conflict. Axes before it are taken: `{y, x}` for j
///    where i has `{x}` gives j `{y}`.
/// 5. Axes that would make more shards than the factor (or its smallest block) has elements are left out: of
///    `{x, y}`, a factor of size 4 takes `{x}`. So are axes that the dimension of several factors cannot have
///    (factorMismatch()). Neither is a conflict, because no other order of the tensors changes it.
/// 6. A replicated factor has no axes.
class FactorMerge {
public:
  explicit FactorMerge(const pd::ShardingRule &rule)
      : axes(rule.factors.size()), source(rule.factors.size(), 0), rule(rule) {}

  /// Adds the axes of a tensor; `index` identifies it in `source`.
  void add(unsigned index, const pd::TensorFactors &tensor, const spmd::Placement &placement);

  FactorAxes axes;
  /// The last tensor that added axes to each factor.
  llvm::SmallVector<unsigned> source;
  /// Whether another order of the tensors may give other axes.
  bool hasConflict = false;

private:
  void extend(unsigned index, unsigned factor, const FactorSplit &requested,
              const std::optional<pd::FactorRange> &range);
  /// Whether a factor may be split by its axes, given the axes of the factors in its dimensions.
  bool isLegal(unsigned factor) const;

  const pd::ShardingRule &rule;
};

/// Whether a list of axes begins another: `x:(1)2` begins `x, y`.
bool isPrefix(llvm::ArrayRef<spmd::AxisRef> prefix, llvm::ArrayRef<spmd::AxisRef> axes);

/// The tensors of an op: operands, then results.
inline const pd::TensorFactors &tensorOf(const pd::ShardingRule &rule, unsigned index) {
  return index < rule.operands.size() ? rule.operands[index] : rule.results[index - rule.operands.size()];
}

/// The times of an op with and without its local form, where both are possible.
struct LocalFormDecision {
  double with = 0, without = 0;
  /// Whether the annotation of the op asks for the local form.
  bool isRequested = false;
};

struct FactorChoice {
  FactorAxes axes;
  llvm::SmallVector<unsigned> source;
  std::optional<LocalFormDecision> localForm = {};
};

/// The axes for the placements of operands and results. If they contradict each other, each tensor is tried
/// as the first one. If they split a factor that the local form of the op can split, that is tried too.
/// `cost` decides; the first of equal ones is taken. If operands and annotated results split such a factor,
/// the local form is taken wherever it covers the shards.
FactorChoice chooseAxes(const CachedRule &rule, llvm::ArrayRef<const spmd::Placement *> requested,
                        bool isAnnotated, llvm::function_ref<double(const FactorAxes &)> cost);

} // namespace proa::sharding
