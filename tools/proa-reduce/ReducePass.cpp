#include "tools/proa-reduce/ReducePass.h"

#include "dialects/pd/ops/creation/CreationOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Reducer/Tester.h"

#include "llvm/Support/FileSystem.h"

using namespace mlir;

namespace proa::tools {
namespace {

/// Whether the interface of a function may change: nothing calls it, and its only block ends with a return.
bool isFree(func::FuncOp function) {
  return function.getBody().hasOneBlock() &&
         isa<func::ReturnOp>(function.getBody().front().getTerminator()) &&
         SymbolTable::symbolKnownUseEmpty(function, function->getParentOp());
}

SmallVector<func::FuncOp> freeFunctions(ModuleOp module) {
  return llvm::filter_to_vector(module.getOps<func::FuncOp>(), isFree);
}

/// The first value of this type before `op`: the earlier it is, the more ops become unused.
Value valueBefore(Operation *op, Type type) {
  auto hasType = [&](Value value) { return value.getType() == type; };
  if (auto function = dyn_cast_or_null<func::FuncOp>(op->getParentWithTrait<OpTrait::IsIsolatedFromAbove>()))
    if (auto found = llvm::find_if(function.getArguments(), hasType); found != function.getArguments().end())
      return *found;
  Block *block = op->getBlock();
  if (auto found = llvm::find_if(block->getArguments(), hasType); found != block->args_end())
    return *found;
  auto found = llvm::find_if(op->getOperands(), hasType);
  return found == op->operand_end() ? Value() : *found;
}

/// Zeros, if the type has static dims.
Value zerosBefore(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  OpBuilder builder(op);
  TypedAttr zero = tensor && tensor.hasStaticShape() ? builder.getZeroAttr(tensor.getElementType()) : nullptr;
  if (!zero)
    return {};
  return pd::ConstantOp::create(builder, op->getLoc(), DenseElementsAttr::get(tensor, Attribute(zero)));
}

Value newArgument(Operation *op, Type type) {
  auto function = dyn_cast_or_null<func::FuncOp>(op->getParentWithTrait<OpTrait::IsIsolatedFromAbove>());
  if (!function || !isFree(function) ||
      failed(function.insertArgument(function.getNumArguments(), type, {}, op->getLoc())))
    return {};
  return function.getArguments().back();
}

/// Erases ops whose only users were `values`.
void eraseUnused(ArrayRef<Value> values) {
  SmallVector<Operation *> candidates;
  for (Value value : values)
    if (Operation *op = value.getDefiningOp(); op && !llvm::is_contained(candidates, op))
      candidates.push_back(op);
  for (Operation *op : candidates)
    if (isOpTriviallyDead(op)) {
      SmallVector<Value> operands(op->getOperands());
      op->erase();
      eraseUnused(operands);
    }
}

bool isRemovable(Operation *op) {
  if (isa<ModuleOp>(op) || op->hasTrait<OpTrait::IsTerminator>() || matchPattern(op, m_Constant()))
    return false;
  return !isa<SymbolOpInterface>(op) || SymbolTable::symbolKnownUseEmpty(op, op->getParentOp());
}

/// Replaces the op's results by other values. False if there are none.
bool remove(Operation *op) {
  SmallVector<Value> replacements;
  for (OpResult result : op->getResults()) {
    Value replacement;
    if (!result.use_empty()) {
      replacement = valueBefore(op, result.getType());
      if (!replacement)
        replacement = zerosBefore(op, result.getType());
      if (!replacement)
        replacement = newArgument(op, result.getType());
      if (!replacement)
        return false;
    }
    replacements.push_back(replacement);
  }
  for (auto [result, replacement] : llvm::zip(op->getResults(), replacements))
    if (replacement)
      result.replaceAllUsesWith(replacement);
  SmallVector<Value> operands(op->getOperands());
  op->erase();
  eraseUnused(operands);
  return true;
}

/// Visits inner ops first, so that the regions of an op are reduced before the op.
SmallVector<Operation *> removableOps(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isRemovable(op))
      ops.push_back(op);
  });
  return ops;
}

bool removeResult(func::FuncOp function, unsigned index) {
  BitVector erased(function.getNumResults());
  erased.set(index);
  Operation *end = function.getBody().front().getTerminator();
  Value value = end->getOperand(index);
  end->eraseOperand(index);
  if (failed(function.eraseResults(erased)))
    return false;
  eraseUnused({value});
  return true;
}

