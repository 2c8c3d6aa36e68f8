#include "passes/spmd/propagation/RuleCache.h"

#include "dialects/dist/Placements.h"
#include "passes/spmd/FactorAxes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::sharding {

namespace {

constexpr auto ignored = OperationEquivalence::IgnoreLocations | OperationEquivalence::IgnoreDiscardableAttrs;

/// The value of a constant, which decompositions and type inference may read; otherwise null.
Attribute constantOf(Value value) {
  Attribute constant;
  Operation *op = value.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>() && matchPattern(op, m_Constant(&constant)) ? constant
                                                                                                : Attribute();
}

std::unique_ptr<CachedRule> cached(pd::ShardingRule rule) {
  auto result = std::make_unique<CachedRule>();
  result->isPassThrough = llvm::all_of(rule.factors, [](const pd::ShardingFactor &factor) {
    return factor.kind == pd::FactorKind::PassThrough;
  });
  result->local = rule.localForm ? pd::withLocalForm(rule) : rule;
  result->rule = std::move(rule);
  return result;
}

/// The rule without factors whose partial results have no reduction of their element type: the maximum of
/// bools.
pd::ShardingRule reducible(Operation *op, pd::ShardingRule rule) {
  for (auto [index, factor] : llvm::enumerate(rule.factors)) {
    bool isReduction = factor.kind == pd::FactorKind::Reduction,
         isLocal = factor.localKind == pd::FactorKind::Reduction;
    if (!isReduction && !isLocal)
      continue;
    auto reduction = static_cast<dist::Reduction>(reductionOf(factor));
    auto hasFactor = [&](const pd::DimFactors &dim) {
      return llvm::is_contained(dim, static_cast<unsigned>(index));
    };
    for (auto [result, tensor] : llvm::zip_equal(op->getResults(), rule.results))
      if (llvm::none_of(tensor, hasFactor) &&
          !dist::reduces(reduction, getElementTypeOrSelf(result.getType()))) {
        factor.kind = pd::FactorKind::Replicated;
        factor.reason = "partial results of this element type have no such reduction";
        factor.localKind.reset();
      }
  }
  return rule;
}

} // namespace

unsigned RuleCache::Signature::getHashValue(Operation *op) {
  auto byType = [](Value value) { return llvm::hash_value(value.getType().getAsOpaquePointer()); };
  return static_cast<unsigned>(static_cast<size_t>(
      OperationEquivalence::computeHash(op, byType, OperationEquivalence::ignoreHashValue, ignored)));
}

bool RuleCache::Signature::isEqual(Operation *a, Operation *b) {
  if (a == b)
    return true;
  if (a == getTombstoneKey() || a == getEmptyKey() || b == getTombstoneKey() || b == getEmptyKey())
    return false;
  auto areEqual = [](Value x, Value y) {
    return success(x.getType() == y.getType() && (x == y || constantOf(x) == constantOf(y)));
  };
  return OperationEquivalence::isEquivalentTo(a, b, areEqual, nullptr, ignored);
}

const CachedRule *RuleCache::of(Operation *op) {
  if (!llvm::isa_and_present<pd::PdDialect>(op->getDialect()) || op->getNumRegions() > 0)
    return nullptr;
  auto [entry, isNew] = rules.try_emplace(op);
  if (isNew)
    if (auto rule = pd::shardingRuleOf(op))
      entry->second = cached(reducible(op, std::move(*rule)));
  return entry->second.get();
}

const CachedRule *RuleCache::identity(RankedTensorType type) {
  auto [entry, isNew] = identitiesOfTypes.try_emplace(type);
  if (isNew) {
    pd::ShardingRule rule;
    pd::TensorFactors tensor;
    for (int64_t size : type.getShape()) {
      tensor.push_back(size == 1 ? pd::DimFactors() : pd::DimFactors{unsigned(rule.factors.size())});
      if (size != 1)
        rule.factors.push_back({size});
    }
    rule.operands = {tensor};
    rule.results = {tensor};
    entry->second = cached(std::move(rule));
  }
  return entry->second.get();
}

} // namespace proa::sharding
