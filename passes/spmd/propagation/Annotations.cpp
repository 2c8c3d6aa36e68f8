#include "passes/spmd/propagation/Annotations.h"

#include "dialects/dist/Placements.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "lib/base/spmd/Refine.h"

using namespace mlir;

namespace proa::sharding {

namespace {

class Reader {
public:
  explicit Reader(ShardingGraph &graph) : graph(graph) {}

  LogicalResult read() {
    for (auto &[op, states] : graph.functions) {
      auto function = cast<func::FuncOp>(op);
      for (unsigned i = 0; i < function.getNumArguments() && !function.isDeclaration(); ++i)
        set(function, "argument " + Twine(i) + nameOf(function.getArgAttrDict(i)),
            function.getArgAttr(i, dist::shardingAttribute), stateOf(function.getArgument(i)));
      for (auto [i, state] : llvm::enumerate(states.results))
        set(function, "result " + Twine(i) + nameOf(function.getResultAttrDict(unsigned(i))),
            function.getResultAttr(static_cast<unsigned>(i), dist::shardingAttribute), state);
    }
    for (const Node &node : graph.nodes)
      readNode(node);
    return success(isValid);
  }

private:
  unsigned stateOf(Value value) const {
    unsigned index = graph.indexOf(value);
    return index == none ? none : graph.stateOfValue[index];
  }

  static std::string nameOf(DictionaryAttr attributes) {
    for (StringRef key : {pd::feedAttribute, pd::parameterAttribute, pd::fetchAttribute, pd::stateAttribute})
      if (auto name = attributes ? attributes.getAs<StringAttr>(key) : nullptr)
        return (" ('" + name.getValue() + "')").str();
    return "";
  }

  void readNode(const Node &node) {
    if (node.edge) {
      if (auto constrain = dyn_cast<dist::ConstrainOp>(node.op))
        set(node.op, "constraint", constrain.getSharding(), graph.nodeStates[node.first + 1]);
      if (auto reshard = dyn_cast<dist::ReshardOp>(node.op)) {
        set(node.op, "source", reshard.getFrom(), graph.nodeStates[node.first + 1]);
        set(node.op, "target", reshard.getTo(), stateOf(reshard.getResult()));
      }
      return;
    }
    auto all = node.op->getAttrOfType<ArrayAttr>(dist::shardingsAttribute);
    if (!all)
      return;
    for (auto [i, result] : llvm::enumerate(node.op->getResults()))
      if (i < all.size() && stateOf(result) != none && isa<dist::ShardingAttr>(all[i])) {
        set(node.op, "result " + Twine(i), all[i], stateOf(result));
        graph.states[stateOf(result)].isPinned = true;
      }
  }

  void set(Operation *op, const Twine &what, Attribute attribute, unsigned index) {
    auto sharding = dyn_cast_or_null<dist::ShardingAttr>(attribute);
    if (!sharding || index == none)
      return;
    State &state = graph.states[index];
    const spmd::Mesh &mesh = graph.meshes[state.mesh];
    std::string text = what.str();
    auto emit = [&] { return op->emitError() << "sharding of " << text << ": "; };
    if (sharding.getMesh() != graph.meshes.symbol(state.mesh)) {
      emit() << "expected the mesh " << graph.meshes.symbol(state.mesh) << ", found " << sharding.getMesh();
      isValid = false;
      return;
    }
    if (failed(dist::verifySharding(emit, sharding, mesh, state.type))) {
      isValid = false;
      return;
    }
    spmd::Placement placement = spmd::canonical(mesh, dist::placementOf(sharding, mesh));
    if (state.isAnnotated && state.placement != placement) {
      emit() << "expected the sharding of the parameter, " << spmd::toText(mesh, state.placement)
             << ", found " << spmd::toText(mesh, placement);
      isValid = false;
      return;
    }
    state.isAnnotated = true;
    state.placement = std::move(placement);
    for (auto [dim, entry] : llvm::enumerate(sharding.getDims())) {
      state.isOpen[dim] = !entry.getIsClosed();
      state.priority[dim] = entry.getPriority();
    }
    for (dist::AxisAttr axis : sharding.getReplicated()) {
      unsigned axisIndex = *mesh.indexOf(axis.getName().str());
      state.replicated.push_back(axis.isFull() ? mesh.full(axisIndex)
                                               : spmd::AxisRef{axisIndex, axis.getPre(), axis.getSize()});
    }
  }

  ShardingGraph &graph;
  bool isValid = true;
};

} // namespace

LogicalResult readAnnotations(ShardingGraph &graph) { return Reader(graph).read(); }

} // namespace proa::sharding
