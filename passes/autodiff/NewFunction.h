/// The base of transforms that create a function from another one.
#pragma once

#include "passes/autodiff/Transforms.h"

namespace proa::autodiff {

/// A copy of a function, after it in the module, to which arguments and results are added. The destructor
/// erases the copy unless finish() succeeded.
class NewFunction {
public:
  NewFunction(Function original, llvm::StringRef name);
  NewFunction(const NewFunction &) = delete;
  ~NewFunction();

  /// Checks that it has one block and that its name is free. Converts scf.for to scf.while, except loops with
  /// snapshots (dialects/pd/autodiff/ForLoop.h) if `keepSnapshots`.
  mlir::LogicalResult check(bool keepSnapshots = false);
  /// check(), and that these arguments can be differentiated by; empty: all that can be.
  mlir::LogicalResult differentiateBy(Numbers arguments, bool keepSnapshots = false);
  /// Sets the number of states that gradients keep of each scf.for without `pd.snapshots`; 0: all.
  mlir::LogicalResult setSnapshots(int64_t count);

  mlir::Block &block() { return function.getBody().front(); }
  llvm::SmallVector<mlir::Value> returned() {
    return llvm::SmallVector<mlir::Value>(block().getTerminator()->getOperands());
  }
  /// After differentiateBy: the indices of the arguments.
  Numbers differentiated() const { return numbers; }
  llvm::SmallVector<mlir::Value> inputs();

  /// Adds arguments; returns the index of the first one.
  unsigned addArguments(mlir::TypeRange types, mlir::Location location, llvm::ArrayRef<std::string> names);

  /// The name of an argument or result in the program; empty for others.
  std::string nameOfArgument(int64_t index);
  std::string nameOfResult(int64_t index);

  /// Adds a result of the original function, or a new one.
  void returnOriginal(int64_t index, mlir::Value value);
  void returnNew(mlir::Value value, const std::string &name);
  /// Adds the batched form of a result of the original function.
  void returnBatched(int64_t index, mlir::Value value, bool openExamples);
  /// Adds the gradients of the differentiated arguments as results, named after the arguments.
  void returnGradients(llvm::ArrayRef<mlir::Value> gradients);

  /// Sets the results and returns the function. Decomposes the remaining pd.vjp of control flow bodies, so
  /// that their errors are reported now.
  mlir::FailureOr<Function> finish();

  Function function;

private:
  Function original;
  bool isProgram = false; ///< its arguments have names
  bool isFinished = false;
  llvm::SmallVector<int64_t> numbers;
  llvm::SmallVector<mlir::Value> results;
  llvm::SmallVector<mlir::DictionaryAttr> attributes;
};

/// The gradients of `loss` by the differentiated arguments as means over `count` micro-batches of the
/// arguments `batches` (empty: the feeds), one after the other in a loop. Results of the function become
/// means too. See accumulate().
mlir::LogicalResult accumulateGradients(NewFunction &created, mlir::Value loss, mlir::Value cotangent,
                                        int64_t count, Numbers batches,
                                        llvm::SmallVector<mlir::Value> &gradients);

} // namespace proa::autodiff
