#include "passes/spmd/propagation/Materialize.h"

#include "dialects/dist/InterfaceAttributes.h"
#include "dialects/dist/Placements.h"
#include "passes/spmd/propagation/WholeDims.h"

#include <fmt/format.h>

using namespace mlir;

namespace proa::sharding {

namespace {

/// Uses of a value that need one placement.
struct Request {
  unsigned placement;
  SmallVector<OpOperand *, 2> uses;
  /// The node of the first one.
  unsigned node;
};

class Materializer {
public:
  Materializer(ShardingGraph &graph, Assignment &assignment, PlacementPool &pool)
      : graph(graph), assignment(assignment), pool(pool), requests(graph.values.size()) {}

  void run() {
    for (unsigned node = 0; node < graph.nodes.size(); ++node)
      collect(node);
    // Attributes first: they belong to the ops of the graph, not to reshards.
    setShardings();
    for (unsigned value = 0; value < graph.values.size(); ++value)
      insertReshards(value);
    removeConstraints();
  }

private:
  dist::ShardingAttr shardingOf(unsigned placement) {
    if (placement >= shardings.size())
      shardings.resize(placement + 1);
    if (unsigned mesh = pool.meshOf(placement); !shardings[placement])
      shardings[placement] = dist::shardingOf(pool[placement], graph.meshes.symbol(mesh), graph.meshes[mesh]);
    return shardings[placement];
  }

  void collect(unsigned index) {
    const Node &node = graph.nodes[index];
    const NodePlan &plan = assignment.plans[index];
    llvm::SmallDenseSet<unsigned> passed(plan.passedOperands.begin(), plan.passedOperands.end());
    for (unsigned i = 0; i < node.numOperands; ++i) {
      unsigned value = graph.nodeValues[node.first + i];
      if (value == none || assignment.natural[value] == plan.operands[i] || passed.contains(i))
        continue;
      OpOperand *use = node.edge ? node.edge : &node.op->getOpOperand(i);
      auto known =
          llvm::find_if(requests[value], [&](const Request &r) { return r.placement == plan.operands[i]; });
      if (known == requests[value].end())
        requests[value].push_back({plan.operands[i], {use}, index});
      else
        known->uses.push_back(use);
    }
  }

  /// The collectives that a reshard becomes have its location.
  Value reshard(OpBuilder &builder, Value x, unsigned from, unsigned to, const std::string &reason) {
    Location location = FusedLoc::get(builder.getContext(), {x.getLoc()}, builder.getStringAttr(reason));
    return dist::ReshardOp::create(builder, location, x.getType(), x, shardingOf(from), shardingOf(to));
  }

  /// Why a use needs another placement.
  std::string reasonOf(const Request &request) const {
    OpOperand &use = *request.uses.front();
    std::string text = fmt::format("for operand {} of {}", use.getOperandNumber(),
                                   use.getOwner()->getName().getStringRef().str());
    if (request.uses.size() > 1)
      text += fmt::format(" and {} others", request.uses.size() - 1);
    for (const WholeDim &dim : wholeDimsOf(graph, assignment, pool, request.node))
      if (!dim.isResult && dim.index == use.getOperandNumber())
        return text + ": " + dim.reason;
    return text;
  }

  int64_t localCount(unsigned placement, RankedTensorType type) const {
    SmallVector<int64_t> dims(type.getShape());
    for (int64_t &dim : dims)
      dim = ShapedType::isDynamic(dim) ? 1024 : dim;
    return spmd::largestLocalCount(pool[placement], {dims.data(), dims.size()});
  }

  void insertReshards(unsigned index) {
    Value value = graph.values[index];
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    unsigned natural = assignment.natural[index];
    if (unsigned own = ownPlacement(value); own != none && own != natural) {
      // An annotated result: all uses see the annotated placement.
      SmallVector<OpOperand *> all;
      for (OpOperand &use : value.getUses())
        all.push_back(&use);
      Value pinned = reshard(builder, value, own, natural, "for the annotation of the value");
      for (OpOperand *use : all)
        use->set(pinned);
      value = pinned;
    }
    SmallVectorImpl<Request> &own = requests[index];
    if (own.size() > 1 && !pool[natural].partial.empty()) {
      // A partial value is combined once, to the most split placement; the others follow from that one.
      auto type = cast<RankedTensorType>(value.getType());
      auto first = llvm::min_element(own, [&](const Request &a, const Request &b) {
        return localCount(a.placement, type) < localCount(b.placement, type);
      });
      std::rotate(own.begin(), first, first + 1);
      Request base = own.front();
      own.erase(own.begin());
      value = reshard(builder, value, natural, base.placement, reasonOf(base));
      natural = base.placement;
      for (OpOperand *use : base.uses)
        use->set(value);
    }
    for (const Request &request : own) {
      Value result = reshard(builder, value, natural, request.placement, reasonOf(request));
      for (OpOperand *use : request.uses)
        use->set(result);
    }
  }

