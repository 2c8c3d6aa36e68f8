/// The graph on which shardings propagate: states of values, and nodes that relate them by sharding rules.
#pragma once

#include "passes/spmd/propagation/RuleCache.h"

#include "lib/spmd/Placement.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace proa::sharding {

/// The index of a value that is not a tensor.
inline constexpr unsigned none = ~0u;

/// The known part of the sharding of a value, or of several values that have the same one.
struct State {
  mlir::RankedTensorType type;
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
};

/// An op, or an edge from an operand to the value that it becomes (a block argument, the result of a region
/// op or function).
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
  /// Builds the graph of all functions. Errors: ops of the local form.
  llvm::LogicalResult build(mlir::ModuleOp module);

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

private:
  friend class GraphBuilder;
  llvm::DenseMap<mlir::Value, unsigned> indices;
  RuleCache rules;
};

} // namespace proa::sharding
