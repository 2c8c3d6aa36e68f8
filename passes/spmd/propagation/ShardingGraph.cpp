//! Construction of the sharding graph from functions and their regions.
#include "passes/spmd/propagation/ShardingGraph.h"

#include "dialects/dist/Dist.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ops/autodiff/RecomputeOps.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "passes/spmd/propagation/Regions.h"

using namespace mlir;

namespace proa::sharding {

class GraphBuilder {
public:
  GraphBuilder(ShardingGraph &graph, const ValueMeshes *meshes) : graph(graph), meshes(meshes) {}

  LogicalResult build(ModuleOp module) {
    for (auto function : module.getOps<func::FuncOp>())
      addFunction(function);
    bool isGlobal = true;
    for (auto function : module.getOps<func::FuncOp>())
      function.walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (op != function)
          isGlobal &= succeeded(add(op));
      });
    // Users of a refused op have values without a state.
    if (!isGlobal)
      return failure();
    graph.nodesOfState.resize(graph.states.size());
    for (auto [index, node] : llvm::enumerate(graph.nodes))
      if (node.rule)
        for (unsigned i = 0; i < node.numOperands + node.numResults; ++i) {
          auto &list = graph.nodesOfState[graph.nodeStates[node.first + i]];
          if (list.empty() || list.back() != index)
            list.push_back(static_cast<unsigned>(index));
        }
    return success();
  }