  /// The placement that the op gives its result, or `none` if the value is not the result of a node.
  unsigned ownPlacement(Value value) const {
    auto entry = ownPlacements.find(value);
    return entry == ownPlacements.end() ? none : entry->second;
  }

  void setShardings() {
    for (unsigned index = 0; index < graph.nodes.size(); ++index) {
      const Node &node = graph.nodes[index];
      for (unsigned i = 0; i < node.numResults && !node.edge; ++i)
        if (unsigned value = graph.nodeValues[node.first + node.numOperands + i];
            value != none && assignment.natural[value] != assignment.plans[index].results[i])
          ownPlacements[graph.values[value]] = assignment.plans[index].results[i];
    }
    Operation *last = nullptr;
    for (Value value : graph.values)
      if (Operation *op = value.getDefiningOp(); op && op != last) {
        setShardings(op);
        last = op;
      }
    for (auto &[op, states] : graph.functions)
      setShardings(cast<func::FuncOp>(op), states);
  }

  void setShardings(Operation *op) {
    if (isa<dist::DistDialect>(op->getDialect()))
      return;
    if (op->getNumResults() == 1 && isa<RankedTensorType>(op->getResult(0).getType())) {
      unsigned placement = finalPlacement(op->getResult(0));
      if (placement >= arrays.size())
        arrays.resize(placement + 1);
      if (!arrays[placement])
        arrays[placement] = ArrayAttr::get(op->getContext(), {shardingOf(placement)});
      op->setDiscardableAttr(dist::shardingsAttribute, arrays[placement]);
      return;
    }
    SmallVector<Attribute> all;
    for (Value result : op->getResults())
      all.push_back(isa<RankedTensorType>(result.getType()) ? Attribute(shardingOf(finalPlacement(result)))
                                                            : UnitAttr::get(op->getContext()));
    op->setDiscardableAttr(dist::shardingsAttribute, ArrayAttr::get(op->getContext(), all));
  }

  unsigned finalPlacement(Value result) const {
    unsigned own = ownPlacement(result);
    return own == none ? assignment.natural[graph.indexOf(result)] : own;
  }

  void setShardings(func::FuncOp function, const FunctionStates &states) {
    dist::InterfaceAttributes attributes(function);
    auto placementOf = [&](Type type, auto ofBody) {
      return function.isDeclaration() ? pool.whole(0, cast<RankedTensorType>(type).getRank()) : ofBody();
    };
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
      if (isa<RankedTensorType>(type))
        attributes.setArgument(i, dist::shardingAttribute, shardingOf(placementOf(type, [&] {
                                 return assignment.natural[graph.indexOf(function.getArgument(unsigned(i)))];
                               })));
    for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
      if (isa<RankedTensorType>(type))
        attributes.setResult(i, dist::shardingAttribute, shardingOf(placementOf(type, [&] {
                               return assignment.placementOfState(states.results[i]);
                             })));
    attributes.apply();
  }

  void removeConstraints() {
    for (auto &[op, states] : graph.functions)
      op->walk([](dist::ConstrainOp constrain) {
        constrain.getResult().replaceAllUsesWith(constrain.getX());
        constrain.erase();
      });
  }

  ShardingGraph &graph;
  Assignment &assignment;
  PlacementPool &pool;
  std::vector<SmallVector<Request, 0>> requests;
  /// Placements of results that annotations change.
  llvm::DenseMap<Value, unsigned> ownPlacements;
  std::vector<dist::ShardingAttr> shardings;
  std::vector<ArrayAttr> arrays;
};

} // namespace

void materialize(ShardingGraph &graph, Assignment &assignment, PlacementPool &pool) {
  Materializer(graph, assignment, pool).run();
}

} // namespace proa::sharding
