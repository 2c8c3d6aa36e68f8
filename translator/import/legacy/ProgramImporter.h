/// The walk over the ops of a program, and the state that the steps of an import share: the values of
/// variables, the current op, the errors and warnings.
#pragma once

#include "translator/import/Import.h"
#include "translator/import/legacy/LegacyTable.h"
#include "translator/import/legacy/OpImporter.h"
#include "translator/import/legacy/OpMemo.h"
#include "translator/import/legacy/Scope.h"
#include "translator/import/legacy/SharedBuffers.h"
#include "translator/import/legacy/SparseRows.h"
#include "translator/import/legacy/VariableIndex.h"
#include "translator/import/legacy/control/ControlFlowImporter.h"
#include "translator/import/legacy/gradient/DerivedGradients.h"
#include "translator/import/legacy/gradient/GradientImporter.h"
#include "translator/import/legacy/interface/FunctionInterface.h"
#include "translator/import/legacy/lod/LodTracker.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringSet.h"

namespace proa::import {

class ProgramImporter {
public:
  ProgramImporter(mlir::MLIRContext &context, const legacy::Program &program, const ImportOptions &options);

  Result<mlir::OwningOpRef<mlir::ModuleOp>> run();
  Result<Interface> declaredInterface();

  FunctionInterface interface;
  /// Warnings that are held back, if any are: a loop may take several attempts.
  std::optional<std::vector<Diagnostic>> heldWarnings;
  void releaseWarnings();

private:
  friend class ControlFlowImporter;
  friend class DerivedGradients;
  friend class FunctionInterface;
  friend class GradientImporter;
  friend class OpImporter;
  friend class SharedBuffers;
  friend class SparseRows;

  void importOp(size_t index, const legacy::Operation &op);
  void importByEntry(OpImporter &importer);
  /// Imports an op by the hook or table of its entry, with the ops fused into it (FusedAttributes.h).
  void importWithFusion(OpImporter &importer);
  void importFused(OpImporter &importer);
  OpImporter importerOfCurrentOp();

  /// Defines a variable. If anything reads it, its type is compared with the declared one.
  void define(const std::string &name, mlir::Value value) { define(name, variables.idOf(name), value); }
  void define(const std::string &name, VariableId id, mlir::Value value);
  mlir::Value lookup(llvm::StringRef name) const { return scope.lookup(name); }
  /// Whether an op of any block reads the variable, a fetch returns it or a later run uses it.
  bool isRead(const std::string &name);

  // Ops that equal an earlier one (OpMemo.cpp).

  /// Imports an op that has an entry in the table: as a copy of an earlier equal op, or by the entry.
  void importKnownOp(const legacy::Operation &op, const LegacyOp &entry);
  /// The values of all inputs; nothing if one is undefined or the op depends on more than their types.
  std::optional<OpInstance> repeatableInstance(const legacy::Operation &op, const LegacyOp &entry) const;
  void repeat(const Recipe &recipe, const OpInstance &instance);
  OpMemo memo;
  /// The variables that a repeatable op has defined, during its import.
  std::vector<std::pair<const std::string *, mlir::Value>> *defined = nullptr;

  mlir::Location locationOf(size_t index, const legacy::Operation &op);
  /// A diagnostic at the current op, without a message.
  Diagnostic atCurrentOp() const;
  void report(const llvm::Twine &message);
  /// Reports an error that follows from an earlier one. The user sees only the causes.
  void reportConsequence(const llvm::Twine &message);
  Diagnostics withoutConsequences() const;
  /// A warning about a variable; `code` as in Diagnostic.
  void warn(const char *code, llvm::StringRef variable, const llvm::Twine &message);
  /// The text of errors that MLIR emitted since the last call.
  std::string takeMlirErrors();
  /// Reports the emitted errors about an op that could not be created. Feeds may help if an operand has
  /// dynamic dims or unknown elements (ImportOptions::feedsMayHelp).
  void reportRefused(llvm::ArrayRef<llvm::SmallVector<mlir::Value>> operands);

  mlir::MLIRContext &context;
  const legacy::Program &legacyProgram;
  const ImportOptions &options;
  VariableIndex variables;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::OpBuilder builder;
  Diagnostics diagnostics;
  /// Indices of the errors that follow from others, in order.
  std::vector<size_t> consequences;
  /// Indices of the errors that feeds may help with.
  std::vector<size_t> ofOpenOperands;
  /// Errors of MLIR's verifiers and of inference since the last call of takeMlirErrors().
  std::string mlirErrors;

  Scope scope;
  LodTracker lods;
  SparseRows sparseRows;
  SharedBuffers sharedBuffers;
  GradientImporter gradients;
  DerivedGradients derivedGradients;
  ControlFlowImporter controlFlow;
  /// Names that an op failed to define: their readers report nothing more.
  llvm::StringSet<> poisoned;
  /// Names for which isRead() is true; collected at the first call.
  std::optional<llvm::StringSet<>> readNames;
  int32_t currentBlock = 0;
  size_t currentIndex = 0;
  const legacy::Operation *currentOp = nullptr;
};

} // namespace proa::import
