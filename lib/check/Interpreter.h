/// Runs functions of pd ops one op after the other by the reference evaluator: no kernels, no fusion, nothing
/// compiled.
#pragma once

#include "dialects/pd/reference/Arrays.h"
#include "dialects/pd/reference/RandomStream.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace proa::pd {
class VjpOp;
}

namespace proa::check {

/// Evaluates ops on values that it keeps. Gradients (`pd.vjp`) are replaced in the IR by what they are made
/// of: give it a clone.
class Interpreter {
public:
  void define(mlir::Value value, Tensor tensor) { known.tensors[value] = std::move(tensor); }
  bool hasTensor(mlir::Value value) const { return known.tensors.contains(value); }
  /// Of a value that was defined, or is a tensor that an op gave.
  const Tensor &valueOf(mlir::Value value) const { return known.tensors.at(value); }

  /// Is called behind each op of a block that is evaluated.
  std::function<void(mlir::Operation &, const Interpreter &)> afterEach;

  /// Why the op can't be evaluated (an op that only a library kernel computes, say); empty: it was.
  std::string evaluate(mlir::Operation &op);
  /// The same for all ops of a block but its terminator.
  std::string evaluateBlock(mlir::Block &block);

private:
  std::string evaluateOne(mlir::Operation &op);
  std::string evaluateMade(mlir::Operation *op, mlir::Operation *before);
  std::string evaluateFormula(mlir::Operation &op, mlir::Operation *clone, llvm::ArrayRef<Tensor> operands);
  std::string evaluateGradient(pd::VjpOp op);
  std::string evaluateBranch(mlir::scf::IfOp branch);
  std::string evaluateLoop(mlir::scf::WhileOp loop);
  std::string evaluateCall(mlir::func::CallOp call);
  bool isTrue(mlir::Value condition) const;
  void move(mlir::ValueRange from, mlir::ValueRange to);

  /// The functions whose calls are not finished. Each op has one value at a time, so that none may be called
  /// again.
  llvm::SmallPtrSet<mlir::Operation *, 4> active;
  unsigned depth = 0; ///< of blocks being evaluated
  pd::HostValues known;
  pd::RandomState draws;
  std::vector<std::unique_ptr<mlir::Block>> formulas; ///< whose values are known as long as the run goes on
};

} // namespace proa::check
