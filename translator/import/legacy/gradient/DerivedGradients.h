/// Gradients that proa computes (ImportOptions::derivedGradients): a pd.vjp of the program's forward ops
/// instead of its gradient ops.
#pragma once

#include "translator/legacy/Program.h"

#include "mlir/IR/Value.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace proa::import {

class ProgramImporter;

class DerivedGradients {
public:
  explicit DerivedGradients(ProgramImporter &program) : program(program) {}

  /// Finds the op that begins the gradients, and the op that writes each requested one last. Reports a
  /// program without these ops.
  void find();
  /// To be called after each op: computes the gradients after the op that begins them, and defines the
  /// variables of the gradients that the op writes last.
  void afterOp();

private:
  void create(mlir::Value loss, mlir::Value seed);
  llvm::DenseMap<mlir::Value, mlir::Value> straightThroughs() const;
  llvm::DenseSet<mlir::Value> withoutGradient() const;

  ProgramImporter &program;
  /// By the index of the op in block 0, the parameters whose gradients it writes last.
  std::map<size_t, std::vector<std::string>> lastWrites;
  /// The index of the op that begins the gradients.
  std::optional<size_t> begin;
  std::string lossName;
  /// By parameter.
  llvm::StringMap<mlir::Value> gradients;
};

} // namespace proa::import
