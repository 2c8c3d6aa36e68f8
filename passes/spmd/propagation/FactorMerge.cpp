#include "passes/spmd/propagation/FactorMerge.h"

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

void FactorMerge::extend(unsigned index, unsigned factor, llvm::ArrayRef<spmd::AxisRef> requested) {
  auto &own = axes[factor];
  const pd::ShardingFactor &description = rule.factors[factor];
  if (requested.empty() || description.kind == pd::FactorKind::Replicated || isPrefix(requested, own))
    return;
  if (!isPrefix(own, requested)) {
    hasConflict = true;
    return;
  }
  llvm::SmallVector<spmd::AxisRef, 2> next;
  int64_t parts = 1;
  for (const spmd::AxisRef &axis : requested) {
    bool isUsed = false;
    for (auto [other, list] : llvm::enumerate(axes))
      isUsed |=
          other != factor && llvm::any_of(list, [&](const spmd::AxisRef &ref) { return overlap(ref, axis); });
    hasConflict |= isUsed;
    parts *= axis.size;
    // More parts than elements would leave devices without elements.
    bool isTooSmall = !mlir::ShapedType::isDynamic(description.size) && parts > description.size;
    if (isUsed || isTooSmall)
      break;
    next.push_back(axis);
  }
  auto previous = own;
  for (own = next; own.size() > previous.size() && !isLegal(factor);)
    own.pop_back();
  if (own.size() < previous.size() || !isLegal(factor))
    own = previous;
  if (own != previous)
    source[factor] = index;
}

void FactorMerge::add(unsigned index, const pd::TensorFactors &tensor, const spmd::Placement &placement) {
  llvm::SmallVector<llvm::SmallVector<spmd::AxisRef, 2>> lists;
  for (auto [factors, dim] : llvm::zip_equal(tensor, placement.dims)) {
    if (dim.axes.empty() || !dim.blocks.empty())
      continue;
    if (factors.size() == 1)
      extend(index, factors.front(), dim.axes);
    else if (distribute(rule, factors, dim.axes, lists))
      for (auto [factor, list] : llvm::zip_equal(factors, lists))
        extend(index, factor, list);
  }
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

} // namespace

FactorChoice chooseAxes(const pd::ShardingRule &rule, llvm::ArrayRef<const spmd::Placement *> requested,
                        llvm::function_ref<double(const FactorAxes &)> cost) {
  if (requested.empty())
    return {FactorAxes(rule.factors.size()), llvm::SmallVector<unsigned>(rule.factors.size(), 0)};
  FactorMerge first = merge(rule, requested, 0);
  if (!first.hasConflict)
    return {std::move(first.axes), std::move(first.source)};
  // Ops with many operands, such as concatenations, would make many candidates.
  constexpr size_t maxCandidates = 8;
  llvm::SmallVector<FactorMerge> candidates{std::move(first)};
  for (unsigned leader = 1; leader < requested.size() && candidates.size() < maxCandidates; ++leader) {
    if (!isSplit(*requested[leader]))
      continue;
    FactorMerge next = merge(rule, requested, leader);
    if (llvm::none_of(candidates, [&](const FactorMerge &other) { return other.axes == next.axes; }))
      candidates.push_back(std::move(next));
  }
  size_t best = 0;
  double least = candidates.size() > 1 ? cost(candidates[0].axes) : 0;
  for (size_t i = 1; i < candidates.size(); ++i)
    if (double next = cost(candidates[i].axes); next < least) {
      least = next;
      best = i;
    }
  return {std::move(candidates[best].axes), std::move(candidates[best].source)};
}

} // namespace proa::sharding
