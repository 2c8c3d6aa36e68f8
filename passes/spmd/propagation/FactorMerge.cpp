#include "passes/spmd/propagation/FactorMerge.h"

#include "passes/spmd/propagation/LocalFormCosts.h"

#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>

namespace proa::sharding {

bool isPrefix(llvm::ArrayRef<spmd::AxisRef> prefix, llvm::ArrayRef<spmd::AxisRef> axes) {
  if (prefix.size() > axes.size())
    return false;
  for (size_t i = 0; i < prefix.size(); ++i) {
    const spmd::AxisRef &a = prefix[i], &b = axes[i];
    bool isBegin = i + 1 == prefix.size() && a.axis == b.axis && a.pre == b.pre && b.size % a.size == 0;
    if (a != b && !isBegin)
      return false;
  }
  return true;
}

bool FactorMerge::isLegal(unsigned factor) const {
  for (auto *tensors : {&rule.operands, &rule.results})
    for (const pd::TensorFactors &tensor : *tensors)
      for (const pd::DimFactors &factors : tensor)
        if (factors.size() > 1 && llvm::is_contained(factors, factor) &&
            !dimMismatch(rule, factors, axes).empty())
          return false;
  return true;
}

/// Whether two splits of a factor have the same blocks, in the range that a dimension has of it.
static bool haveEqualBlocks(const FactorSplit &a, const FactorSplit &b,
                            const std::optional<pd::FactorRange> &range) {
  return range ? blocksIn(a.blocks, *range) == blocksIn(b.blocks, *range) : a.blocks == b.blocks;
}

void FactorMerge::extend(unsigned index, unsigned factor, const FactorSplit &requested,
                         const std::optional<pd::FactorRange> &range) {
  FactorSplit &own = axes[factor];
  const pd::ShardingFactor &description = rule.factors[factor];
  if (requested.empty() || description.kind == pd::FactorKind::Replicated)
    return;
  if (!own.empty() && !haveEqualBlocks(own, requested, range)) {
    hasConflict = true;
    return;
  }
  if (isPrefix(requested, own))
    return;
  if (!isPrefix(own, requested)) {
    hasConflict = true;
    return;
  }
  FactorSplit next;
  next.blocks = own.empty() ? requested.blocks : own.blocks;
  int64_t shards = 1, least = smallestBlock(description, next);
  for (const spmd::AxisRef &axis : requested) {
    bool isUsed = false;
    for (auto [other, list] : llvm::enumerate(axes))
      isUsed |=
          other != factor && llvm::any_of(list, [&](const spmd::AxisRef &ref) { return overlap(ref, axis); });
    hasConflict |= isUsed;
    shards *= axis.size;
    // More shards than elements would leave devices without elements.
    bool isTooSmall = !mlir::ShapedType::isDynamic(description.size) && shards > least;
    if (isUsed || isTooSmall)
      break;
    next.push_back(axis);
  }
  FactorSplit previous = own;
  for (own = next; own.size() > previous.size() && !isLegal(factor);)
    own.pop_back();
  if (own.empty() || own.size() < previous.size() || !isLegal(factor))
    own = previous;
  if (own != previous)
    source[factor] = index;
}

void FactorMerge::add(unsigned index, const pd::TensorFactors &tensor, const spmd::Placement &placement) {
  llvm::SmallVector<FactorSplit> lists;
  for (auto [factors, dim] : llvm::zip_equal(tensor, placement.dims))
    if (!dim.axes.empty() && distribute(rule, factors, dim, lists))
      for (auto [factor, list] : llvm::zip_equal(factors, lists))
        if (blockMismatch(rule.factors[factor], list).empty())
          extend(index, factor, list, factors.range);
}

namespace {

FactorMerge merge(const pd::ShardingRule &rule, llvm::ArrayRef<const spmd::Placement *> requested,
                  unsigned leader) {
  FactorMerge result(rule);
  result.add(leader, tensorOf(rule, leader), *requested[leader]);
  for (unsigned i = 0; i < requested.size(); ++i)
    if (i != leader)
      result.add(i, tensorOf(rule, i), *requested[i]);
  return result;
}

bool isSplit(const spmd::Placement &placement) {
  return llvm::any_of(placement.dims, [](const spmd::DimPlacement &dim) { return !dim.axes.empty(); });
}

/// Adds the axes that follow if each split tensor is the first one, besides the axes of `first`.
void addOtherOrders(const pd::ShardingRule &rule, llvm::ArrayRef<const spmd::Placement *> requested,
                    FactorMerge first, llvm::function_ref<bool(const FactorAxes &)> isWanted,
                    llvm::SmallVectorImpl<FactorMerge> &candidates) {
  // Ops with many operands, such as concatenations, would make many candidates.
  constexpr size_t maxCandidates = 8;
  size_t begin = candidates.size();
  auto add = [&](FactorMerge &&next) {
    if (isWanted(next.axes) &&
        llvm::none_of(candidates, [&](const FactorMerge &other) { return other.axes == next.axes; }))
      candidates.push_back(std::move(next));
  };
  bool hasConflict = first.hasConflict;
  add(std::move(first));
  for (unsigned leader = 1; hasConflict && leader < requested.size(); ++leader)
    if (candidates.size() < begin + maxCandidates && isSplit(*requested[leader]))
      add(merge(rule, requested, leader));
}

/// Whether a dimension of a factor that only the local form splits should be split, of the tensors from
/// `first` to before `end`.
bool mayNeedLocalForm(const pd::ShardingRule &rule, llvm::ArrayRef<const spmd::Placement *> requested,
                      size_t first, size_t end) {
  if (!rule.localForm)
    return false;
  for (size_t i = first; i < end; ++i)
    for (auto [factors, dim] : llvm::zip_equal(tensorOf(rule, static_cast<unsigned>(i)), requested[i]->dims))
      if (!dim.axes.empty() &&
          llvm::any_of(factors, [&](unsigned factor) { return rule.factors[factor].localKind; }))
        return true;
  return false;
}

} // namespace

FactorChoice chooseAxes(const CachedRule &cached, llvm::ArrayRef<const spmd::Placement *> requested,
                        bool isAnnotated, llvm::function_ref<double(const FactorAxes &)> cost) {
  const pd::ShardingRule &rule = cached.rule;
  if (requested.empty())
    return {FactorAxes(rule.factors.size()), llvm::SmallVector<unsigned>(rule.factors.size(), 0)};
  FactorMerge first = merge(rule, requested, 0);
  bool triesLocalForm = mayNeedLocalForm(rule, requested, 0, requested.size());
  if (!first.hasConflict && !triesLocalForm)
    return {std::move(first.axes), std::move(first.source)};
  llvm::SmallVector<FactorMerge> candidates;
  addOtherOrders(rule, requested, std::move(first), [](const FactorAxes &) { return true; }, candidates);
  size_t direct = candidates.size();
  if (triesLocalForm)
    addOtherOrders(
        cached.local, requested, merge(cached.local, requested, 0),
        [&](const FactorAxes &axes) { return needsLocalForm(rule, axes); }, candidates);
  if (candidates.size() == 1)
    return {std::move(candidates[0].axes), std::move(candidates[0].source)};
  llvm::SmallVector<double> times =
      llvm::map_to_vector(candidates, [&](const FactorMerge &candidate) { return cost(candidate.axes); });
  auto best = std::min_element(times.begin(), times.end()) - times.begin();
  std::optional<LocalFormDecision> decision;
  if (direct < candidates.size()) {
    auto local = std::min_element(times.begin() + direct, times.end());
    size_t operands = rule.operands.size();
    bool isRequested = isAnnotated && *local < LocalFormCosts::refused &&
                       mayNeedLocalForm(rule, requested, 0, operands) &&
                       mayNeedLocalForm(rule, requested, operands, requested.size());
    decision = {*local, *std::min_element(times.begin(), times.begin() + direct), isRequested};
    if (isRequested)
      best = local - times.begin();
  }
  return {std::move(candidates[best].axes), std::move(candidates[best].source), decision};
}

} // namespace proa::sharding
