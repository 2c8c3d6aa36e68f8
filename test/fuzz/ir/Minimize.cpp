#include "test/fuzz/ir/Minimize.h"

#include "test/fuzz/ir/Seeds.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <limits>
#include <regex>

using namespace mlir;

namespace proa::fuzz {

std::string failureKey(const CaseResult &result) {
  std::string line = result.message.substr(0, result.message.find('\n'));
  line = std::regex_replace(line, std::regex("'[^']*'|%?[0-9]+|tensor<[^ ]*"), "#");
  return result.pipeline.substr(0, result.pipeline.find('{')) + ": " + nameOf(result.outcome) + ": " + line;
}

/// Removes an op: its uses become arguments of the function.
static bool eraseOp(Operation *op) {
  auto function = op->getParentOfType<func::FuncOp>();
  if (!function || op->hasTrait<OpTrait::IsTerminator>())
    return false;
  for (Value result : op->getResults()) {
    if (result.use_empty())
      continue;
    auto isInNested = [&](Operation *user) { return user->getParentOfType<func::FuncOp>() != function; };
    if (llvm::any_of(result.getUsers(), isInNested) ||
        failed(function.insertArgument(function.getNumArguments(), result.getType(), {}, op->getLoc())))
      return false;
    result.replaceAllUsesWith(function.getArguments().back());
  }
  op->erase();
  return true;
}

static bool eraseReturned(func::FuncOp function, unsigned result) {
  llvm::BitVector erased(function.getNumResults());
  erased.set(result);
  for (Block &block : function.getBody())
    if (auto exit = dyn_cast<func::ReturnOp>(block.getTerminator()))
      exit->eraseOperands(erased);
  return succeeded(function.eraseResults(erased));
}

static size_t countRemovals(ModuleOp module) {
  size_t count = 0;
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    count += 1 + (function.isDeclaration() ? 0 : function.getNumResults() + function.getNumArguments());
  module.walk([&](Operation *) { ++count; });
  return count;
}

/// Applies removal `index` of countRemovals, counted from the end of the module. False: it is not possible.
static bool remove(ModuleOp module, size_t index) {
  auto take = [&](size_t count) { // whether the removal is one of the next `count`
    if (index < count)
      return true;
    index -= count;
    return false;
  };
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  if (take(functions.size())) {
    functions[index].erase();
    return true;
  }
  for (func::FuncOp function : functions) {
    if (!function.isDeclaration() && take(function.getNumResults()))
      return eraseReturned(function, static_cast<unsigned>(index));
    if (!function.isDeclaration() && take(function.getNumArguments()))
      return function.getArgument(index).use_empty() && succeeded(function.eraseArgument(index));
  }
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) { ops.push_back(op); });
  return index < ops.size() && eraseOp(ops[ops.size() - 1 - index]);
}

CaseResult minimize(MLIRContext &context, const CaseResult &failure, const CaseLimits &limits) {
  constexpr int maxTrials = 400;
  CaseResult smallest = failure;
  auto module = parseSeed(context, smallest.mutant, std::numeric_limits<size_t>::max());
  int trials = 0;
  for (bool changed = true; module && changed && trials < maxTrials;) {
    changed = false;
    // Only the process of a case changes a module: a removal may crash.
    for (size_t index = 0; index < countRemovals(*module) && trials < maxTrials; ++trials) {
      CaseResult result = runCase(
          *module,
          [&](ModuleOp copy) { return remove(copy, index) ? failure.pipeline : std::string("invalid"); },
          limits);
      auto smaller = failureKey(result) == failureKey(failure)
                         ? parseSeed(context, result.mutant, std::numeric_limits<size_t>::max())
                         : OwningOpRef<ModuleOp>();
      if (!smaller) {
        ++index;
        continue;
      }
      smallest = result;
      module = std::move(smaller);
      changed = true;
    }
  }
  return smallest;
}

} // namespace proa::fuzz
