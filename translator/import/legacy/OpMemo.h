/// Memoization of imported ops. Most ops of a program equal an earlier one except for the names of their
/// variables. They become copies of the ops that the earlier one became, without a look at the table, type
/// inference and verification.
#pragma once

#include "translator/import/legacy/LegacyTable.h"
#include "translator/import/legacy/VariableIndex.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace proa::import {

/// A legacy op with the values of all its inputs, slot by slot; null for @EMPTY@.
struct OpInstance {
  const legacy::Operation *op;
  const LegacyOp *entry;
  VariableIndex::OpVariables variables;
  llvm::SmallVector<mlir::Value, 8> inputs = {};
};

/// A variable in an output slot of an op, and its place among all outputs.
struct OutputName {
  uint32_t slot, argument, position;
};

/// The imported form of an op: ops without operands, the indices of their operands (inputs of the instance
/// first, then results in order), and for each output the index of its value.
struct Recipe {
  struct Step {
    mlir::OwningOpRef<mlir::Operation *> prototype;
    llvm::SmallVector<uint32_t, 4> operands;
  };
  std::vector<Step> steps;
  std::vector<std::pair<OutputName, uint32_t>> outputs;
};

class OpMemo {
public:
  /// Whether the imported form depends only on the op and the types of its inputs: no input may be constant.
  static bool isRepeatable(const OpInstance &instance);

  /// The imported form of an equal op; null if there was none.
  const Recipe *find(const OpInstance &instance) const;

  /// Keeps the imported form of an op: the created ops, in order, and the values of its outputs. Does nothing
  /// if the ops use other values than the inputs.
  void add(const OpInstance &instance, llvm::ArrayRef<mlir::Operation *> created,
           llvm::ArrayRef<std::pair<OutputName, mlir::Value>> outputs);

private:
  struct Known {
    const legacy::Operation *op;
    llvm::SmallVector<mlir::Type, 8> types;
    Recipe recipe;
  };
  std::unordered_map<uint64_t, std::vector<std::unique_ptr<Known>>> byHash;
};

} // namespace proa::import
