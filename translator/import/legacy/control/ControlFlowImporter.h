/// The import of control flow: conditional_block, select_input, while, recurrent, pylayer and their
/// gradients.
///
/// A legacy block writes to variables of its outer blocks. An scf.if or scf.while has a result for each
/// variable that its blocks write.
#pragma once

#include "translator/import/legacy/Scope.h"
#include "translator/import/legacy/control/Blocks.h"
#include "translator/import/legacy/lod/LodTracker.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Region.h"

#include "llvm/ADT/StringMap.h"

#include <map>

namespace proa::import {

class OpImporter;
class ProgramImporter;

/// Whether an op is a conditional_block, under either of its two names.
bool isConditionalBlock(const legacy::Operation &op);

class ControlFlowImporter {
public:
  explicit ControlFlowImporter(ProgramImporter &program) : program(program) {}

  /// Values of variables that a block declares itself.
  using BlockInputs = std::vector<std::pair<std::string, mlir::Value>>;
  /// Imports the ops of a block at the insertion point. The caller restores the scope to drop the variables
  /// of the block. At the end, pending blocks that write one of `results` or a defined variable are finished.
  void importBlock(int32_t block, const Names &results, const BlockInputs &given = {});

  void importConditionalBlock(const legacy::Operation &op);
  void importSelectInput(const legacy::Operation &op);
  void importSelectOutput(const legacy::Operation &op);
  void importWhile(const legacy::Operation &op);
  void importRecurrent(const legacy::Operation &op);
  void importPyLayer(const legacy::Operation &op);
  void importPyLayerGradient(const legacy::Operation &op);
  /// The gradient of a conditional_block, while or recurrent.
  void importBlockGradient(const legacy::Operation &op);

  bool hasPending() const { return !pending.empty(); }
  /// Finishes the pending blocks that write one of these variables, but not one on the negation of
  /// `opposite`.
  void finishPendingWriting(const Names &names, mlir::Value opposite = {});
  /// Finishes the pending blocks whose variables an op reads or writes.
  void finishPendingBefore(const legacy::Operation &op);

private:
  /// A conditional_block. It is pending until its counterpart and the select_input of both come, or until an
  /// op needs what it writes.
  struct PendingBlock {
    const legacy::Operation *op = nullptr;
    int32_t block = 0;
    mlir::Value condition;
    Names written;
    Scope scope; ///< at the conditional_block
  };
  /// An scf.if under construction: the values that its two regions yield, null where a region leaves a
  /// variable undefined, and their LoDs.
  struct Branch {
    std::vector<std::string> names;
    mlir::Region regions[2];
    llvm::SmallVector<mlir::Value> values[2];
    std::vector<VariableLod> lods[2];
    std::vector<VariableLod> resultLods;
    /// The element types that select_inputs declare for the first variables; may be null.
    llvm::SmallVector<mlir::Type> declared;
    /// Errors of the import of a region: the run ends with them if it reaches that region.
    Diagnostics failures[2];

    void erase(size_t i);
  };
  /// An scf.while under construction (Loop.h).
  struct Loop;
  /// A `recurrent` under construction (StepBlocks.cpp).
  struct Recurrence;

  /// The block that an op runs; nothing, and a report, where there is none or it would run inside of itself.
  std::optional<int32_t> blockOf(const legacy::Operation &op);
  /// The value of a condition, one bool, for control flow; null, and a report, for anything else.
  mlir::Value scalarCondition(mlir::Value condition, mlir::Location location);
  /// Whether all tensors in 'Input' have elements, as one bool.
  mlir::Value inputsHaveElements(const legacy::Operation &op);

  // Conditions (Branches.cpp).

  /// Whether the mask of a select_input or select_output equals a number; null after an error.
  static mlir::Value maskEquals(OpImporter &importer, mlir::Value mask, int64_t value);
  /// Selects by an integer that is only known at run time.
  void selectByMask(const legacy::Operation &op, llvm::ArrayRef<std::string> names,
                    const std::string &output);
  /// Creates one scf.if of two pending blocks, of which one may be null, for all later select_inputs that
  /// choose between them.
  void mergePending(const PendingBlock *onFalse, const PendingBlock *onTrue,
                    llvm::ArrayRef<std::string> names);
  /// Whether a variable is defined and no pending block writes it.
  bool isOuter(const std::string &name) const;
  /// The variables of such an scf.if, each by its names in the two regions: first the pairs that are selected
  /// (the branch's `declared` has an element for each), then other variables that a region writes.
  std::vector<std::pair<std::string, std::string>> branchVariables(const PendingBlock *onFalse,
                                                                   const PendingBlock *onTrue,
                                                                   llvm::ArrayRef<std::string> names,
                                                                   Branch &branch);
  /// Creates an scf.if of a pending block without a counterpart.
  void finishPending(const PendingBlock &block);
  /// The element type that the program declares for the result of a select_input, or null.
  mlir::Type declaredElement(const legacy::Operation &select) const;
  const PendingBlock *findPending(llvm::StringRef written) const;
  /// The pending block on the negated condition.
  const PendingBlock *findOpposite(const PendingBlock &block) const;
  void removePending(const PendingBlock *first, const PendingBlock *second);
  /// Imports a block, or nothing for null, and puts the values of the branch's variables after it into the
  /// branch.
  void importRegion(const PendingBlock *block, Branch &branch, size_t region);
  /// Adds the levels of the LoDs after the two regions to what the branch yields.
  void joinLods(Branch &branch, llvm::SmallVectorImpl<mlir::Type> &types, mlir::Location location);
  void defineSelected(const std::string &name, const std::string &key);
  /// Converts the two values of a variable to one type where Paddle does not distinguish their types.
  void alignRegions(Branch &branch, size_t i, mlir::Location location);
  /// Creates the scf.if and returns its results, their LoDs in the branch; empty, and a report, where the
  /// regions do not fit.
  llvm::SmallVector<mlir::Value> makeBranch(Branch &branch, mlir::Value condition, mlir::Location location);
  bool isReadLater(llvm::StringRef name) const;
  /// Whether an op that runs after the current one may read a variable, in any of the blocks that run now.
  bool isReadAround(llvm::StringRef name) const;