private:
  void addFunction(func::FuncOp function) {
    FunctionStates &own = graph.functions[function];
    llvm::StringMap<unsigned> parameters;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      // A declaration has no block arguments, and calls of it run whole.
      if (function.isDeclaration())
        break;
      unsigned state = addValue(function.getArgument(i));
      if (auto name = function.getArgAttrOfType<StringAttr>(i, pd::parameterAttribute); name && state != none)
        parameters[name.getValue()] = state;
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      auto name = function.getResultAttrOfType<StringAttr>(i, pd::stateAttribute);
      auto parameter = name ? parameters.find(name.getValue()) : parameters.end();
      Type type = function.getResultTypes()[i];
      bool isSame = parameter != parameters.end() && isa<RankedTensorType>(type) &&
                    cast<RankedTensorType>(type).getRank() == graph.states[parameter->second].type.getRank();
      own.results.push_back(isSame ? parameter->second
                                   : addState(type, meshes ? meshes->ofResult(function, i) : 0));
    }
  }

  unsigned meshOf(Value value) const { return meshes ? meshes->of(value) : 0; }

  unsigned addState(Type type, unsigned mesh) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return none;
    State state;
    state.type = tensor;
    state.mesh = mesh;
    state.placement.dims.resize(static_cast<size_t>(tensor.getRank()));
    state.isOpen.assign(static_cast<size_t>(tensor.getRank()), true);
    state.priority.assign(static_cast<size_t>(tensor.getRank()), 0);
    graph.states.push_back(std::move(state));
    return static_cast<unsigned>(graph.states.size()) - 1;
  }

  /// A state that propagation leaves unsplit.
  unsigned addWholeState(Value value) {
    unsigned state = addState(value.getType(), meshOf(value));
    if (state != none)
      llvm::fill(graph.states[state].isOpen, false);
    return state;
  }

  /// Gives a value a new state, or `state`.
  unsigned addValue(Value value, unsigned state = none) {
    if (!isa<RankedTensorType>(value.getType()))
      return none;
    state = state == none ? addState(value.getType(), meshOf(value)) : state;
    graph.indices[value] = static_cast<unsigned>(graph.values.size());
    graph.values.push_back(value);
    graph.stateOfValue.push_back(state);
    return state;
  }

  unsigned stateOf(Value value) const {
    unsigned index = graph.indexOf(value);
    return index == none ? none : graph.stateOfValue[index];
  }

  void addRef(unsigned value, unsigned state) {
    graph.nodeValues.push_back(value);
    graph.nodeStates.push_back(state);
  }

  void addEdge(OpOperand &operand, unsigned target) {
    unsigned source = stateOf(operand.get());
    if (source == none || target == none)
      return;
    const CachedRule *rule = graph.rules.identity(graph.states[target].type);
    graph.nodes.push_back({operand.getOwner(), &operand, rule, unsigned(graph.nodeValues.size()), 1, 1});
    addRef(graph.indexOf(operand.get()), source);
    addRef(none, target);
  }

  void addEdges(MutableArrayRef<OpOperand> operands, ArrayRef<unsigned> targets) {
    for (auto [operand, target] : llvm::zip_equal(operands, targets))
      addEdge(operand, target);
  }

  LogicalResult add(Operation *op) {
    if (auto returnOp = dyn_cast<func::ReturnOp>(op)) {
      addEdges(op->getOpOperands(), graph.functions[op->getParentOp()].results);
      return success();
    }
    if (auto call = dyn_cast<func::CallOp>(op))
      if (auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(op, call.getCalleeAttr());
          callee && !callee.isDeclaration())
        return addCall(call, callee);
    if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
      return addRegions(branch);
    if (auto entry = yielded.find(op); entry != yielded.end()) {
      addEdges(op->getOpOperands(), entry->second);
      return success();
    }
    if (isa<RegionBranchTerminatorOpInterface>(op) && isa<RegionBranchOpInterface>(op->getParentOp()))
      return success(); // addRegions() has prepared the edges in `yielded`
    if (auto vjp = dyn_cast<pd::VjpOp>(op))
      return addVjp(vjp);
    if (auto checkpoint = dyn_cast<pd::CheckpointOp>(op))
      return addCheckpoint(checkpoint);
    if (isa<dist::DistDialect>(op->getDialect()))
      return addDist(op);
    addOp(op);
    return success();
  }

  void addOp(Operation *op) {
    for (Value result : op->getResults())
      addValue(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          addValue(argument, addWholeState(argument));
    auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
    if (llvm::none_of(op->getOperandTypes(), isTensor) && llvm::none_of(op->getResultTypes(), isTensor))
      return;
    graph.nodes.push_back({op, nullptr, graph.rules.of(op), unsigned(graph.nodeValues.size()),
                           op->getNumOperands(), op->getNumResults()});
    for (Value operand : op->getOperands())
      addRef(graph.indexOf(operand), stateOf(operand));
    for (Value result : op->getResults())
      addRef(graph.indexOf(result), stateOf(result));
  }

  LogicalResult addCall(func::CallOp call, func::FuncOp callee) {
    for (auto [operand, argument] : llvm::zip_equal(call->getOpOperands(), callee.getArguments()))
      addEdge(operand, stateOf(argument));
    for (auto [result, state] : llvm::zip_equal(call.getResults(), graph.functions[callee].results))
      addValue(result, state);
    return success();
  }

  /// Targets of the same operand share a state.
  LogicalResult addRegions(RegionBranchOpInterface op) {
    ForwardedValues forwarded(op);
    // Values in program order, so that states have deterministic indices.
    for (Value target : forwarded.targets())
      if (Value first = forwarded.leaderOf(target); stateOf(first) == none)
        addValue(first);
    for (Value target : forwarded.targets())
      if (stateOf(target) == none)
        addValue(target, stateOf(forwarded.leaderOf(target)));
    for (auto [operand, target] : forwarded.uses())
      if (operand->getOwner() == op)
        addEdge(*operand, stateOf(target));
      else {
        auto &own = yielded[operand->getOwner()];
        own.resize(operand->getOwner()->getNumOperands(), none);
        own[operand->getOperandNumber()] = stateOf(target);
      }
    return success();
  }

  /// The gradient of an input has its sharding; saved values and cotangents have the shardings of the
  /// region's results.
  LogicalResult addVjp(pd::VjpOp op) {
    Block &body = op.getBody().front();
    for (auto [argument, gradient] : llvm::zip_equal(body.getArguments(), op.getGradients()))
      addValue(gradient, addValue(argument));
    Operation *yield = body.getTerminator();
    auto &own = yielded[yield];
    for (Value value : yield->getOperands())
      own.push_back(addState(value.getType(), meshOf(value)));
    unsigned index = 0;
    for (Value argument : body.getArguments())
      addEdge(op->getOpOperand(index++), stateOf(argument));
    for (int64_t of : op.getSavedOf())
      addEdge(op->getOpOperand(index++), own[static_cast<size_t>(of)]);
    for (int64_t of : op.getCotangentOf())
      addEdge(op->getOpOperand(index++), own[static_cast<size_t>(of)]);
    return success();
  }

  LogicalResult addCheckpoint(pd::CheckpointOp op) {
    Block &body = op.getBody().front();
    for (auto [operand, argument] : llvm::zip_equal(op->getOpOperands(), body.getArguments()))
      addEdge(operand, addValue(argument));
    auto &own = yielded[body.getTerminator()];
    for (Value result : op->getResults())
      own.push_back(addValue(result));
    return success();
  }

  LogicalResult addDist(Operation *op) {
    if (isa<dist::MeshOp>(op))
      return success();
    if (!isa<dist::ConstrainOp, dist::ReshardOp>(op))
      return op->emitOpError() << "is of the local form; expected ops of the global form";
    Value value = op->getResult(0), x = op->getOperand(0);
    unsigned result = addState(value.getType(), meshOf(value));
    // A reshard keeps its source placement, which annotations fix; a constraint passes axes in both
    // directions.
    unsigned operand = isa<dist::ReshardOp>(op) ? addState(value.getType(), meshOf(x)) : result;
    addEdge(op->getOpOperand(0), operand);
    addValue(op->getResult(0), result);
    return success();
  }

  ShardingGraph &graph;
  const ValueMeshes *meshes;
  SymbolTableCollection symbols;
  /// The targets of the operands of terminators.
  llvm::DenseMap<Operation *, SmallVector<unsigned>> yielded;
};

LogicalResult ShardingGraph::build(ModuleOp module, const ValueMeshes *meshOfValue) {
  return GraphBuilder(*this, meshOfValue).build(module);
}

unsigned ShardingGraph::meshOf(const Node &node) const {
  for (unsigned i = 0; i < node.numOperands + node.numResults; ++i)
    if (unsigned state = nodeStates[node.first + i]; state != none)
      return states[state].mesh;
  return 0;
}

unsigned ShardingGraph::indexOf(Value value) const {
  auto entry = indices.find(value);
  return entry == indices.end() ? none : entry->second;
}

} // namespace proa::sharding
