#include "passes/spmd/DimComponents.h"

#include "passes/spmd/OptimizerUpdates.h"

#include "dialects/pd/ir/Contraction.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/proa/MatmulRate.h"
#include "dialects/proa/Proa.h"

#include <numeric>

using namespace mlir;

namespace proa {
namespace {

/// Whether pieces of a factor are too small: they would not have an element on each device.
bool cannotBeSplit(const pd::ShardingFactor &factor) { return llvm::is_contained(factor.pieces, 1); }

/// Whether a dimension has all indices of one factor.
bool isOneFactor(const pd::DimFactors &factors) { return factors.size() == 1 && !factors.range; }

/// Whether a factor is the classes of scores among which integer labels choose, as in a cross entropy.
bool isChosenByLabels(const pd::ShardingRule &rule, Operation *op, unsigned factor) {
  const pd::ShardingFactor &own = rule.factors[factor];
  if (own.kind != pd::FactorKind::Replicated || own.localKind != pd::FactorKind::PassThrough ||
      !own.pieces.empty())
    return false;
  bool hasLabels = false, hasScores = false;
  for (auto [operand, tensor] : llvm::zip(op->getOperands(), rule.operands)) {
    Type element = cast<RankedTensorType>(operand.getType()).getElementType();
    bool hasFactor = pd::hasFactor(tensor, factor);
    hasLabels |= element.isInteger() && !element.isInteger(1) && !hasFactor;
    hasScores |= isa<FloatType>(element) && hasFactor;
  }
  return hasLabels && hasScores;
}

} // namespace

void DimComponents::Sets::resize(size_t size) {
  parent.resize(size);
  std::iota(parent.begin(), parent.end(), 0u);
}

unsigned DimComponents::Sets::root(unsigned node) const {
  while (parent[node] != node)
    node = parent[node];
  return node;
}

void DimComponents::Sets::unite(unsigned a, unsigned b) {
  a = root(a), b = root(b);
  if (a != b)
    parent[std::max(a, b)] = std::min(a, b);
}

DimComponents::DimComponents(func::FuncOp function) : dynamicDim(targetOf(function).device().assumedDim) {
  for (BlockArgument argument : function.getArguments())
    addNodes(argument);
  function.walk([&](Operation *op) {
    for (Value result : op->getResults())
      addNodes(result);
    for (Region &region : op->getRegions())
      if (op != function)
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            addNodes(argument);
  });
  for (const OptimizerUpdate &update : optimizerUpdatesOf(function))
    updates.insert(update.op);
  spaces.resize(nodeCount);
  splits.resize(nodeCount);
  function.walk([&](Operation *op) { read(op); });
  connectStates(function);
  for (const OpUses &uses : opUses)
    findWholeDims(uses);
  for (OpUses &uses : opUses)
    connect(uses);
  findCuts();
  collect(function);
}

void DimComponents::addNodes(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !firstNode.try_emplace(value, nodeCount).second)
    return;
  nodeCount += static_cast<unsigned>(type.getRank());
  llvm::append_range(sizeOfNode, type.getShape());
}

void DimComponents::forEachDim(
    const OpUses &uses,
    llvm::function_ref<void(unsigned node, int64_t size, const pd::DimFactors &)> visit) const {
  auto scan = [&](ValueRange values, ArrayRef<pd::TensorFactors> tensors) {
    for (auto [value, tensor] : llvm::zip(values, tensors))
      for (auto [dim, factors] : llvm::enumerate(tensor)) {
        unsigned node = firstNode.lookup(value) + static_cast<unsigned>(dim);
        visit(node, sizeOfNode[node], factors);
      }
  };
  scan(uses.op->getOperands(), uses.rule.operands);
  scan(uses.op->getResults(), uses.rule.results);
}

/// The time of a step of the op's loop nest, in steps of a matmul of float32.
static double timeOfStep(Operation *op) {
  if (!isa<pd::ContractionOpInterface>(op))
    return 1;
  return targetOf(op).device().flopsPerSecond() / matmulFlopsPerSecond(op);
}

