/// The state of one export: the legacy program under construction and the names of its variables.
#pragma once

#include "translator/export/ExportOp.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace proa::exporter {

class ProgramExporter : Names {
public:
  explicit ProgramExporter(mlir::func::FuncOp main) : main(main) {}

  Result<legacy::Program> run();

private:
  /// The block that ops are written to.
  legacy::Block &block() { return program.blocks[static_cast<size_t>(currentBlock)]; }
  void write(legacy::Operation op) { block().operations.push_back(std::move(op)); }

  void addHolder(const char *name, legacy::VariableKind kind);
  mlir::StringAttr roleOf(mlir::BlockArgument argument, llvm::StringRef role);
  /// Names fetched values as their fetches, if an op computes them and nothing else has the name.
  void nameResults();
  void addArgument(mlir::BlockArgument argument);
  void addFetches();
  /// Whether a feed has this name and the function does not return it as it was fed.
  bool isUnreturnedFeed(llvm::StringRef name);

  void bind(mlir::Value value, const std::string &name) override { names[value] = name; }
  std::string of(mlir::Value value) override;
  std::string temporary(mlir::RankedTensorType type) override;
  std::string expandedAs(mlir::Value tensor, mlir::Value like) override;
  std::vector<std::string> elementsOf(mlir::Value vector) override;
  std::string overwritable(mlir::Value input, mlir::Operation *op) override;

  // LoD (ExportLod.cpp). Offsets are values here and belong to tensors in Paddle.

  std::string withLod(mlir::Value tensor, llvm::ArrayRef<mlir::Value> levels) override;
  void bindLod(mlir::Value offsets, const std::string &variable) override {
    lods.emplace_back(offsets, variable);
  }
  /// While an op is exported only for the slots of its gradient op: the offsets that each of its variables
  /// must have, and whether other ops are needed before it.
  struct Asked {
    llvm::StringMap<mlir::Value> lods;
    bool needsOps = false;
  };
  std::optional<Asked> asked;
  /// The element that array_write stores gets these levels as its LoD.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> writtenLods;
  /// False for other ops than pd.beam_search_decode.
  bool addBeamSearchDecode(mlir::Operation &op);
  /// Writes the ops that read the offsets from the variables of bindLod.
  void writeLods();
  /// Gives `to` the LoD that the offsets hold, the outermost level first; the tensor is `from`.
  void resetLod(const std::string &from, llvm::ArrayRef<mlir::Value> levels, const std::string &to);
  /// `to` is `from` with the LoD of `like`, or the LoD that `like` holds as elements; `append`: after its own
  /// levels.
  void writeReset(const std::string &from, const std::string &like, bool append, const std::string &to);
  /// Offsets as int32, which lod_reset takes.
  std::string narrowed(mlir::Value offsets);
  /// A vector of zeros whose length is the last offset.
  std::string zerosBelow(mlir::Value offsets, mlir::Type element);
  /// From a variable with a LoD the offsets of its innermost level. Leaves in `variable` one that has the
  /// other levels.
  std::string innermostOffsets(std::string &variable);
  void addLodArguments();
  /// Erases ops of the main block, from number `begin` to before `end`, and variables that nothing reads.
  void eraseUnread(size_t begin, size_t end);
  /// The arguments that hold the offsets of a feed, the outermost level first.
  llvm::SmallVector<mlir::Value> fedLevels(mlir::Value tensor);
  std::vector<mlir::Value> fetchedLod(llvm::StringRef name);
  std::string writeTensorOp(legacy::Operation op, mlir::Type element, std::vector<int64_t> dims,
                            const char *slot = "Out");
  std::string freshName(bool isArray = false);
  /// Declares the variable of a value in the current block, once.
  void declare(mlir::Value value, const std::string &name, bool persistable = false, bool fed = false) {
    declareType(value.getType(), name, persistable, fed);
  }
  void declareType(mlir::Type type, const std::string &name, bool persistable, bool fed);

  void addOp(mlir::Operation &op);
  /// The ops of a block of IR but its terminator.
  void addOps(mlir::Block &body);
  void addTable(mlir::Operation &op);
  /// Writes an op that legacy programs do not have as a formula of other ops; false without a formula
  /// (ExportFormula.cpp).
  bool addFormula(mlir::Operation &op);
  /// Writes the decomposition of an op; false if it has none.
  bool addDecomposition(mlir::Operation &op);
  /// Writes the ops between `before` and `op`.
  void addCreated(mlir::Operation &op, mlir::Operation *before);
  /// Writes the ops between `before` and `op`, and that the results of `op` are these values.
  void addInstead(mlir::Operation &op, mlir::Operation *before, llvm::ArrayRef<mlir::Value> values);
  legacy::Operation assign(const std::string &from, const std::string &to);
  /// Whether a value is an array without elements, which its variable is before any op writes it.
  bool isEmptyArray(mlir::Value value) const;
  void addArrayOp(mlir::Operation &op);

  // Gradients (ExportGradient.cpp).

  /// The op that a pd.vjp differentiates.
  struct Forward;
  /// False for gradients of other ops than pd.squeeze.
  bool addSqueezeGradient(pd::VjpOp vjp);
  /// None if no legacy gradient op is equivalent.
  std::optional<Forward> forwardOf(pd::VjpOp vjp);
  /// Adds zeros for the cotangents of a list that are not given, and computes the results again where only
  /// the gradient op reads them. False where their dims are not known.
  bool completeResults(Forward &forward);
  /// False if no legacy gradient op is equivalent.
  bool addGradientOp(pd::VjpOp vjp);
  /// The variable of an input, with a LoD if the op reads it.
  std::string inputOf(pd::VjpOp vjp, size_t index, mlir::Value offsets);
  /// False for other ops than gradients of convolutions by their filter.
  bool addWeightGradient(mlir::Operation &op);
  std::string zeros(mlir::RankedTensorType type);
  void addGradient(pd::VjpOp vjp);

  // Control flow (ExportControl.cpp).

  void addIf(mlir::scf::IfOp op);
  void addWhile(mlir::scf::WhileOp op);
  /// Names of the variables that a loop changes: at the start of an iteration, passed to it, and the
  /// condition for another iteration.
  struct LoopVariables {
    std::vector<std::string> begins, given;
    std::string condition;
  };
  LoopVariables loopVariables(mlir::scf::WhileOp op);
  void addLoopTest(mlir::scf::WhileOp op, const LoopVariables &variables);
  void addIteration(mlir::scf::WhileOp op, const LoopVariables &variables);
  /// Opens a block inside of the current one, writes what `body` writes, and returns its number.
  int32_t addBlock(llvm::function_ref<void()> body);
  /// The names of the variables of the current block that a block reads: what its op lists as inputs.
  std::vector<std::string> readFromOutside(int32_t block, llvm::ArrayRef<std::string> written);
  std::string scopes();
  void addConditionalBlock(const std::string &condition, int32_t block, llvm::ArrayRef<std::string> written);
  /// A new variable for a value of a type.
  std::string variableFor(mlir::Value like);

  mlir::func::FuncOp main;
  legacy::Program program;
  int32_t currentBlock = 0;
  Diagnostics diagnostics;
  llvm::DenseMap<mlir::Value, std::string> names;
  /// Names in use, and the names that a variable is declared for.
  llvm::StringSet<> taken, declared;
  std::vector<std::pair<mlir::Value, std::string>> lods;
  int64_t counter = 0;
  int32_t feeds = 0;
};

} // namespace proa::exporter
