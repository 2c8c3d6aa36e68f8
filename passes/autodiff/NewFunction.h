/// The frame of a transform that makes a new function from another one.
#pragma once

#include "passes/autodiff/Transforms.h"

namespace proa::autodiff {

/// A copy of a function, after it in the module, that gets more arguments and other results. The destructor
/// erases the copy unless it was finished.
class NewFunction {
public:
  NewFunction(Function original, llvm::StringRef name);
  NewFunction(const NewFunction &) = delete;
  ~NewFunction();

  /// Checks that it has one block and that its name is free. Loops scf.for become scf.while, but for those
  /// with snapshots (dialects/pd/autodiff/ForLoop.h) where these are kept.
  mlir::LogicalResult check(bool keepSnapshots = false);
  /// check(), and that the numbered arguments can be differentiated by; none: all that can be.
  mlir::LogicalResult differentiateBy(Numbers arguments, bool keepSnapshots = false);
  /// Lets gradients keep so many states of each scf.for that does not say how many itself; 0: all of them.
  mlir::LogicalResult setSnapshots(int64_t count);

  mlir::Block &block() { return function.getBody().front(); }
  llvm::SmallVector<mlir::Value> returned() {
    return llvm::SmallVector<mlir::Value>(block().getTerminator()->getOperands());
  }
  /// After differentiateBy: the arguments and their numbers.
  Numbers differentiated() const { return numbers; }
  llvm::SmallVector<mlir::Value> inputs();

  /// Further arguments; the first one's number.
  unsigned addArguments(mlir::TypeRange types, mlir::Location location, llvm::ArrayRef<std::string> names);

  /// The name of an argument or of a result in the program, for those that belong to it.
  std::string nameOfArgument(int64_t number);
  std::string nameOfResult(int64_t number);

  /// A result that is one of the original function's, or none of them.
  void returnOriginal(int64_t number, mlir::Value value);
  void returnNew(mlir::Value value, const std::string &name);
  /// Results for the differentiated arguments, named after them.
  void returnGradients(llvm::ArrayRef<mlir::Value> gradients);

  /// The function with these results. Gradients of bodies of control flow are still pd.vjp; they are
  /// decomposed here, so that their errors are reported here.
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

/// The gradients of `loss` by the differentiated arguments as means over `count` equal parts of the numbered
/// arguments (none: the feeds), one after the other in a loop. What the function returns becomes a mean too.
/// See accumulate().
mlir::LogicalResult accumulateGradients(NewFunction &created, mlir::Value loss, mlir::Value cotangent,
                                        int64_t count, Numbers batches,
                                        llvm::SmallVector<mlir::Value> &gradients);

} // namespace proa::autodiff