/// Reads the rule of an op. Dimensions of one factor have the same indices.
void DimComponents::read(Operation *op) {
  std::optional<pd::ShardingRule> rule;
  if (isa_and_present<pd::PdDialect>(op->getDialect()))
    rule = pd::shardingRuleOf(op);
  if (!rule)
    return;
  OpUses &uses = opUses.emplace_back();
  uses.op = op;
  uses.rule = std::move(*rule);
  uses.work = timeOfStep(op);
  for (const pd::ShardingFactor &factor : uses.rule.factors)
    uses.work *= static_cast<double>(ShapedType::isDynamic(factor.size) ? dynamicDim : factor.size);
  llvm::SmallVector<std::optional<unsigned>> first(uses.rule.factors.size());
  forEachDim(uses, [&](unsigned node, int64_t, const pd::DimFactors &factors) {
    if (!isOneFactor(factors))
      return;
    if (auto &own = first[factors.front()]) {
      spaces.unite(*own, node);
      splits.unite(*own, node);
    } else {
      own = node;
    }
  });
}

/// Notes the dimensions that an op cannot split.
void DimComponents::findWholeDims(const OpUses &uses) {
  forEachDim(uses, [&](unsigned node, int64_t size, const pd::DimFactors &factors) {
    auto isWhole = [&](unsigned factor) {
      const pd::ShardingFactor &own = uses.rule.factors[factor];
      return own.kind == pd::FactorKind::Replicated && (!own.localKind || cannotBeSplit(own));
    };
    if (factors.empty() ? size != 1 : isOneFactor(factors) && isWhole(factors.front()))
      wholeSpaces.insert(spaces.root(node));
  });
}

/// The factor by which a dimension is split.
std::optional<unsigned> DimComponents::splitFactorOf(const OpUses &uses,
                                                     const pd::DimFactors &factors) const {
  if (factors.size() <= 1)
    return factors.empty() ? std::nullopt : std::optional(factors.front());
  llvm::SmallDenseSet<unsigned, 4> whole;
  forEachDim(uses, [&](unsigned node, int64_t, const pd::DimFactors &other) {
    if (isOneFactor(other) && wholeSpaces.contains(spaces.root(node)))
      whole.insert(other.front());
  });
  for (unsigned factor : factors) {
    if (!whole.contains(factor))
      return factor;
    if (ShapedType::isDynamic(uses.rule.factors[factor].size))
      break;
  }
  return factors.front();
}

void DimComponents::connect(OpUses &uses) {
  llvm::SmallVector<std::optional<unsigned>> first(uses.rule.factors.size());
  // Dimensions of one factor first: relations refer to them.
  for (bool isSeveral : {false, true})
    forEachDim(uses, [&](unsigned node, int64_t, const pd::DimFactors &factors) {
      std::optional<unsigned> factor = splitFactorOf(uses, factors);
      if (!factor || isOneFactor(factors) == isSeveral || cannotBeSplit(uses.rule.factors[*factor]))
        return;
      if (first[*factor]) {
        splits.unite(*first[*factor], node);
        if (isSeveral)
          addRelation(uses, node, factors, *factor, *first[*factor]);
      } else {
        first[*factor] = node;
      }
    });
  for (auto [factor, node] : llvm::enumerate(first)) {
    if (!node)
      continue;
    const pd::ShardingFactor &own = uses.rule.factors[factor];
    uses.uses.push_back(useOf(uses, static_cast<unsigned>(factor), *node));
    auto sharing = llvm::count_if(uses.rule.operands, [&](const pd::TensorFactors &tensor) {
      return pd::hasFactor(tensor, static_cast<unsigned>(factor));
    });
    uses.isContraction |= own.kind == pd::FactorKind::Reduction && sharing > 1;
  }
}

