//! Sharding rules of composites, from the rules of the ops of their decompositions.
#include "dialects/pd/ir/InferredTypes.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/sharding/CloneOnTypes.h"
#include "dialects/pd/sharding/ShardingRule.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// Equivalence classes (union-find) of the dimensions of a decomposition's values: the dimensions of a class
/// are split together. The dimensions of a whole class cannot be split.
class Classes {
public:
  using Dim = std::pair<Value, int64_t>;

  unsigned of(Dim dim) {
    auto [entry, isNew] = ids.try_emplace(dim, static_cast<unsigned>(parents.size()));
    if (isNew) {
      parents.push_back(entry->second);
      whole.push_back(false);
    }
    unsigned id = entry->second;
    while (parents[id] != id)
      id = parents[id] = parents[parents[id]];
    return id;
  }

  void join(Dim a, Dim b) {
    unsigned first = of(a), second = of(b);
    parents[second] = first;
    whole[first] = whole[first] || whole[second];
  }

  void needWhole(Dim dim) { whole[of(dim)] = true; }
  bool isWhole(unsigned id) const { return whole[id]; }

private:
  llvm::DenseMap<Dim, unsigned> ids;
  llvm::SmallVector<unsigned> parents;
  llvm::SmallVector<bool> whole;
};

int64_t rankOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : 0;
}

int64_t dimSizeOf(Classes::Dim dim) {
  return cast<RankedTensorType>(dim.first.getType()).getDimSize(dim.second);
}

void needWhole(Classes &classes, ValueRange values) {
  for (Value value : values)
    for (int64_t dim = 0; dim < rankOf(value); ++dim)
      classes.needWhole({value, dim});
}

/// The constraints of one op of the decomposition. Only the outermost factor of a dimension is used.
class OpConstraints {
public:
  OpConstraints(Classes &classes, const ShardingRule &rule)
      : classes(classes), rule(rule), first(rule.factors.size()) {}

  void add(ValueRange values, llvm::ArrayRef<TensorFactors> tensors) {
    for (auto [value, dims] : llvm::zip(values, tensors))
      for (auto [number, factors] : llvm::enumerate(dims))
        addDim({value, static_cast<int64_t>(number)}, factors);
  }

  /// Marks the dimensions of factors that are inner factors or not pass-through as whole.
  void finish() {
    for (auto [factor, dim] : llvm::enumerate(first))
      if (dim && (inner.contains(static_cast<unsigned>(factor)) ||
                  rule.factors[factor].kind != FactorKind::PassThrough))
        classes.needWhole(*dim);
  }

private:
  void addDim(Classes::Dim dim, const DimFactors &factors) {
    if (factors.empty()) {
      if (dimSizeOf(dim) != 1)
        classes.needWhole(dim);
      return;
    }
    inner.insert(factors.begin() + 1, factors.end());
    if (auto &firstDim = first[factors.front()])
      classes.join(*firstDim, dim);
    else
      firstDim = dim;
  }

  Classes &classes;
  const ShardingRule &rule;
  llvm::SmallVector<std::optional<Classes::Dim>> first; ///< the first dimension of each factor
  llvm::SmallDenseSet<unsigned> inner;
};

/// Adds the constraints of an op; false if the op has regions, which have no rule.
bool addConstraints(Classes &classes, Operation *op) {
  if (op->getNumRegions() > 0)
    return false;
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements || !elements.isSplat())
      needWhole(classes, op->getResults());
    return true;
  }
  auto rule = shardingRuleOf(op);
  if (!rule) {
    needWhole(classes, op->getOperands());
    needWhole(classes, op->getResults());
    return true;
  }
  OpConstraints constraints(classes, *rule);
  constraints.add(op->getOperands(), rule->operands);
  constraints.add(op->getResults(), rule->results);
  constraints.finish();
  return true;
}

/// A dimension of the composite's operand or result.
struct OwnDim {
  bool isResult;
  unsigned index;
  int64_t dim, size;
};

/// Adds the factor of a class.
void addFactor(ShardingRuleBuilder &rule, llvm::ArrayRef<OwnDim> dims, bool isWhole) {
  auto isResult = [](const OwnDim &dim) { return dim.isResult; };
  int64_t size = dims.front().size;
  // A decomposition for static dims may contain their sizes as constants, so a class of only operand dims or
  // only result dims may not be splittable, except where the sizes come from the attribute `shape`, which
  // setLocalShape() sets. Different sizes in a class come from other attributes.
  auto shape = rule.op()->getAttrOfType<DenseI64ArrayAttr>("shape");
  bool hasShape = shape && shape.size() == rule.resultType(0).getRank();
  if (llvm::none_of(dims, isResult) || (llvm::all_of(dims, isResult) && !hasShape) ||
      llvm::any_of(dims, [&](const OwnDim &dim) { return dim.size != size; }))
    return;
  unsigned factor = rule.addFactor(size, isWhole ? FactorKind::Replicated : FactorKind::PassThrough);
  for (const OwnDim &dim : dims)
    dim.isResult ? rule.setResult(dim.index, dim.dim, factor) : rule.setOperand(dim.index, dim.dim, factor);
}

