#include "lib/compiler/numerics/Interpreter.h"

#include "dialects/pd/ir/ArrayReference.h"
#include "dialects/pd/ir/Specialize.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace proa::numerics {

std::string Interpreter::evaluate(Operation &op) {
  try {
    return evaluateByKind(op);
  } catch (const pd::MissingValue &) {
    return op.getName().getStringRef().str() + ": it uses a value that was not computed";
  }
}

std::string Interpreter::evaluateByKind(Operation &op) {
  // A type cast is the identity, and so is tensor.extract of a condition: the interpreter keeps it as a
  // tensor.
  if (isa<tensor::CastOp, tensor::ExtractOp>(op) && op.getNumOperands() == 1) {
    defined.copy(op.getOperand(0), op.getResult(0));
    return {};
  }
  if (auto onArrays = dyn_cast<pd::ArrayReferenceOpInterface>(op))
    return onArrays.computeOnArrays(defined);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return evaluateBranch(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return evaluateLoop(loop);
  if (auto gradient = dyn_cast<pd::VjpOp>(op))
    return evaluateGradient(gradient);
  if (auto call = dyn_cast<func::CallOp>(op))
    return evaluateCall(call);
  return evaluateOne(op);
}

/// Evaluates one op, by its reference kernel or its decomposition.
std::string Interpreter::evaluateOne(Operation &op) {
  if (evaluateOther && !isa_and_present<pd::PdDialect>(op.getDialect()))
    return evaluateOther(op, defined);
  if (op.getNumRegions() > 0 || !isa_and_present<pd::PdDialect>(op.getDialect()))
    return "no evaluation of " + op.getName().getStringRef().str();
  llvm::SmallVector<Tensor> operands;
  for (Value operand : op.getOperands()) {
    if (!defined.tensors.contains(operand))
      return op.getName().getStringRef().str() + ": an operand is not a tensor";
    operands.push_back(defined.tensors.at(operand));
  }
  auto scratch = std::make_unique<Block>();
  Operation *clone = pd::cloneForValues(&op, operands, *scratch);
  if (!clone)
    return op.getName().getStringRef().str() + ": its operands have invalid shapes or values";
  pd::RandomState before = random;
  auto results = pd::evaluateOp(clone, operands, &random);
  if (!results)
    random = before;
  if (!results && isa<pd::DecomposableOpInterface>(clone)) {
    formulas.push_back(std::move(scratch));
    return evaluateFormula(op, clone, operands);
  }
  if (!results)
    return results.diagnostics()[0].location + ": " + results.diagnostics()[0].message;
  for (auto [value, tensor] : llvm::zip(op.getResults(), *results))
    defined.tensors[value] = tensor;
  return {};
}

/// Evaluates the ops of a decomposition, between `before` and `op`.
std::string Interpreter::evaluateCreated(Operation *op, Operation *before) {
  Operation *current = before ? before->getNextNode() : &op->getBlock()->front();
  while (current != op) {
    Operation *next = current->getNextNode();
    if (std::string reason = evaluate(*current); !reason.empty())
      return reason;
    current = next;
  }
  return {};
}

/// Evaluates a composite whose decomposition has control flow. `clone` is the op for these operands.
std::string Interpreter::evaluateFormula(Operation &op, Operation *clone, llvm::ArrayRef<Tensor> operands) {
  for (auto [operand, tensor] : llvm::zip(clone->getOperands(), operands))
    defined.tensors[operand] = tensor;
  OpBuilder builder(clone);
  Operation *before = clone->getPrevNode();
  auto values = cast<pd::DecomposableOpInterface>(clone).tryDecompose(builder);
  if (failed(values))
    return op.getName().getStringRef().str() +
           ": it cannot be decomposed: a dim or operand value is not static";
  // The operands of this marker are updated when evaluateGradient() replaces gradients among the new ops.
  auto end =
      UnrealizedConversionCastOp::create(builder, op.getLoc(), TypeRange{builder.getI1Type()}, *values);
  std::string reason = evaluateCreated(end, before);
  for (auto [value, result] : llvm::zip(end.getInputs(), op.getResults()))
    if (reason.empty())
      defined.copy(value, result);
  return reason;
}

/// Evaluates a gradient in a decomposition.
std::string Interpreter::evaluateGradient(pd::VjpOp op) {
  OpBuilder builder(op);
  Operation *before = op->getPrevNode();
  auto values = op.tryDecompose(builder);
  if (failed(values))
    return "a gradient cannot be decomposed";
  std::string reason = evaluateCreated(op, before);
  op->replaceAllUsesWith(*values);
  op->erase();
  return reason;
}

bool Interpreter::isTrue(Value condition) const {
  return pd::loadScalar(defined.tensors.at(condition), 0).integer != 0;
}

std::string Interpreter::evaluateBlock(Block &block) {
  // Far below the depth that a thread's stack of 8 MB allows.
  constexpr unsigned maxDepth = 1000;
  if (depth == maxDepth)
    return "calls and regions are nested more than " + std::to_string(maxDepth) + " deep";
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    bool isErased = isa<pd::VjpOp>(op);
    if (std::string reason = evaluate(op); !reason.empty())
      return reason;
    if (afterEach && !isErased)
      afterEach(op, *this);
  }
  return {};
}