/// States that `dim` is split by `factor`, of which `piece` is a dimension.
void DimComponents::addRelation(const OpUses &uses, unsigned dim, const pd::DimFactors &factors,
                                unsigned factor, unsigned piece) {
  if (factors.range) {
    relations.push_back({piece, dim, 1, 1, factors.range->begin, factors.range->end - factors.range->begin});
    llvm::SmallVector<int64_t> cuts;
    int64_t begin = 0;
    for (int64_t piece : uses.rule.factors[factor].pieces)
      cuts.push_back(begin += piece);
    addCuts(piece, cuts);
    return;
  }
  Relation relation{dim, piece};
  bool isInner = false;
  for (unsigned other : factors) {
    int64_t size = uses.rule.factors[other].size;
    if (ShapedType::isDynamic(size))
      return;
    if (other == factor)
      isInner = true;
    else
      (isInner ? relation.inner : relation.outer) *= size;
  }
  relation.size = sizeOfNode[piece];
  if (!ShapedType::isDynamic(relation.size))
    relations.push_back(relation);
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
  Use use{component, kindOf(uses, own), own.size, 0};
  if (!own.pieces.empty()) { // split without communication
    use.kind = *own.localKind;
    for (int64_t piece : own.pieces)
      use.size = std::gcd(use.size, piece);
  }
  if (use.kind == pd::FactorKind::Reduction)
    for (auto [type, tensor] : llvm::zip(uses.op->getResultTypes(), uses.rule.results))
      use.bytes += pd::hasFactor(tensor, factor) ? 0 : bytesOf(type);
  if (use.kind == pd::FactorKind::Replicated)
    for (auto [type, tensor] : llvm::zip(uses.op->getOperandTypes(), uses.rule.operands))
      use.bytes += pd::hasFactor(tensor, factor) ? bytesOf(type) : 0;
  for (auto *tensors : {&uses.rule.operands, &uses.rule.results})
    for (const pd::TensorFactors &tensor : *tensors)
      for (const pd::DimFactors &factors : tensor)
        use.isOnlyFactor &= factors.size() == 1 || !llvm::is_contained(factors, factor);
  use.hasLocalForm = own.localKind && own.pieces.empty();
  // A local form combines about one element for each row.
  if (use.kind == pd::FactorKind::Replicated && use.hasLocalForm && own.size > 1)
    use.bytes /= own.size;
  use.isVocabulary = isVocabulary(uses, factor, use.bytes) || isChosenByLabels(uses.rule, uses.op, factor);
  return use;
}

/// Whether an op combines all elements of its operands, as a norm for the clipping of gradients does: devices
/// that have shards exchange one value.
static bool combinesAllElements(const pd::ShardingRule &rule) {
  return llvm::all_of(rule.factors, [](const pd::ShardingFactor &factor) {
    return factor.size == 1 ||
           (factor.kind == pd::FactorKind::Replicated && factor.localKind && factor.pieces.empty());
  });
}

/// The kind of a factor if the op is split by it. Some local forms communicate nearly nothing: a lookup of
/// rows gives terms of a sum, and an optimizer sums squares of a parameter (LAMB, LARS). Others are for
/// splits that shardings ask for.
pd::FactorKind DimComponents::kindOf(const OpUses &uses, const pd::ShardingFactor &factor) const {
  bool isCheap = factor.localKind && factor.pieces.empty() &&
                 (factor.localKind == pd::FactorKind::Reduction || updates.contains(uses.op) ||
                  combinesAllElements(uses.rule));
  return isCheap ? *factor.localKind : factor.kind;
}

/// Whether a factor is the rows of a parameter in which an op looks up fewer rows.
bool DimComponents::isVocabulary(const OpUses &uses, unsigned factor, int64_t resultBytes) const {
  if (uses.rule.factors[factor].localKind != pd::FactorKind::Reduction)
    return false;
  for (auto [operand, tensor] : llvm::zip(uses.op->getOperands(), uses.rule.operands)) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (pd::hasFactor(tensor, factor) && type.hasStaticShape() && isa<BlockArgument>(operand))
      return type.getNumElements() * type.getElementTypeBitWidth() / 8 > resultBytes;
  }
  return false;
}

/// A new value of a state is split as the argument is.
void DimComponents::connectStates(func::FuncOp function) {
  llvm::StringMap<Value> arguments;
  for (BlockArgument argument : function.getArguments())
    if (auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), pd::parameterAttribute))
      arguments[name] = argument;
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    auto name = function.getResultAttrOfType<StringAttr>(index, pd::stateAttribute);
    Value argument = name ? arguments.lookup(name) : Value();
    if (!argument || argument.getType() != value.getType() || !firstNode.contains(value))
      continue;
    for (int64_t dim = 0; dim < cast<RankedTensorType>(value.getType()).getRank(); ++dim) {
      unsigned a = firstNode.lookup(argument) + static_cast<unsigned>(dim),
               b = firstNode.lookup(value) + static_cast<unsigned>(dim);
      spaces.unite(a, b);
      splits.unite(a, b);
    }
  }
}

