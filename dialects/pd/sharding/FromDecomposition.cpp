//! Sharding rules of composites, from the rules of the ops of their decompositions.
#include "dialects/pd/sharding/Formula.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// A dimension of the composite's operand or result.
struct OwnDim {
  bool isResult;
  unsigned index;
  int64_t dim, size;
};

/// Why the dimensions of a class get no factor; empty if they get one. A decomposition for static dims may
/// contain their sizes as constants, so a class of only operand dims or only result dims may not be
/// splittable, except where the sizes come from the attribute `shape`, which setLocalShape() sets, or where
/// the decomposition of the whole op runs on shards. Different sizes in a class come from other attributes.
std::string whyNoFactor(ShardingRuleBuilder &rule, llvm::ArrayRef<OwnDim> dims, Classes::Need need,
                        llvm::StringRef op) {
  auto isResult = [](const OwnDim &dim) { return dim.isResult; };
  auto shape = rule.op()->getAttrOfType<DenseI64ArrayAttr>("shape");
  bool hasShape = shape && shape.size() == rule.resultType(0).getRank();
  if (llvm::none_of(dims, isResult) && need != Classes::Need::Communication)
    return need == Classes::Need::Whole ? op.str() + " of its decomposition needs the whole dimension"
                                        : "its size may be a constant in the decomposition";
  if (llvm::all_of(dims, isResult) && !hasShape)
    return "its size does not follow from the operands";
  if (llvm::any_of(dims, [&](const OwnDim &dim) { return dim.size != dims.front().size; }))
    return "its decomposition relates dims of different sizes";
  return "";
}

/// Adds the factor of a class.
void addFactor(ShardingRuleBuilder &rule, llvm::ArrayRef<OwnDim> dims, Classes::Need need,
               llvm::StringRef op) {
  auto isResult = [](const OwnDim &dim) { return dim.isResult; };
  int64_t size = dims.front().size;
  if (std::string reason = whyNoFactor(rule, dims, need, op); !reason.empty()) {
    for (const OwnDim &dim : dims)
      rule.explain(dim.isResult, dim.index, dim.dim, reason);
    return;
  }
  unsigned factor =
      need == Classes::Need::Shard
          ? rule.addFactor(size)
          : rule.addWholeFactor(size, op.str() + " of its decomposition needs the whole dimension");
  for (const OwnDim &dim : dims)
    dim.isResult ? rule.setResult(dim.index, dim.dim, factor) : rule.setOperand(dim.index, dim.dim, factor);
  if (const auto *operand = llvm::find_if_not(dims, isResult);
      need == Classes::Need::Communication && operand != dims.end())
    rule.splitByLocalForm(operand->index, operand->dim, localDecomposition);
}

/// Whether a value in an attribute is equal, or may depend on sizes: dims of types and lists of dims.
bool hasEqualConstant(Attribute a, Attribute b) {
  auto splatOf = [](Attribute attribute) -> Attribute {
    auto elements = dyn_cast<DenseElementsAttr>(attribute);
    return elements && elements.isSplat() ? elements.getSplatValue<Attribute>() : Attribute();
  };
  if (isa<FloatAttr>(a) || isa<FloatAttr>(b))
    return a == b;
  return splatOf(a) == splatOf(b);
}

/// Whether two decompositions have the same ops and constants.
bool haveEqualConstants(Formula &a, Formula &b) {
  auto first = a.ops(), second = b.ops();
  if (failed(a.results()) || failed(b.results()) || first.size() != second.size())
    return false;
  return llvm::all_of(llvm::zip_equal(first, second), [](auto pair) {
    auto [one, other] = pair;
    if (one->getName() != other->getName())
      return false;
    return llvm::all_of(one->getAttrDictionary(), [other](NamedAttribute attribute) {
      Attribute own = other->getAttr(attribute.getName());
      return own && hasEqualConstant(attribute.getValue(), own);
    });
  });
}

/// The type with one more element in the dimensions of some factors.
RankedTensorType enlarged(Value value, const TensorFactors &tensor,
                          llvm::function_ref<bool(unsigned factor)> isLarger) {
  auto type = cast<RankedTensorType>(value.getType());
  llvm::SmallVector<int64_t> dims(type.getShape());
  for (auto [dim, factors] : llvm::zip_equal(dims, tensor))
    if (factors.size() == 1 && isLarger(factors[0]))
      ++dim;
  return type.clone(dims);
}

/// Replicates the factors whose size is a constant in the decomposition, such as 1 / size.
void replicateSizesInConstants(Operation *op, Formula &whole, ShardingRule &rule) {
  auto isSplit = [](const ShardingFactor &factor) {
    return factor.kind != FactorKind::Replicated && !ShapedType::isDynamic(factor.size);
  };
  auto isIndependentOf = [&](llvm::function_ref<bool(unsigned)> isLarger) {
    Formula larger(op,
                   llvm::map_to_vector(llvm::zip_equal(op->getOperands(), rule.operands),
                                       [&](auto each) -> Type {
                                         auto [value, factors] = each;
                                         return enlarged(value, factors, isLarger);
                                       }),
                   enlarged(op->getResult(0), rule.results[0], isLarger).getShape());
    return haveEqualConstants(whole, larger);
  };
  if (isIndependentOf([&](unsigned factor) { return isSplit(rule.factors[factor]); }))
    return;
  for (auto [index, factor] : llvm::enumerate(rule.factors))
    if (isSplit(factor) && !isIndependentOf([&](unsigned other) { return other == index; })) {
      factor.kind = FactorKind::Replicated;
      factor.reason = "its size is a constant in the decomposition";
      factor.localKind = FactorKind::PassThrough; // the decomposition of the whole op has the right constant
      rule.localForm = localDecomposition;
    }
}

ShardingRule ruleOf(Operation *op, Operation *clone, ValueRange values, Classes &classes) {
  llvm::MapVector<unsigned, llvm::SmallVector<OwnDim>> dims;
  auto add = [&](bool isResult, unsigned index, Value value, Value own) {
    if (!value || rankOf(value) != rankOf(own))
      return;
    for (int64_t dim = 0; dim < rankOf(own); ++dim)
      if (int64_t size = dimSizeOf({own, dim}); size != 1)
        dims[classes.of({value, dim})].push_back({isResult, index, dim, size});
  };
  for (auto [i, operand] : llvm::enumerate(clone->getOperands()))
    add(false, static_cast<unsigned>(i), operand, op->getOperand(i));
  for (auto [i, value] : llvm::enumerate(values))
    add(true, static_cast<unsigned>(i), value, op->getResult(i));
  ShardingRuleBuilder rule(op);
  for (auto &[id, own] : dims)
    addFactor(rule, own, classes.needOf(id), classes.opOf(id));
  return rule.take();
}

} // namespace

std::optional<ShardingRule> shardingOfDecomposition(Operation *op) {
  if (!isa<DecomposableOpInterface>(op))
    return std::nullopt;
  ScopedDiagnosticHandler silent(op->getContext(), [](mlir::Diagnostic &) { return success(); });
  Formula formula(op, op->getOperandTypes(), {});
  if (failed(formula.results()))
    return std::nullopt;
  Classes classes;
  if (!formula.addConstraints(classes))
    return std::nullopt;
  ShardingRule rule = ruleOf(op, formula.clone(), *formula.results(), classes);
  replicateSizesInConstants(op, formula, rule);
  return rule;
}

} // namespace proa::pd
