/// The state of one import: the function being built, what each variable name stands for, and the problems
/// found.
#pragma once

#include "translator/import/Arguments.h"
#include "translator/import/Blocks.h"
#include "translator/import/Environment.h"
#include "translator/import/Import.h"
#include "translator/import/LegacyTable.h"
#include "translator/import/OpImporter.h"
#include "translator/import/Repetition.h"
#include "translator/import/SharedBuffers.h"
#include "translator/import/Subgraph.h"
#include "translator/import/VariableIndex.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <map>

namespace proa::import {

/// A conditional_block, also as Paddle's inference calls it.
bool isConditionalBlock(const legacy::Operation &op);

class ProgramImporter {
public:
  ProgramImporter(mlir::MLIRContext &context, const legacy::Program &program, const ImportOptions &options);

  Result<ImportedProgram> run();
  Result<Interface> interface();

  /// Types of feeds instead of the declared ones. A run adds those whose declaration turns out not to hold;
  /// the program must be imported once more then.
  std::map<std::string, mlir::RankedTensorType> feedTypes;
  /// What would have gone to ImportOptions::onDiagnostic, while it is held back: a loop may take several
  /// attempts.
  std::optional<std::vector<Diagnostic>> heldWarnings;
  void releaseWarnings();

private:
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

  // Control flow (Branches.cpp, Loops.cpp). A legacy block writes to variables of the blocks around it; here,
  // scf.if and scf.while have a result for each variable that is written so.

  /// A conditional_block. It waits for its counterpart and for the select_input that brings both together, or
  /// for whatever else needs what it writes.
  struct Arm {
    const legacy::Operation *op = nullptr;
    int32_t block = 0;
    mlir::Value condition;
    Names written;
    Environment environment; ///< where the conditional_block stands
  };
  /// The LoD of a variable at one place of the program.
  struct VariableLod {
    llvm::SmallVector<mlir::Value> levels;
    /// On some ways here the variable has a LoD of other levels, or none.
    bool isUnclear = false;
    /// The variable stands for nothing, or for an array without elements, which goes with any LoD.
    bool isOfNothing = false;
  };
  /// An scf.if in the making: the values that its two regions end with, null where an arm leaves a variable
  /// undefined, and their LoDs.
  struct Branch {
    std::vector<std::string> names;
    mlir::Region regions[2];
    llvm::SmallVector<mlir::Value> values[2];
    std::vector<VariableLod> lods[2];
    std::vector<VariableLod> resultLods;
    /// Of the first variables: the element type that a select_input declares for them, or null.
    llvm::SmallVector<mlir::Type> declared;
    /// What is in the way of importing an arm: the run ends with it if it comes to that arm.
    Problems failures[2];

    void erase(size_t i);
  };
  struct Loop;

  /// The block that an op runs; nothing, and a report, where there is no such block or it would run inside of
  /// itself.
  std::optional<int32_t> blockOf(const legacy::Operation &op);
  /// Imports the ops of a block at the insertion point. Its own variables are gone afterwards if the caller
  /// restores the environment. Arms that wait at the end and write one of `wanted`, or a variable that is
  /// there, come to be.
  /// `given` are values of variables that the block declares itself.
  using BlockInputs = std::vector<std::pair<std::string, mlir::Value>>;
  void importBlock(int32_t block, const Names &wanted, const BlockInputs &given = {});
  /// The value of a condition, one bool, for control flow; null, and a report, for anything else.
  mlir::Value scalarCondition(mlir::Value condition, mlir::Location location);
  /// Whether all tensors in 'Input' have elements, as one bool.
  mlir::Value inputsHaveElements(const legacy::Operation &op);

