/// The graph on which shardings propagate: states of values, and nodes that relate them by sharding rules.
#pragma once

#include "passes/spmd/propagation/Meshes.h"
#include "passes/spmd/propagation/RuleCache.h"

#include "lib/base/spmd/Placement.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace proa::sharding {

/// The index of a value that is not a tensor.
inline constexpr unsigned none = ~0u;

/// The known shard of the sharding of a value, or of several values that have the same one.
struct State {
  mlir::RankedTensorType type;
  /// The index of the mesh.
  unsigned mesh = 0;
  /// The axes so far.
  spmd::Placement placement;
  /// For each dimension, whether propagation may append axes.
  llvm::SmallVector<bool, 4> isOpen;
  llvm::SmallVector<int64_t, 4> priority;
  /// Axes that propagation must not use.
  llvm::SmallVector<spmd::AxisRef, 1> replicated;
  /// Whether the value must have this placement, for results of ops with an annotation.
  bool isPinned = false;
  bool isAnnotated = false;

  State() = default;
  State(const State &) = default;
  State &operator=(const State &) = default;
  // noexcept: otherwise std::vector copies the states when it grows, since the move of SmallVector may throw.
  State(State &&) noexcept = default;
  State &operator=(State &&) noexcept = default;
};

/// An op, or an edge from an operand to the value that it becomes (a block argument, the result of a region
/// op or function, a value on another mesh).
struct Node {
  mlir::Operation *op = nullptr;
  /// The operand of an edge, otherwise null.
  mlir::OpOperand *edge = nullptr;
  /// Null: the op runs whole on each device.
  const CachedRule *rule = nullptr;
  /// The values and states of operands and results from here on.
  unsigned first = 0;
  unsigned numOperands = 0, numResults = 0;
};

struct FunctionStates {
  llvm::SmallVector<unsigned> results;
};

/// Indices are in program order, so that decisions by index are deterministic.
class ShardingGraph {
public:
  explicit ShardingGraph(const Meshes &meshes) : meshes(meshes) {}
  /// Builds the graph of all functions. `meshOfValue` is null for a program on one mesh. Errors: ops of the
  /// local form.
  llvm::LogicalResult build(mlir::ModuleOp module, const ValueMeshes *meshOfValue);

  const Meshes &meshes;

  std::vector<State> states;
  std::vector<Node> nodes;
  /// Values by index, and the state of each.
  std::vector<mlir::Value> values;
  std::vector<unsigned> stateOfValue;
  /// The value and the state of each operand and result of each node. The target of an edge has no value.
  std::vector<unsigned> nodeValues, nodeStates;
  /// The nodes with rules that have each state.
  std::vector<llvm::SmallVector<unsigned, 3>> nodesOfState;
  llvm::MapVector<mlir::Operation *, FunctionStates> functions;

  /// The index of a value, or `none`.
  unsigned indexOf(mlir::Value value) const;
  /// The state of a value that is a tensor.
  State &stateOf(mlir::Value value) { return states[stateOfValue[indexOf(value)]]; }
  /// The state of an operand or result of a node, counted from its first operand.
  const State &stateOf(const Node &node, unsigned index) const {
    return states[nodeStates[node.first + index]];
  }
  /// The mesh of a node that is not an edge, or of the source of an edge.
  unsigned meshOf(const Node &node) const;
  /// Whether a node is an edge from one mesh to another.
  bool isMove(const Node &node) const { return node.edge && stateOf(node, 0).mesh != stateOf(node, 1).mesh; }

private:
  friend class GraphBuilder;
  llvm::DenseMap<mlir::Value, unsigned> indices;
  RuleCache rules;
};

} // namespace proa::sharding
