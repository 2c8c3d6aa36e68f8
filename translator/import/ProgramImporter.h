/// The walk over the ops of a program, and the state that the parts of an import share: the function, the
/// values of variables, the problems.
#pragma once

#include "translator/import/Arguments.h"
#include "translator/import/Blocks.h"
#include "translator/import/ControlFlowImporter.h"
#include "translator/import/Import.h"
#include "translator/import/LegacyTable.h"
#include "translator/import/LodTracker.h"
#include "translator/import/OpImporter.h"
#include "translator/import/OpMemo.h"
#include "translator/import/Scope.h"
#include "translator/import/SharedBuffers.h"
#include "translator/import/Subgraph.h"
#include "translator/import/VariableIndex.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <map>

namespace proa::import {

class ProgramImporter {
public:
  ProgramImporter(mlir::MLIRContext &context, const legacy::Program &program, const ImportOptions &options);

  Result<mlir::OwningOpRef<mlir::ModuleOp>> run();
  Result<Interface> interface();

  /// Types of feeds instead of the declared ones. A run adds those whose declaration turns out not to hold;
  /// the program must then be imported again.
  std::map<std::string, mlir::RankedTensorType> feedTypes;
  /// What would have gone to ImportOptions::onDiagnostic, while it is held back: a loop may take several
  /// attempts.
  std::optional<std::vector<Diagnostic>> heldWarnings;
  void releaseWarnings();

private:
  friend class ControlFlowImporter;
  friend class OpImporter;

  /// Variables that enter and leave the function, found before any op is made.
  void findInterface();
  void findFeedsAndFetches();
  void warnOfDroppedStates();
  /// Fed variables that the program computes keep the fed values.
  void restoreCutFeeds(const legacy::Operation &op);
  void makeFunction();
  mlir::RankedTensorType typeOf(const Argument &argument);
  std::vector<Argument> declareArguments();
  /// The parameter that a value is as the function is given it; null for any other value.
  const legacy::Variable *parameterOf(mlir::Value value) const;
  /// A feed's type, its open dims replaced by those of ImportOptions::feedDims.
  mlir::RankedTensorType withKnownDims(const std::string &name, mlir::RankedTensorType type) const;
  void importOp(size_t index, const legacy::Operation &op);
  void importByEntry(OpImporter &importer);
  /// By the entry's hook or table, with what is fused into the op (FusedParts.h).
  void importWithFusedParts(OpImporter &importer);
  void importFusedParts(OpImporter &importer);
  void finishFunction();
  void keepStoredShape(const std::string &name, mlir::Value value);

  // Gradient ops (Gradient.cpp).

  /// Slots with the values of their variables, null where a variable has none.
  using SlotValues = std::vector<std::pair<std::string, llvm::SmallVector<mlir::Value>>>;
  using Results = std::map<std::string, llvm::SmallVector<mlir::Value>>;
  /// An op that ran, with the values that its inputs had.
  struct Producer {
    const legacy::Operation *op;
    SlotValues inputs;
  };
  struct GradientImport;
  struct GivenResults;
  SlotValues inputValues(const legacy::Operation &op) const;
  void recordProducer(const legacy::Operation &op);
  /// Forgets all but the first `count`: values of a block do not exist outside of it.
  void forgetProducers(size_t count);
  const Producer *findProducer(const legacy::Operation &op, llvm::ArrayRef<std::string> forwardTypes,
                               const Producer *before) const;
  void importGradient(const legacy::Operation &op);
  bool checkCotangents(const legacy::Operation &op);
  bool makeGradient(GradientImport &gradient, mlir::Location location, Results &results);
  bool collectForward(GradientImport &gradient);
  bool findWanted(GradientImport &gradient);
  bool importForward(const GradientImport &gradient, mlir::Location location, mlir::Block &body,
                     Results &results);
  GivenResults givenResults(const GradientImport &gradient, const Results &results) const;

  // Gradients of the forward part in place of the program's own (ReplacedGradients.cpp).

  /// Finds the op that begins the gradients, and which op is the last to write each wanted one.
  void findReplacedGradients();
  /// After op `index` of block 0: computes the gradients, or defines those that the op was the last to write.
  void replaceGradients(const legacy::Operation &op);
  void createGradients(mlir::Value loss, mlir::Value seed);
  llvm::DenseMap<mlir::Value, mlir::Value> straightThroughs() const;

  /// By the number of the op in block 0, the parameters whose gradients it is the last to write.
  std::map<size_t, std::vector<std::string>> lastWrites;
  std::optional<size_t> gradientsBegin;
  std::string lossName;
  llvm::StringMap<mlir::Value> replacedGradients;

  /// Whether the program has gradient ops, which look for the ops that they belong to.
  bool hasGradients = false;
  /// Whether there are gradients of gradient ops.
  bool hasHigherGradients = false;
  std::vector<Producer> producers;
  llvm::StringMap<llvm::SmallVector<size_t, 1>> producersOf;

