/// Interpreter of functions of pd ops by the reference evaluator, without kernels, fusion and compilation.
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

namespace proa::numerics {

/// Evaluates ops and keeps their values. Gradients (`pd.vjp`) are decomposed in the IR, so pass a clone.
class Interpreter {
public:
  void define(mlir::Value value, Tensor tensor) { defined.tensors[value] = std::move(tensor); }
  bool hasTensor(mlir::Value value) const { return defined.tensors.contains(value); }
  /// The value of a defined SSA value, which is a tensor; throws pd::MissingValue for another one.
  const Tensor &valueOf(mlir::Value value) const { return defined.tensors.at(value); }

  /// Called after each op of a block is evaluated, except gradients.
  std::function<void(mlir::Operation &, const Interpreter &)> afterEach;
  /// Evaluates ops of dialects that the interpreter does not know. Returns the reason if it cannot, or "".
  std::function<std::string(mlir::Operation &, pd::HostValues &)> evaluateOther;

  /// Evaluates an op. Returns the reason if it cannot be evaluated (such as an op with only a library
  /// kernel), or "".
  std::string evaluate(mlir::Operation &op);
  /// Evaluates all ops of a block except its terminator.
  std::string evaluateBlock(mlir::Block &block);

private:
  std::string evaluateByKind(mlir::Operation &op);
  std::string evaluateOne(mlir::Operation &op);
  std::string evaluateCreated(mlir::Operation *op, mlir::Operation *before);
  std::string evaluateFormula(mlir::Operation &op, mlir::Operation *clone, llvm::ArrayRef<Tensor> operands);
  std::string evaluateGradient(pd::VjpOp op);
  std::string evaluateBranch(mlir::scf::IfOp branch);
  std::string evaluateLoop(mlir::scf::WhileOp loop);
  std::string evaluateCall(mlir::func::CallOp call);
  bool isTrue(mlir::Value condition) const;
  void move(mlir::ValueRange from, mlir::ValueRange to);

  /// The functions of active calls. Each op has one value at a time, so recursion is refused.
  llvm::SmallPtrSet<mlir::Operation *, 4> active;
  unsigned depth = 0; ///< blocks that are being evaluated
  pd::HostValues defined;
  pd::RandomState random;
  std::vector<std::unique_ptr<mlir::Block>> formulas; ///< decompositions; `defined` refers to their values
};

} // namespace proa::numerics