  void importConditionalBlock(const legacy::Operation &op);
  void importSelectInput(const legacy::Operation &op);
  void selectByMask(const legacy::Operation &op, llvm::ArrayRef<std::string> names,
                    const std::string &output);
  /// Makes one scf.if of two arms, of which one may be missing, for all select_inputs from here on that
  /// choose between them.
  void mergeArms(const Arm *onFalse, const Arm *onTrue, llvm::ArrayRef<std::string> names);
  /// Whether a variable is there whichever arm runs, as no arm writes it.
  bool isOuter(const std::string &name) const;
  /// The variables of such an scf.if, each by its names in the two arms: first the pairs that are selected
  /// from here on (the branch's `declared` has an element for each), then what an arm changes.
  std::vector<std::pair<std::string, std::string>>
  branchVariables(const Arm *onFalse, const Arm *onTrue, llvm::ArrayRef<std::string> names, Branch &branch);
  /// Makes an scf.if of an arm for which no counterpart came.
  void finishArm(const Arm &arm);
  /// Does that for the waiting arms that write one of these variables and are not on the opposite of the
  /// condition.
  void finishArmsWriting(const Names &names, mlir::Value opposite = {});
  void finishArmsBefore(const legacy::Operation &op);
  /// The element type that the program declares for what a select_input makes, or null.
  mlir::Type declaredElement(const legacy::Operation &select) const;
  const Arm *findArm(llvm::StringRef written) const;
  /// The waiting arm on the opposite condition.
  const Arm *findOpposite(const Arm &arm) const;
  void removeArms(const Arm *first, const Arm *second);
  /// Imports an arm and puts the values of the branch's variables after it into the branch.
  void importArm(const Arm *arm, Branch &branch, size_t region);

  // Blocks that cannot be imported and may never run (DeferredErrors.cpp).

  /// Takes back the problems from `first` on and returns them, where they may wait until the run comes to
  /// what they are about. Returns none where feeds may help with one.
  Problems deferProblems(size_t first);
  void dropProblems(size_t first);
  /// How often that happened: another attempt with more types known may not need it.
  size_t deferredCount = 0;
  /// Replaces the ops of an arm that could not be imported by one that ends the run. Both arms of a condition
  /// never wait: false, and a report.
  bool makeFailures(Branch &branch, mlir::Location location);
  /// Instead of a loop whose body cannot be imported: the run ends if the loop's condition holds.
  void finishFailedLoop(const Loop &loop, const Problems &failure);
  /// The tensor type that the program declares for a variable, or null.
  mlir::RankedTensorType declaredType(llvm::StringRef name) const;
  /// Adds the levels of LoDs that the two arms leave behind to what the branch yields.
  void joinLods(Branch &branch, llvm::SmallVectorImpl<mlir::Type> &types, mlir::Location location);
  void defineSelected(const std::string &name, const std::string &key);
  /// Brings the values that the two arms give a variable to one type where Paddle takes them for alike.
  void alignArms(Branch &branch, size_t i, mlir::Location location);
  /// The results of the finished scf.if, their LoDs in the branch; empty, and a report, where the arms do not
  /// fit.
  llvm::SmallVector<mlir::Value> makeBranch(Branch &branch, mlir::Value condition, mlir::Location location);
  bool isReadLater(llvm::StringRef name) const;

  void importWhile(const legacy::Operation &op);
  void importLoop(const legacy::Operation &op, int32_t block, bool mayPeel);
  void importPeeled(const legacy::Operation &op, const Loop &loop);
  bool findCarried(Loop &loop);
  enum class Attempt { Failed, Again, Done };
  Attempt importBody(Loop &loop);
  bool declareArrays(Loop &loop);
  mlir::Value withoutIteration(mlir::OpBuilder &builder, mlir::Location location, const std::string &name,
                               mlir::Value before, mlir::Type type, std::string &lost);
  bool widenCarried(Loop &loop, size_t index, mlir::Value after, bool &again);
  void finishLoop(Loop &loop);
  // LodFlow.cpp
  void enterLods(Loop &loop);
  bool followLods(Loop &loop);
  void leaveLods(Loop &loop);

  // Steps over sequences and layers with gradients of their own (StepBlocks.cpp).
  struct Recurrence;
  void importRecurrent(const legacy::Operation &op);
  bool importSteps(Recurrence &loop, mlir::Region &body, llvm::SmallVectorImpl<mlir::Value> &yielded,
                   llvm::SmallVectorImpl<mlir::Type> &types);
  bool importStep(Recurrence &loop, mlir::Block &body, llvm::SmallVectorImpl<mlir::Value> &yielded);
  void finishRecurrent(Recurrence &loop, mlir::Region &body, llvm::SmallVectorImpl<mlir::Value> &inits,
                       llvm::SmallVectorImpl<mlir::Value> &yielded, llvm::ArrayRef<mlir::Type> types);
  void importPyLayer(const legacy::Operation &op);
  void importPyLayerGradient(const legacy::Operation &op);
  void importLayerBlock(int32_t block, const legacy::Slot *results);
  /// What the blocks of pylayers left in their own variables.
  std::map<int32_t, llvm::StringMap<mlir::Value>> layerVariables;