/// Assigns values to `to` pairwise; all are read before any is written.
void Interpreter::move(ValueRange from, ValueRange to) {
  pd::HostValues read;
  for (auto [source, value] : llvm::zip(from, to)) {
    if (defined.arrays.contains(source))
      read.arrays[value] = defined.arrays.at(source);
    else
      read.tensors[value] = defined.tensors.at(source);
  }
  for (auto &[value, tensor] : read.tensors)
    defined.tensors[value] = tensor;
  for (auto &[value, array] : read.arrays)
    defined.arrays[value] = array;
}

std::string Interpreter::evaluateBranch(scf::IfOp branch) {
  Region &branchRegion = isTrue(branch.getCondition()) ? branch.getThenRegion() : branch.getElseRegion();
  if (branchRegion.empty())
    return {};
  std::string reason = evaluateBlock(branchRegion.front());
  if (reason.empty())
    move(branchRegion.front().getTerminator()->getOperands(), branch.getResults());
  return reason;
}

std::string Interpreter::evaluateLoop(scf::WhileOp loop) {
  constexpr int64_t maxIterations = 10000;
  move(loop.getInits(), loop.getBeforeArguments());
  for (int64_t i = 0; i < maxIterations; ++i) {
    if (std::string reason = evaluateBlock(*loop.getBeforeBody()); !reason.empty())
      return reason;
    ValueRange passed = loop.getConditionOp().getArgs();
    if (!isTrue(loop.getConditionOp().getCondition())) {
      move(passed, loop.getResults());
      return {};
    }
    move(passed, loop.getAfterArguments());
    if (std::string reason = evaluateBlock(*loop.getAfterBody()); !reason.empty())
      return reason;
    move(loop.getYieldOp().getOperands(), loop.getBeforeArguments());
  }
  return "a loop of more than " + std::to_string(maxIterations) + " iterations";
}

/// Evaluates a call of a kernel, a function of several ops.
std::string Interpreter::evaluateCall(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock())
    return "'@" + call.getCallee().str() + "' is not a function of one block";
  if (!active.insert(callee).second)
    return "'@" + call.getCallee().str() + "' calls itself: recursion is not supported";
  llvm::scope_exit leave([&] { active.erase(callee); });
  Block &body = callee.getBody().front();
  move(call.getOperands(), body.getArguments());
  std::string reason = evaluateBlock(body);
  if (reason.empty())
    move(body.getTerminator()->getOperands(), call.getResults());
  return reason;
}

} // namespace proa::numerics
