/// Export of one op of the pd dialect as a legacy op.
#pragma once

#include "translator/import/legacy/LegacyTable.h"
#include "translator/legacy/Program.h"

#include "mlir/IR/Operation.h"

namespace proa::exporter {

/// The variables that hold values.
class Names {
public:
  virtual ~Names() = default;
  virtual std::string of(mlir::Value value) = 0;
  /// Makes the variable hold a value from here on.
  virtual void bind(mlir::Value value, const std::string &name) = 0;
  /// A new variable for a tensor without a value in IR.
  virtual std::string temporary(mlir::RankedTensorType type) = 0;
  /// A variable that holds a tensor broadcast to the dims of another one.
  virtual std::string expandedAs(mlir::Value tensor, mlir::Value like) = 0;
  /// Variables that hold the elements of a vector, one each.
  virtual std::vector<std::string> elementsOf(mlir::Value vector) = 0;
  /// A variable that holds an input of `op` and that the op may overwrite.
  virtual std::string overwritable(mlir::Value input, mlir::Operation *op) = 0;
  /// A variable that holds a tensor with these offsets as its LoD, the outermost level first. Without a
  /// tensor: one whose LoD alone matters.
  virtual std::string withLod(mlir::Value tensor, llvm::ArrayRef<mlir::Value> levels) = 0;
  /// After the op: a value holds the offsets of the LoD that the op gave a variable.
  virtual void bindLod(mlir::Value offsets, const std::string &variable) = 0;
};

/// Whether Paddle 2.6 has an op that is equivalent to `op`.
bool hasLegacyOp(mlir::Operation *op);

/// The legacy op that is equivalent to `op`. Ops that Paddle runs in place (MeanOut is Mean) do so if nothing
/// else reads the input. Errors: the op is unknown, or it cannot express the attributes.
Result<legacy::Operation> exportOp(mlir::Operation *op, Names &names);

/// The ops that create a constant: assign_value, and for element types that it lacks a cast or `complex`.
Result<std::vector<legacy::Operation>> exportConstant(mlir::Operation *constant, Names &names);

} // namespace proa::exporter
