/// Loops whose bodies are graphs: Loop, Scan and SequenceMap.
#pragma once

#include "translator/import/onnx/GraphImporter.h"

namespace proa::import {

/// The results of an iteration.
struct LoopIteration {
  /// Whether another iteration follows, a bool of one element; null: always.
  mlir::Value condition;
  llvm::SmallVector<mlir::Value> carried;
  /// Elements that are collected, one for each iteration.
  llvm::SmallVector<mlir::Value> collected;
};

struct GraphLoop {
  /// The largest number of iterations, an int64 vector of one element; null: no limit.
  mlir::Value count;
  /// Whether there is a first iteration, a bool of one element; null: yes.
  mlir::Value condition;
  /// The carried values before the loop. Their dims may change in an iteration: the loop gets types for both.
  llvm::SmallVector<mlir::Value> carried;
  /// Whether an iteration precedes the loop. `collected` are its elements, the first of the arrays.
  bool isContinued = false;
  llvm::SmallVector<mlir::Value> collected;
  /// Names of the carried values, for errors.
  std::vector<std::string> names;
  /// Imports an iteration at the insertion point, from its index (an int64 vector of one element) and the
  /// carried values. It is called until an iteration keeps the types of the carried values.
  std::function<LoopIteration(mlir::Value index, llvm::ArrayRef<mlir::Value> carried)> iterate;
};

struct GraphLoopResults {
  llvm::SmallVector<mlir::Value> carried;
  /// The collected elements, as arrays.
  llvm::SmallVector<mlir::Value> arrays;
  /// The number of elements of the arrays, if it is known.
  std::optional<int64_t> count;
};

/// Creates the loop. Ends the hook, with a report, after an error in an iteration, and if an iteration
/// changes the rank or element type of a carried value.
GraphLoopResults createLoop(NodeImporter &node, const GraphLoop &loop);

/// Array `index` of the results as a tensor with the iterations along a new axis. Without iterations its
/// other dynamic dims are 0.
mlir::Value stackCollected(NodeImporter &node, const GraphLoopResults &results, size_t index, int64_t axis);

/// The tensor, which must be a bool of one element; ends the hook, with a report, if it is not. `name` is
/// the name of the value.
mlir::Value checkedCondition(NodeImporter &node, llvm::StringRef name, mlir::Value tensor);

/// A tensor of one element as an int64 vector of one element.
mlir::Value asCount(NodeImporter &node, mlir::Value tensor);

/// "tensor<2xf32>"
std::string typeText(mlir::Type type);

} // namespace proa::import