/// Adds indices where blocks of a dimension begin; whether some are new.
bool DimComponents::addCuts(unsigned node, ArrayRef<int64_t> cuts) {
  int64_t size = sizeOfNode[node];
  bool isChanged = false;
  for (int64_t cut : cuts)
    if (cut > 0 && cut < size)
      isChanged |= cutsOfSpace[spaces.root(node)].insert(cut).second;
  return isChanged;
}

/// Passes the blocks of dimensions between spaces.
void DimComponents::findCuts() {
  auto cutsOf = [&](unsigned node) {
    auto found = cutsOfSpace.find(spaces.root(node));
    return found == cutsOfSpace.end() ? std::set<int64_t>() : found->second;
  };
  constexpr int mostRounds = 8;
  bool isChanged = true;
  for (int round = 0; round < mostRounds && isChanged; ++round) {
    isChanged = false;
    for (const Relation &relation : relations) {
      llvm::SmallVector<int64_t> ofWhole, ofPiece;
      std::set<int64_t> piece = cutsOf(relation.piece);
      for (int64_t outer = 0; outer < relation.outer; ++outer) {
        int64_t begin = relation.begin + outer * relation.size * relation.inner;
        ofWhole.push_back(begin);
        for (int64_t cut : piece)
          ofWhole.push_back(begin + cut * relation.inner);
      }
      if (relation.outer == 1 && relation.inner == 1)
        for (int64_t cut : cutsOf(relation.whole))
          if (cut > relation.begin && cut < relation.begin + relation.size)
            ofPiece.push_back(cut - relation.begin);
      isChanged |= addCuts(relation.whole, ofWhole);
      isChanged |= addCuts(relation.piece, ofPiece);
    }
  }
}

llvm::SmallVector<int64_t> DimComponents::blocksOf(Value value, int64_t dim) const {
  llvm::SmallVector<int64_t> blocks;
  auto node = firstNode.find(value);
  if (node == firstNode.end())
    return blocks;
  unsigned own = node->second + static_cast<unsigned>(dim);
  auto cuts = cutsOfSpace.find(spaces.root(own));
  if (cuts == cutsOfSpace.end() || cuts->second.empty())
    return blocks;
  // The window of a convolution makes a dimension longer or shorter than others of its space.
  int64_t begin = 0, size = sizeOfNode[own];
  for (int64_t cut : cuts->second)
    if (cut < size)
      blocks.push_back(cut - std::exchange(begin, cut));
  if (begin != 0)
    blocks.push_back(size - begin);
  return blocks;
}

void DimComponents::collect(func::FuncOp function) {
  idOfRoot.assign(nodeCount, ~0u);
  for (unsigned node = 0; node < nodeCount; ++node)
    if (unsigned own = splits.root(node); idOfRoot[own] == ~0u) {
      idOfRoot[own] = static_cast<Id>(list.size());
      list.emplace_back();
    }
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        list[*of(argument, dim)].arguments.push_back({argument, dim});
  for (auto [index, op] : llvm::enumerate(opUses))
    for (Use &use : op.uses) {
      use.component = idOfRoot[splits.root(use.component)];
      Component &component = list[use.component];
      if (!component.ops.empty() && component.ops.back() == index) {
        component.isAmbiguous = true;
        continue;
      }
      component.ops.push_back(static_cast<unsigned>(index));
      component.work += op.work;
      component.traffic += static_cast<double>(use.bytes);
      component.hasContraction |= op.isContraction && use.kind != pd::FactorKind::Replicated;
      component.isVocabulary |= use.isVocabulary;
    }
}

std::optional<DimComponents::Id> DimComponents::of(Value value, int64_t dim) const {
  auto found = firstNode.find(value);
  if (found == firstNode.end())
    return std::nullopt;
  return idOfRoot[splits.root(found->second + static_cast<unsigned>(dim))];
}

} // namespace proa
