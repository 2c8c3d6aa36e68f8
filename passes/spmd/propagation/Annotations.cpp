#include "passes/spmd/propagation/Annotations.h"

#include "dialects/dist/Placements.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "lib/spmd/Refine.h"

using namespace mlir;

namespace proa::sharding {

namespace {

using Visit = llvm::function_ref<void(Operation *op, const Twine &what, dist::ShardingAttr sharding)>;

/// Calls `visit` for each sharding in the attributes of a function and its ops.
void visitShardings(func::FuncOp function, Visit visit) {
  auto visitOne = [&](const Twine &what, Attribute attribute) {
    if (auto sharding = dyn_cast_or_null<dist::ShardingAttr>(attribute))
      visit(function, what, sharding);
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    visitOne("argument " + Twine(i), function.getArgAttr(i, dist::shardingAttribute));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    visitOne("result " + Twine(i), function.getResultAttr(i, dist::shardingAttribute));
  function.walk([&](Operation *op) {
    if (auto all = op->getAttrOfType<ArrayAttr>(dist::shardingsAttribute))
      for (auto [i, entry] : llvm::enumerate(all))
        if (auto sharding = dyn_cast<dist::ShardingAttr>(entry))
          visit(op, "result " + Twine(i), sharding);
    if (auto constrain = dyn_cast<dist::ConstrainOp>(op))
      visit(op, "constraint", constrain.getSharding());
    if (auto reshard = dyn_cast<dist::ReshardOp>(op)) {
      visit(op, "source", reshard.getFrom());
      visit(op, "target", reshard.getTo());
    }
  });
}

class Reader {
public:
  Reader(ShardingGraph &graph, const MeshOfModule &mesh) : graph(graph), mesh(mesh) {}

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
    std::string text = what.str();
    auto emit = [&] { return op->emitError() << "sharding of " << text << ": "; };
    if (failed(dist::verifySharding(emit, sharding, mesh.mesh, state.type))) {
      isValid = false;
      return;
    }
    spmd::Placement placement = spmd::canonical(mesh.mesh, dist::placementOf(sharding, mesh.mesh));
    if (state.isAnnotated && state.placement != placement) {
      emit() << "expected the sharding of the parameter, " << spmd::toText(mesh.mesh, state.placement)
             << ", found " << spmd::toText(mesh.mesh, placement);
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
      unsigned number = *mesh.mesh.indexOf(axis.getName().str());
      state.replicated.push_back(axis.isFull() ? mesh.mesh.full(number)
                                               : spmd::AxisRef{number, axis.getPre(), axis.getSize()});
    }
  }

  ShardingGraph &graph;
  const MeshOfModule &mesh;
  bool isValid = true;
};

} // namespace

FailureOr<MeshOfModule> findMesh(ModuleOp module) {
  FlatSymbolRefAttr symbol;
  bool isValid = true;
  for (auto function : module.getOps<func::FuncOp>())
    visitShardings(function, [&](Operation *op, const Twine &what, dist::ShardingAttr sharding) {
      if (!symbol)
        symbol = sharding.getMesh();
      if (sharding.getMesh() == symbol)
        return;
      op->emitError() << "sharding of " << what << ": expected the mesh " << symbol << ", found "
                      << sharding.getMesh() << "; shardings propagate on one mesh";
      isValid = false;
    });
  SmallVector<dist::MeshOp> meshes(module.getOps<dist::MeshOp>());
  if (!symbol && meshes.size() == 1)
    symbol = FlatSymbolRefAttr::get(meshes.front().getSymNameAttr());
  if (!symbol)
    return module.emitError() << "expected a dist.mesh or an annotation that names one, found "
                              << meshes.size() << " meshes and no annotation";
  dist::MeshAttr mesh = dist::lookupMesh(module, symbol);
  if (!mesh)
    return module.emitError() << "expected a dist.mesh " << symbol << ", which shardings name; found none";
  if (!isValid)
    return failure();
  return MeshOfModule{symbol, mesh.toMesh()};
}

LogicalResult readAnnotations(ShardingGraph &graph, const MeshOfModule &mesh) {
  return Reader(graph, mesh).read();
}

} // namespace proa::sharding