/// The decomposition of an op on operands of other types; `resultDims` are those of its first result if they
/// change.
class Formula {
public:
  Formula(Operation *op, TypeRange operands, llvm::ArrayRef<int64_t> resultDims) {
    composite = cast<DecomposableOpInterface>(cloneOnTypes(block, op, operands));
    setLocalShape(composite, resultDims);
    OpBuilder builder(op->getContext());
    builder.setInsertionPointToEnd(&block);
    // A use of the results, because a decomposition may skip unused results.
    use = UnrealizedConversionCastOp::create(builder, op->getLoc(), TypeRange{builder.getI1Type()},
                                             composite->getResults());
    if (isa<InferTypeOpInterface>(composite.getOperation()) && failed(inferAgain(composite)))
      return;
    builder.setInsertionPoint(composite);
    values = composite.tryDecompose(builder);
  }

  Operation *clone() { return composite; }
  const FailureOr<llvm::SmallVector<Value>> &results() const { return values; }
  /// The ops of the decomposition, and cloned constants.
  llvm::SmallVector<Operation *> ops() {
    llvm::SmallVector<Operation *> all;
    for (Operation &op : block)
      if (&op != composite && &op != use)
        all.push_back(&op);
    return all;
  }

private:
  Block block;
  DecomposableOpInterface composite;
  Operation *use = nullptr;
  FailureOr<llvm::SmallVector<Value>> values = failure();
};

/// Whether a number in an attribute is equal, or may depend on sizes: dims of types and lists of dims.
bool hasEqualNumber(Attribute a, Attribute b) {
  auto splatOf = [](Attribute attribute) -> Attribute {
    auto elements = dyn_cast<DenseElementsAttr>(attribute);
    return elements && elements.isSplat() ? elements.getSplatValue<Attribute>() : Attribute();
  };
  if (isa<FloatAttr>(a) || isa<FloatAttr>(b))
    return a == b;
  return splatOf(a) == splatOf(b);
}

/// Whether two decompositions have the same ops and numbers.
bool haveEqualNumbers(Formula &a, Formula &b) {
  auto first = a.ops(), second = b.ops();
  if (failed(a.results()) || failed(b.results()) || first.size() != second.size())
    return false;
  return llvm::all_of(llvm::zip_equal(first, second), [](auto pair) {
    auto [one, other] = pair;
    if (one->getName() != other->getName())
      return false;
    return llvm::all_of(one->getAttrDictionary(), [other](NamedAttribute attribute) {
      Attribute own = other->getAttr(attribute.getName());
      return own && hasEqualNumber(attribute.getValue(), own);
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

/// Replicates the factors whose size is a number in the decomposition, such as 1 / size.
void replicateSizesInNumbers(Operation *op, Formula &whole, ShardingRule &rule) {
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
    return haveEqualNumbers(whole, larger);
  };
  if (isIndependentOf([&](unsigned factor) { return isSplit(rule.factors[factor]); }))
    return;
  for (auto [number, factor] : llvm::enumerate(rule.factors))
    if (isSplit(factor) && !isIndependentOf([&](unsigned other) { return other == number; }))
      factor.kind = FactorKind::Replicated;
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
    addFactor(rule, own, classes.isWhole(id));
  return rule.take();
}

} // namespace

std::optional<ShardingRule> shardingOfDecomposition(Operation *op) {
  if (!isa<DecomposableOpInterface>(op))
    return std::nullopt;
  ScopedDiagnosticHandler silent(op->getContext(), [](Diagnostic &) { return success(); });
  Formula formula(op, op->getOperandTypes(), {});
  if (failed(formula.results()))
    return std::nullopt;
  Classes classes;
  for (Operation *inner : formula.ops())
    if (!addConstraints(classes, inner))
      return std::nullopt;
  ShardingRule rule = ruleOf(op, formula.clone(), *formula.results(), classes);
  replicateSizesInNumbers(op, formula, rule);
  return rule;
}

} // namespace proa::pd