  /// What a conditional_block, a while or a recurrent began with, for its gradient.
  struct Run {
    const legacy::Operation *op = nullptr;
    mlir::Value condition;
    Environment environment;
  };
  void recordRun(int32_t block, const legacy::Operation &op, mlir::Value condition);
  const Run *findRun(const legacy::Operation &op);
  void importBlockGradient(const legacy::Operation &op);
  llvm::SmallVector<mlir::Value> importRunAgain(const Run &run, mlir::Block &body,
                                                llvm::ArrayRef<std::string> names,
                                                llvm::ArrayRef<std::string> outputs,
                                                llvm::ArrayRef<mlir::Value> cotangents);
  void importSelectOutput(const legacy::Operation &op);

  /// By block.
  std::map<int32_t, Run> ran;
  bool isInGradient = false;
  std::vector<Arm> arms;
  /// By "false|true": the results of scf.ifs that later select_inputs stand for.
  llvm::StringMap<mlir::Value> selected;
  llvm::StringMap<VariableLod> selectedLods;
  std::vector<int32_t> openBlocks;

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
  /// Forgets all but the first so many: values of a block are not there outside of it.
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

  // Gradients of the forward part in place of the program's own (OwnGradients.cpp).

  /// Finds the op that begins the gradients, and which op is the last to write each wanted one.
  void findOwnGradients();
  /// After op `index` of block 0: computes the gradients, or defines those that the op was the last to write.
  void takeOwnGradients(const legacy::Operation &op);
  void makeOwnGradients(mlir::Value loss, mlir::Value seed);
  llvm::DenseMap<mlir::Value, mlir::Value> straightThroughs() const;

  /// By the number of the op in block 0, the parameters whose gradients it is the last to write.
  std::map<size_t, std::vector<std::string>> lastWrites;
  std::optional<size_t> gradientsBegin;
  std::string lossName;
  llvm::StringMap<mlir::Value> ownGradients;

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
  mlir::Value lookup(llvm::StringRef name) const { return environment.lookup(name); }

  // LoD (LodImport.cpp).

  /// What the results of an op may get: the LoD of its first tensor.
  struct LodSource {
    VariableLod lod;
    mlir::Value tensor;
  };
  /// Whether any variable has one: most programs do without, and a name for each level is not free.
  bool hasLod = false;
  /// The levels of a variable's LoD, the outermost first.
  llvm::SmallVector<mlir::Value> lodOf(llvm::StringRef name) const;
  void setLod(llvm::StringRef name, llvm::ArrayRef<mlir::Value> levels);
  /// The same with what is known of a LoD that control flow decides. The levels of a tensor array are arrays,
  /// element by element those of its elements.
  VariableLod variableLod(llvm::StringRef name) const;
  void setVariableLod(llvm::StringRef name, const VariableLod &lod);
  /// Whether it is known how many levels the variable has; else it is reported.
  bool checkLod(llvm::StringRef slot, llvm::StringRef name);
  LodSource lodSource(const legacy::Operation &op, const LegacyOp *entry) const;
  /// Gives the results that got no LoD of their own the one that the op's rule says, and gradients that of
  /// their variable.
  void shareLod(const legacy::Operation &op, const LegacyOp *entry, const LodSource &source);

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

  // Ops that equal an earlier one (Repetition.cpp).

  /// An op that has an entry in the table: like an equal op before it, or as the entry says.
  void importKnownOp(const legacy::Operation &op, const LegacyOp &entry);
  /// The values of all inputs; nothing where one is not defined or there is more to them than their types.
  std::optional<OpInstance> repeatableInstance(const legacy::Operation &op, const LegacyOp &entry) const;
  void repeat(const Recipe &recipe, const OpInstance &instance);
  Repetitions repetitions;
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
  const legacy::Program &program;
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
  Environment environment;
  /// Names that an op failed to define: their readers report nothing more.
  llvm::StringSet<> poisoned;
  int32_t currentBlock = 0;
  size_t currentIndex = 0;
  const legacy::Operation *currentOp = nullptr;

  /// Of the function, which does not say itself yet what they are.
  std::vector<Argument> arguments;
};

} // namespace proa::import