  /// The tensor type of a variable, or null and a problem.
  mlir::RankedTensorType typeOf(const std::string &name, const std::string &where);
  mlir::RankedTensorType typeOf(const legacy::Variable &variable, const std::string &where);
  /// Defines a variable and compares its type with the declared one.
  void define(const std::string &name, mlir::Value value) { define(name, variables.numberOf(name), value); }
  void define(const std::string &name, VariableNumber number, mlir::Value value);
  mlir::Value lookup(llvm::StringRef name) const { return scope.lookup(name); }

  // Sparse gradients (SparseRows.cpp).

  /// The rows that a SELECTED_ROWS variable has; null where that is not known.
  mlir::Value rowsOf(llvm::StringRef name) const;
  void setRows(llvm::StringRef name, mlir::Value rows);
  bool isSelectedRows(llvm::StringRef name) const;
  SlotValues inputRows(const legacy::Operation &op) const;
  void shareRows(const legacy::Operation &op, const SlotValues &inputs);
  void shareRows(OpImporter &importer, const SlotValues &inputs);
  /// Whether the program has SELECTED_ROWS variables.
  bool hasSelectedRows = false;

  // Ops that equal an earlier one (OpMemo.cpp).

  /// An op that has an entry in the table: like an equal op before it, or as the entry says.
  void importKnownOp(const legacy::Operation &op, const LegacyOp &entry);
  /// The values of all inputs; nothing where one is not defined or there is more to them than their types.
  std::optional<OpInstance> repeatableInstance(const legacy::Operation &op, const LegacyOp &entry) const;
  void repeat(const Recipe &recipe, const OpInstance &instance);
  OpMemo memo;
  /// While an op is imported that may come again: the variables that it has defined.
  std::vector<std::pair<const std::string *, mlir::Value>> *defined = nullptr;

  // Buffers of coalesce_tensor (SharedBuffers.cpp).

  void shareBuffer(const legacy::Operation &op);
  /// Those of the options.
  void shareParameters();
  /// What they hold at the end is state.
  void finishSharedParameters();
  /// Before an op: brings what it reads up to date.
  void readShared(const legacy::Operation &op);
  /// After an op: notes what it has made old.
  void writeShared(const legacy::Operation &op);
  void refreshShared(const Names &names);
  void refreshPart(SharedBuffer &shared, SharedBuffer::Part &part);
  void refreshBuffer(SharedBuffer &shared);
  mlir::Value partOfBuffer(const SharedBuffer &shared, int64_t begin, int64_t end);
  void checkSharedType(const SharedBuffer &shared, const std::string &name, mlir::RankedTensorType expected);
  std::vector<SharedBuffer> sharedBuffers;

  mlir::Location locationOf(size_t index, const legacy::Operation &op);
  /// A diagnostic at the current op, without a message.
  Diagnostic atCurrentOp() const;
  void report(const llvm::Twine &message);
  /// Reports what is wrong only because an earlier op could not be imported; the user sees the causes alone.
  void reportConsequence(const llvm::Twine &message);
  Problems withoutConsequences() const;
  /// A warning about a variable; `code` as in Diagnostic.
  void warn(const char *code, llvm::StringRef variable, const llvm::Twine &message);
  /// The text of errors that MLIR emitted since the last call.
  std::string takeDiagnostics();
  /// Reports what an op that could not be made says of its operands. Feeds may help where it is about an open
  /// dim or an element that is not known (ImportOptions::feedsMayHelp).
  void reportRefused(llvm::ArrayRef<llvm::SmallVector<mlir::Value>> operands);

  mlir::MLIRContext &context;
  const legacy::Program &legacyProgram;
  const ImportOptions &options;
  VariableIndex variables;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  mlir::OpBuilder builder;
  Problems problems;
  /// Indices of the problems that follow from others, in order.
  std::vector<size_t> consequences;
  /// Indices of the problems that feeds may help with.
  std::vector<size_t> ofOpenOperands;
  std::string diagnostics;

  std::vector<std::string> feeds, fetches;
  /// What of the program is imported.
  Subgraph part;
  /// Persistable variables that the program reads before it writes them.
  std::vector<const legacy::Variable *> parameters;
  /// Persistable variables that it writes.
  std::vector<std::string> states;
  Scope scope;
  LodTracker lods;
  ControlFlowImporter controlFlow;
  /// Names that an op failed to define: their readers report nothing more.
  llvm::StringSet<> poisoned;
  int32_t currentBlock = 0;
  size_t currentIndex = 0;
  const legacy::Operation *currentOp = nullptr;

  /// Of the function, which does not say itself yet what they are.
  std::vector<Argument> arguments;
};

} // namespace proa::import
