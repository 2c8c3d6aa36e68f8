/// Programs repeat themselves: most ops equal an earlier one in all but the names of their variables. What
/// such an op becomes is copied from what the earlier one became, without looking at its table entry,
/// inferring types and verifying once more.
#pragma once

#include "translator/import/LegacyTable.h"
#include "translator/import/VariableIndex.h"

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
  VariableIndex::OpNumbers numbers;
  llvm::SmallVector<mlir::Value, 8> inputs = {};
};

/// A variable in an output slot of an op, and its place among all outputs.
struct OutputName {
  uint32_t slot, argument, place;
};

/// What one op became: ops without operands of their own, the numbers of their operands (inputs of the
/// instance first, then the results in order), and the number of what each output's variable got.
struct Recipe {
  struct Step {
    mlir::OwningOpRef<mlir::Operation *> prototype;
    llvm::SmallVector<uint32_t, 4> operands;
  };
  std::vector<Step> steps;
  std::vector<std::pair<OutputName, uint32_t>> outputs;
};

class Repetitions {
public:
  /// Whether only the op itself and the types of its inputs decide what it becomes: no input may hold
  /// elements that are known before the program runs.
  static bool isRepeatable(const OpInstance &instance);

  /// What an equal op became; null where there was none.
  const Recipe *find(const OpInstance &instance) const;

  /// Keeps what an op became: `made`, in order, and the values that its outputs got. Not where it depends on
  /// other values than its inputs.
  void add(const OpInstance &instance, llvm::ArrayRef<mlir::Operation *> made,
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