  // Blocks that cannot be imported and may never run (DeferredErrors.cpp).

  /// Removes the errors from `first` on and returns them if the run may report them. Returns none where
  /// feeds may help with one.
  Diagnostics deferDiagnostics(size_t first);
  void dropDiagnostics(size_t first);
  /// Replaces the ops of a region that could not be imported by pd.fail. False, and a report, where both
  /// regions failed.
  bool makeFailures(Branch &branch, mlir::Location location);
  /// Replaces a loop whose body cannot be imported by pd.fail under the loop's condition.
  void finishFailedLoop(const Loop &loop, const Diagnostics &failure);
  /// The tensor type that the program declares for a variable, or null.
  mlir::RankedTensorType declaredType(llvm::StringRef name) const;

  // Loops (Loops.cpp, LodFlow.cpp).

  enum class Attempt { Failed, Again, Done };
  void importLoop(const legacy::Operation &op, int32_t block, bool mayPeel);
  void importPeeled(const legacy::Operation &op, const Loop &loop);
  bool findCarried(Loop &loop);
  Attempt importBody(Loop &loop);
  bool declareArrays(Loop &loop);
  mlir::Value withoutIteration(mlir::OpBuilder &builder, mlir::Location location, const std::string &name,
                               mlir::Value before, mlir::Type type, std::string &lost);
  bool widenCarried(Loop &loop, size_t index, mlir::Value after, bool &again);
  void finishLoop(Loop &loop);
  void enterLods(Loop &loop);
  bool followLods(Loop &loop);
  void leaveLods(Loop &loop);

  // recurrent and pylayer (StepBlocks.cpp).

  bool importSteps(Recurrence &loop, mlir::Region &body, llvm::SmallVectorImpl<mlir::Value> &yielded,
                   llvm::SmallVectorImpl<mlir::Type> &types);
  bool importStep(Recurrence &loop, mlir::Block &body, llvm::SmallVectorImpl<mlir::Value> &yielded);
  void finishRecurrent(Recurrence &loop, mlir::Region &body, llvm::SmallVectorImpl<mlir::Value> &inits,
                       llvm::SmallVectorImpl<mlir::Value> &yielded, llvm::ArrayRef<mlir::Type> types);
  void importLayerBlock(int32_t block, const legacy::Slot *results);

  // Gradients (ControlGradient.cpp).

  mlir::Value selectOrEmpty(mlir::Value condition, mlir::Value array, mlir::Location location);
  /// The state at a conditional_block, while or recurrent, for its gradient.
  struct Run {
    const legacy::Operation *op = nullptr;
    mlir::Value condition;
    Scope scope;
  };
  void recordRun(int32_t block, const legacy::Operation &op, mlir::Value condition);
  const Run *findRun(const legacy::Operation &op);
  void importGradientOfRun(const legacy::Operation &op, const Run &run);
  void undoInPlaceOps(const legacy::Operation &op, const Run &run);
  llvm::SmallVector<mlir::Value> importRunAgain(const Run &run, mlir::Block &body,
                                                llvm::ArrayRef<std::string> names,
                                                llvm::ArrayRef<std::string> outputs,
                                                llvm::ArrayRef<mlir::Value> cotangents);

  ProgramImporter &program;
  std::vector<PendingBlock> pending;
  /// The results of scf.ifs for later select_inputs, by "false|true".
  llvm::StringMap<mlir::Value> selected;
  llvm::StringMap<VariableLod> selectedLods;
  /// The blocks that are being imported, the outermost first.
  std::vector<int32_t> openBlocks;
  /// The number of deferred failures. Another attempt with more known types may not need them.
  size_t deferredCount = 0;
  /// By block.
  std::map<int32_t, Run> ran;
  bool isInGradient = false;
  /// The variables of the blocks of pylayers after their run.
  std::map<int32_t, llvm::StringMap<mlir::Value>> layerVariables;
};

} // namespace proa::import