/// Returns the operands of the returned value instead of the value.
bool returnOperand(func::FuncOp function, unsigned index, unsigned operand) {
  Operation *end = function.getBody().front().getTerminator();
  Value value = end->getOperand(index);
  Operation *op = value.getDefiningOp();
  if (!op || operand >= op->getNumOperands())
    return false;
  Value before = op->getOperand(operand);
  end->setOperand(index, before);
  SmallVector<Type> results(function.getResultTypes());
  results[index] = before.getType();
  function.setFunctionType(FunctionType::get(function.getContext(), function.getArgumentTypes(), results));
  eraseUnused({value});
  return true;
}

bool removeUnusedArguments(ModuleOp module) {
  bool changed = false;
  for (func::FuncOp function : freeFunctions(module)) {
    BitVector unused(function.getNumArguments());
    for (BlockArgument argument : function.getArguments())
      unused[argument.getArgNumber()] = argument.use_empty();
    changed |= unused.any() && succeeded(function.eraseArguments(unused));
  }
  return changed;
}

struct ReducePass : PassWrapper<ReducePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReducePass)

  ReducePass() = default;
  ReducePass(const ReducePass &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "reduce"; }
  StringRef getDescription() const final {
    return "Replace results of ops by other values, and remove ops that become unused";
  }
  void getDependentDialects(DialectRegistry &registry) const final { registry.insert<pd::PdDialect>(); }

  void runOnOperation() final {
    if (!llvm::sys::fs::can_execute(test)) {
      getOperation()->emitError("'") << test << "' is not executable, expected test=SCRIPT";
      return signalPassFailure();
    }
    if (!isInteresting(getOperation())) {
      getOperation()->emitError("the input is not interesting: the test did not exit with 1");
      return signalPassFailure();
    }
    for (bool changed = true; changed;) {
      changed = reduceOps();
      changed |= reduceResults();
      changed |= attempt(removeUnusedArguments);
    }
  }

private:
  bool isInteresting(ModuleOp module) const {
    return Tester(test, {}).isInteresting(module).first == Tester::Interestingness::True;
  }

  /// Keeps a change if the program is then valid and interesting.
  bool attempt(llvm::function_ref<bool(ModuleOp)> change) {
    OwningOpRef<ModuleOp> copy(getOperation().clone());
    if (!change(*copy))
      return false;
    {
      ScopedDiagnosticHandler silent(&getContext(), [](mlir::Diagnostic &) { return success(); });
      if (failed(verify(*copy)))
        return false;
    }
    if (!isInteresting(*copy))
      return false;
    getOperation().getBodyRegion().takeBody(copy->getBodyRegion());
    return true;
  }

  /// Tries halves, quarters, ... single ops, the last ones first.
  bool reduceOps() {
    bool changed = false;
    for (size_t size = removableOps(getOperation()).size(); size > 0; size /= 2)
      for (size_t end = removableOps(getOperation()).size(); end > 0;) {
        size_t begin = end > size ? end - size : 0;
        changed |= attempt([&](ModuleOp module) {
          SmallVector<Operation *> ops = removableOps(module);
          bool removed = false;
          for (Operation *op : ArrayRef(ops).slice(begin, end - begin))
            removed |= remove(op);
          return removed;
        });
        end = std::min(begin, removableOps(getOperation()).size());
      }
    return changed;
  }

  bool reduceResults() {
    bool changed = false;
    for (size_t i = 0; i < freeFunctions(getOperation()).size(); ++i)
      for (unsigned index = freeFunctions(getOperation())[i].getNumResults(); index-- > 0;)
        changed |= attempt([&](ModuleOp module) { return removeResult(freeFunctions(module)[i], index); }) ||
                   returnEarlier(i, index);
    return changed;
  }

  bool returnEarlier(size_t function, unsigned index) {
    auto step = [&] {
      for (unsigned operand = 0;; ++operand) {
        bool isOperand = false;
        if (attempt([&](ModuleOp module) {
              return isOperand = returnOperand(freeFunctions(module)[function], index, operand);
            }))
          return true;
        if (!isOperand)
          return false;
      }
    };
    bool changed = false;
    while (step())
      changed = true;
    return changed;
  }

  Option<std::string> test{*this, "test",
                           llvm::cl::desc("The script that decides whether a file is interesting")};
};

} // namespace

void registerReducePass() { PassRegistration<ReducePass>(); }

} // namespace proa::tools
