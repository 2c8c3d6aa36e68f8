/// The state of one import: the function being built, what each variable name stands for, and the problems found.
#pragma once

#include "translator/import/Import.h"
#include "translator/import/LegacyTable.h"
#include "translator/import/OpImporter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <map>
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace proa::import {

class ProgramImporter {
public:
  ProgramImporter(mlir::MLIRContext &context, const legacy::Program &program, const ImportOptions &options);

  Result<mlir::OwningOpRef<mlir::ModuleOp>> run();

private:
  friend class OpImporter;

  /// Variables that enter and leave the function, found before any op is made.
  void findInterface();
  void findFeedsAndFetches(llvm::SmallVectorImpl<const legacy::Operation *> &body);
  void makeFunction();
  void importOp(size_t index, const legacy::Operation &op);
  void finishFunction();

  // Control flow (ControlFlow.cpp).

  /// One arm of a `cond`: what a conditional_block is, until a select_input brings both arms together.
  struct Arm {
    mlir::Value condition;
    int32_t block = 0;
    const legacy::Operation *op = nullptr;
  };
  void importConditionalBlock(const legacy::Operation &op);
  /// Makes one scf.if of two arms, for this select_input and all later ones that choose between the same two.
  void importSelectInput(const legacy::Operation &op);
  /// Imports a sub-block at the insertion point and returns the values of `outputs`; null values were reported.
  llvm::SmallVector<mlir::Value> importArm(const Arm &arm, llvm::ArrayRef<std::string> outputs);
  /// The pairs (false, true) of names that select_inputs from the current op on choose between, for two arms.
  llvm::SmallVector<std::pair<std::string, std::string>> selectedPairs(const Arm &onFalse, const Arm &onTrue);
  bool isNegation(mlir::Value value, mlir::Value of) const;

  // Gradient ops (Gradient.cpp).

  /// An op that ran, with the values that its inputs had.
  struct Producer {
    const legacy::Operation *op;
    std::vector<std::pair<std::string, llvm::SmallVector<mlir::Value>>> inputs;
  };
  struct GradientImport;
  struct GivenResults;
  void recordProducer(const legacy::Operation &op);
  const Producer *findProducer(const legacy::Operation &op, llvm::StringRef forwardType) const;
  void importGradient(const legacy::Operation &op, const LegacyOp &entry);
  bool collectForward(const legacy::Operation &op, const LegacyOp &entry, GradientImport &gradient);
  bool findWanted(const legacy::Operation &op, GradientImport &gradient);
  bool importForward(const GradientImport &gradient, const LegacyOp &entry, mlir::Location location, mlir::Block &body,
                     std::map<std::string, llvm::SmallVector<mlir::Value>> &results);
  GivenResults givenResults(const legacy::Operation &op,
                            const std::map<std::string, llvm::SmallVector<mlir::Value>> &results) const;

  /// Whether the program has gradient ops, which look for the ops that they belong to.
  bool hasGradients = false;
  std::vector<Producer> producers;
  llvm::StringMap<llvm::SmallVector<size_t, 1>> producersOf;

  llvm::StringMap<Arm> arms;
  /// By "false|true": the results of scf.ifs that later select_inputs stand for.
  llvm::StringMap<mlir::Value> selected;

  /// The tensor type of a variable, or null and a problem.
  mlir::RankedTensorType typeOf(const std::string &name, const std::string &where);
  /// Defines a variable and compares its type with the declared one.
  void define(const std::string &name, mlir::Value value);
  mlir::Value lookup(llvm::StringRef name) const { return environment.lookup(name); }

  // LoD (LodImport.cpp).

  /// What the results of an op may get: the LoD of its first tensor.
  struct LodSource {
    llvm::SmallVector<mlir::Value> levels;
    mlir::Value tensor;
  };
  /// The levels of a variable's LoD, the outermost first.
  llvm::SmallVector<mlir::Value> lodOf(llvm::StringRef name) const;
  void setLod(llvm::StringRef name, llvm::ArrayRef<mlir::Value> levels);
  LodSource lodSource(const legacy::Operation &op, const LegacyOp *entry) const;
  /// Gives the results that got no LoD of their own the one that the op's rule says, and gradients that of their variable.
  void shareLod(const legacy::Operation &op, const LegacyOp *entry, const LodSource &source);

  mlir::Location locationOf(size_t index, const legacy::Operation &op);
  /// "ops[3] (relu) -> relu_0.tmp_0, net.py:12".
  std::string describeCurrent() const;
  void report(const llvm::Twine &message);
  /// Reports what is wrong only because an earlier op could not be imported; the user sees the causes alone.
  void reportConsequence(const llvm::Twine &message);
  Problems withoutConsequences() const;
  void warn(const llvm::Twine &message);
  /// The text of errors that MLIR emitted since the last call.
  std::string takeDiagnostics();

  mlir::MLIRContext &context;
  const legacy::Program &program;
  const ImportOptions &options;
  legacy::VariableIndex variables;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  mlir::OpBuilder builder;
  Problems problems;
  /// Indices of the problems that follow from others, in order.
  std::vector<size_t> consequences;
  std::string diagnostics;

  std::vector<std::string> feeds, fetches;
  /// Persistable variables that the program reads before it writes them, and those that it writes.
  std::vector<std::string> parameters, states;
  llvm::StringMap<mlir::Value> environment;
  /// Names that an op failed to define: their readers report nothing more.
  llvm::StringSet<> poisoned;
  int32_t currentBlock = 0;
  size_t currentIndex = 0;
  const legacy::Operation *currentOp = nullptr;
};

} // namespace proa::import
