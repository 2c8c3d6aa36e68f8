#include "dialects/pd/sharding/Formula.h"

#include "dialects/pd/ir/InferredTypes.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/sharding/CloneOnTypes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace proa::pd {

int64_t rankOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : 0;
}

int64_t dimSizeOf(Classes::Dim dim) {
  return cast<RankedTensorType>(dim.first.getType()).getDimSize(dim.second);
}

unsigned Classes::of(Dim dim) {
  auto [entry, isNew] = ids.try_emplace(dim, static_cast<unsigned>(parents.size()));
  if (isNew) {
    parents.push_back(entry->second);
    needs.emplace_back();
  }
  unsigned id = entry->second;
  while (parents[id] != id)
    id = parents[id] = parents[parents[id]];
  return id;
}

void Classes::join(Dim a, Dim b) {
  unsigned first = of(a), second = of(b);
  parents[second] = first;
  if (needs[second].need > needs[first].need)
    needs[first] = needs[second];
}

void Classes::require(Dim dim, Need need, llvm::StringRef op) {
  OpNeed &own = needs[of(dim)];
  if (need > own.need)
    own = {need, op};
}

namespace {

void need(Classes &classes, Operation *op, ValueRange values, Classes::Need what) {
  for (Value value : values)
    for (int64_t dim = 0; dim < rankOf(value); ++dim)
      classes.require({value, dim}, what, op->getName().getStringRef());
}

/// The need of a split of a factor.
Classes::Need needOf(const ShardingFactor &factor) {
  if (factor.kind == FactorKind::PassThrough)
    return Classes::Need::Shard;
  // Shards of a decomposition are ranges of one block.
  if (!factor.pieces.empty())
    return Classes::Need::Whole;
  return factor.kind == FactorKind::Reduction || factor.localKind ? Classes::Need::Communication
                                                                  : Classes::Need::Whole;
}

/// The constraints of one op of the decomposition. Only the outermost factor of a dimension is used.
class OpConstraints {
public:
  OpConstraints(Classes &classes, Operation *op, const ShardingRule &rule)
      : classes(classes), op(op->getName().getStringRef()), rule(rule), first(rule.factors.size()) {}

  void add(ValueRange values, llvm::ArrayRef<TensorFactors> tensors) {
    for (auto [value, dims] : llvm::zip(values, tensors))
      for (auto [index, factors] : llvm::enumerate(dims))
        addDim({value, static_cast<int64_t>(index)}, factors);
  }

  /// States what the dimensions of each factor need; dimensions of inner factors are needed whole.
  void finish() {
    for (auto [factor, dim] : llvm::enumerate(first))
      if (dim)
        classes.require(*dim,
                        inner.contains(static_cast<unsigned>(factor)) ? Classes::Need::Whole
                                                                      : needOf(rule.factors[factor]),
                        op);
  }

private:
  void addDim(Classes::Dim dim, const DimFactors &factors) {
    if (factors.empty()) {
      if (dimSizeOf(dim) != 1)
        classes.require(dim, Classes::Need::Whole, op);
      return;
    }
    inner.insert(factors.begin() + 1, factors.end());
    if (auto &firstDim = first[factors.front()])
      classes.join(*firstDim, dim);
    else
      firstDim = dim;
  }

  Classes &classes;
  llvm::StringRef op;
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
      need(classes, op, op->getResults(), Classes::Need::Communication);
    return true;
  }
  auto rule = shardingRuleOf(op);
  if (!rule && isIndependentOfInputs(op)) {
    need(classes, op, op->getResults(), Classes::Need::Communication);
    return true;
  }
  if (!rule) {
    need(classes, op, op->getOperands(), Classes::Need::Whole);
    need(classes, op, op->getResults(), Classes::Need::Whole);
    return true;
  }
  OpConstraints constraints(classes, op, *rule);
  constraints.add(op->getOperands(), rule->operands);
  constraints.add(op->getResults(), rule->results);
  constraints.finish();
  return true;
}

} // namespace

bool isIndependentOfInputs(Operation *op) {
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(),
                      [](Value operand) { return operand.getDefiningOp<ConstantOp>() != nullptr; });
}

Formula::Formula(Operation *op, TypeRange operands, llvm::ArrayRef<int64_t> resultDims) {
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

llvm::SmallVector<Operation *> Formula::ops() {
  llvm::SmallVector<Operation *> all;
  for (Operation &op : block)
    if (&op != composite && &op != use)
      all.push_back(&op);
  return all;
}

bool Formula::addConstraints(Classes &classes) {
  return llvm::all_of(ops(), [&](Operation *op) { return pd::addConstraints(classes, op); });
}

} // namespace proa::pd
