#include "passes/spmd/DimComponents.h"

#include "dialects/pd/ir/FunctionAttributes.h"

using namespace mlir;

namespace proa {
namespace {

/// The first dimension, operands before results, whose outermost factor is this one, and whether any other
/// tensor has it.
template <class Visit>
void forEachOutermost(Operation *op, const pd::ShardingRule &rule, unsigned factor, Visit visit) {
  auto scan = [&](ValueRange values, ArrayRef<pd::TensorFactors> tensors) {
    for (auto [value, tensor] : llvm::zip(values, tensors))
      for (auto [dim, factors] : llvm::enumerate(tensor))
        if (!factors.empty() && factors.front() == factor)
          visit(value, static_cast<int64_t>(dim));
  };
  scan(op->getOperands(), rule.operands);
  scan(op->getResults(), rule.results);
}

bool hasFactor(const pd::TensorFactors &tensor, unsigned factor) {
  return llvm::any_of(tensor, [&](const pd::DimFactors &dim) { return llvm::is_contained(dim, factor); });
}

} // namespace

DimComponents::DimComponents(func::FuncOp function, int64_t dynamicDim) : dynamicDim(dynamicDim) {
  for (BlockArgument argument : function.getArguments())
    number(argument);
  function.walk([&](Operation *op) {
    for (Value result : op->getResults())
      number(result);
    for (Region &region : op->getRegions())
      if (op != function)
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            number(argument);
  });
  function.walk([&](Operation *op) { connect(op); });
  connectStates(function);
  collect(function);
}

void DimComponents::number(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !firstNode.try_emplace(value, parent.size()).second)
    return;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    parent.push_back(parent.size());
}

unsigned DimComponents::root(unsigned node) const {
  while (parent[node] != node)
    node = parent[node];
  return node;
}

void DimComponents::unite(unsigned a, unsigned b) {
  a = root(a), b = root(b);
  if (a != b)
    parent[std::max(a, b)] = std::min(a, b);
}

void DimComponents::connect(Operation *op) {
  std::optional<pd::ShardingRule> rule;
  if (isa_and_present<pd::PdDialect>(op->getDialect()))
    rule = pd::shardingRuleOf(op);
  if (!rule)
    return;
  OpUses &uses = opUses.emplace_back();
  uses.op = op;
  uses.rule = std::move(*rule);
  for (unsigned factor = 0; factor < uses.rule.factors.size(); ++factor) {
    const pd::ShardingFactor &own = uses.rule.factors[factor];
    uses.work *= static_cast<double>(ShapedType::isDynamic(own.size) ? dynamicDim : own.size);
    std::optional<unsigned> first;
    forEachOutermost(op, uses.rule, factor, [&](Value value, int64_t dim) {
      unsigned node = firstNode.lookup(value) + static_cast<unsigned>(dim);
      if (first)
        unite(*first, node);
      else
        first = node;
    });
    if (first)
      uses.uses.push_back(useOf(uses, factor, *first));
    auto sharing = llvm::count_if(uses.rule.operands,
                                  [&](const pd::TensorFactors &tensor) { return hasFactor(tensor, factor); });
    uses.isContraction |= own.kind == pd::FactorKind::Reduction && sharing > 1;
  }
}

/// The use of a factor; `component` is a node until collect().
DimComponents::Use DimComponents::useOf(const OpUses &uses, unsigned factor, Id component) const {
  const pd::ShardingFactor &own = uses.rule.factors[factor];
  auto bytesOf = [&](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    int64_t bytes = tensor.getElementType().isIntOrFloat() ? tensor.getElementTypeBitWidth() / 8 : 8;
    for (int64_t size : tensor.getShape())
      bytes *= ShapedType::isDynamic(size) ? dynamicDim : size;
    return std::max<int64_t>(bytes, 1);
  };
  int64_t bytes = 0;
  if (own.kind == pd::FactorKind::Reduction)
    for (auto [type, tensor] : llvm::zip(uses.op->getResultTypes(), uses.rule.results))
      bytes += hasFactor(tensor, factor) ? 0 : bytesOf(type);
  if (own.kind == pd::FactorKind::Replicated)
    for (auto [type, tensor] : llvm::zip(uses.op->getOperandTypes(), uses.rule.operands))
      bytes += hasFactor(tensor, factor) ? bytesOf(type) : 0;
  return {component, own.kind, own.size, bytes};
}

/// A new value of a state is split as the argument is.
void DimComponents::connectStates(func::FuncOp function) {
  llvm::StringMap<Value> arguments;
  for (BlockArgument argument : function.getArguments())
    if (auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), pd::parameterAttribute))
      arguments[name] = argument;
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [number, value] : llvm::enumerate(terminator->getOperands())) {
    auto name = function.getResultAttrOfType<StringAttr>(number, pd::stateAttribute);
    Value argument = name ? arguments.lookup(name) : Value();
    if (!argument || argument.getType() != value.getType() || !firstNode.contains(value))
      continue;
    for (int64_t dim = 0; dim < cast<RankedTensorType>(value.getType()).getRank(); ++dim)
      unite(firstNode.lookup(argument) + static_cast<unsigned>(dim),
            firstNode.lookup(value) + static_cast<unsigned>(dim));
  }
}

void DimComponents::collect(func::FuncOp function) {
  idOfRoot.assign(parent.size(), ~0u);
  for (unsigned node = 0; node < parent.size(); ++node)
    if (unsigned own = root(node); idOfRoot[own] == ~0u) {
      idOfRoot[own] = static_cast<Id>(list.size());
      list.emplace_back();
    }
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        list[*of(argument, dim)].arguments.push_back({argument, dim});
  for (auto [number, op] : llvm::enumerate(opUses))
    for (Use &use : op.uses) {
      use.component = idOfRoot[root(use.component)];
      Component &component = list[use.component];
      if (!component.ops.empty() && component.ops.back() == number) {
        component.isAmbiguous = true;
        continue;
      }
      component.ops.push_back(static_cast<unsigned>(number));
      component.work += op.work;
      component.traffic += static_cast<double>(use.bytes);
      component.hasContraction |= op.isContraction && use.kind != pd::FactorKind::Replicated;
    }
}

std::optional<DimComponents::Id> DimComponents::of(Value value, int64_t dim) const {
  auto found = firstNode.find(value);
  if (found == firstNode.end())
    return std::nullopt;
  return idOfRoot[root(found->second + static_cast<unsigned>(dim))];
}

} // namespace proa
