#include "lib/check/Interpreter.h"

#include "dialects/pd/ir/Specialize.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace proa::check {

std::string Interpreter::evaluate(Operation &op) {
  // Type casts are identities; the bool of a condition is a tensor here.
  if (isa<tensor::CastOp, tensor::ExtractOp>(op) && op.getNumOperands() == 1) {
    known.copy(op.getOperand(0), op.getResult(0));
    return {};
  }
  if (auto computation = pd::ArrayComputations::get().find(op.getName()))
    return computation(&op, known);
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
  if (op.getNumRegions() > 0 || !isa_and_present<pd::PdDialect>(op.getDialect()))
    return "no evaluation of " + op.getName().getStringRef().str();
  llvm::SmallVector<Tensor> operands;
  for (Value operand : op.getOperands()) {
    if (!known.tensors.contains(operand))
      return op.getName().getStringRef().str() + ": an operand is not a tensor";
    operands.push_back(known.tensors.at(operand));
  }
  auto scratch = std::make_unique<Block>();
  Operation *clone = pd::cloneForValues(&op, operands, *scratch);
  if (!clone)
    return op.getName().getStringRef().str() + ": its operands do not fit";
  pd::RandomState before = draws;
  auto results = pd::evaluateOp(clone, operands, &draws);
  if (!results)
    draws = before;
  if (!results && isa<pd::DecomposableOpInterface>(clone)) {
    formulas.push_back(std::move(scratch));
    return evaluateFormula(op, clone, operands);
  }
  if (!results)
    return results.problems()[0].where + ": " + results.problems()[0].message;
  for (auto [value, tensor] : llvm::zip(op.getResults(), *results))
    known.tensors[value] = tensor;
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

/// A composite whose decomposition has control flow. `clone` is the op for these operands.
std::string Interpreter::evaluateFormula(Operation &op, Operation *clone, llvm::ArrayRef<Tensor> operands) {
  for (auto [operand, tensor] : llvm::zip(clone->getOperands(), operands))
    known.tensors[operand] = tensor;
  OpBuilder builder(clone);
  Operation *before = clone->getPrevNode();
  auto values = cast<pd::DecomposableOpInterface>(clone).tryDecompose(builder);
  if (failed(values))
    return op.getName().getStringRef().str() + ": the decomposition needs something that is not known";
  // Decomposes the gradients among the new ops.
  auto end =
      UnrealizedConversionCastOp::create(builder, op.getLoc(), TypeRange{builder.getI1Type()}, *values);
  std::string reason = evaluateCreated(end, before);
  for (auto [value, result] : llvm::zip(end.getInputs(), op.getResults()))
    if (reason.empty())
      known.copy(value, result);
  return reason;
}

/// A gradient within a decomposition.
std::string Interpreter::evaluateGradient(pd::VjpOp op) {
  OpBuilder builder(op);
  Operation *before = op->getPrevNode();
  auto values = op.tryDecompose(builder);
  if (failed(values))
    return "a gradient that is not expanded";
  std::string reason = evaluateCreated(op, before);
  op->replaceAllUsesWith(*values);
  op->erase();
  return reason;
}

bool Interpreter::isTrue(Value condition) const {
  return pd::loadScalar(known.tensors.at(condition), 0).integer != 0;
}

std::string Interpreter::evaluateBlock(Block &block) {
  // Far below the depth that a thread's stack of 8 MB allows.
  constexpr unsigned maxDepth = 1000;
  if (depth == maxDepth)
    return "calls and regions are nested more than " + std::to_string(maxDepth) + " deep";
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    bool staysThere = !isa<pd::VjpOp>(op);
    if (std::string reason = evaluate(op); !reason.empty())
      return reason;
    if (afterEach && staysThere)
      afterEach(op, *this);
  }
  return {};
}

/// Assigns values to `to` pairwise; all are read before any is written.
void Interpreter::move(ValueRange from, ValueRange to) {
  pd::HostValues read;
  for (auto [source, value] : llvm::zip(from, to)) {
    if (known.arrays.contains(source))
      read.arrays[value] = known.arrays.at(source);
    else
      read.tensors[value] = known.tensors.at(source);
  }
  for (auto &[value, tensor] : read.tensors)
    known.tensors[value] = tensor;
  for (auto &[value, array] : read.arrays)
    known.arrays[value] = array;
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
    ValueRange given = loop.getConditionOp().getArgs();
    if (!isTrue(loop.getConditionOp().getCondition())) {
      move(given, loop.getResults());
      return {};
    }
    move(given, loop.getAfterArguments());
    if (std::string reason = evaluateBlock(*loop.getAfterBody()); !reason.empty())
      return reason;
    move(loop.getYieldOp().getOperands(), loop.getBeforeArguments());
  }
  return "a loop of more than " + std::to_string(maxIterations) + " iterations";
}

/// A kernel formed of several ops by the compiler.
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

} // namespace proa::check
