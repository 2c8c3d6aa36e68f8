#include "lib/compiler/compare/EvaluateValues.h"

#include "lib/compiler/compare/DoublePrecision.h"
#include "lib/compiler/numerics/Interpreter.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/SamplingInterface.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"

#include <new>

using namespace mlir;

namespace proa::comparison {
namespace {

/// Runs the ops of a function, and continues after one that cannot be run.
class ValueEvaluator {
public:
  ValueEvaluator(func::FuncOp main, const EvaluateRequest &request) : main(main), request(request) {
    Operation *exit = main.getBody().front().getTerminator();
    for (auto [i, value] : llvm::enumerate(exit->getOperands()))
      if (auto name = main.getResultAttrOfType<StringAttr>(static_cast<unsigned>(i), pd::fetchAttribute))
        names[value].push_back(name.str());
  }

  Result<EvaluatedValues> run() {
    if (Result<void> bound = bindArguments(); !bound)
      return bound.diagnostics();
    Block &body = main.getBody().front();
    size_t count = body.getOperations().size(), done = 0;
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
      if (request.progress)
        request.progress("evaluating", static_cast<double>(done++) / static_cast<double>(count));
      std::string reason = isSampled(op)        ? "it is random"
                           : isa<pd::VjpOp>(op) ? "it is a gradient that cannot be decomposed"
                                                : tryOp(op);
      if (!reason.empty())
        substitute(op, reason);
      else
        keep(op);
    }
    return std::move(result);
  }

private:
  static bool isSampled(Operation &op) {
    return op.walk([](pd::SamplingOpInterface) { return WalkResult::interrupt(); }).wasInterrupted();
  }

  std::string tryOp(Operation &op) try { return interpreter.evaluate(op); } catch (const std::bad_alloc &) {
    return "out of memory";
  }

  Tensor converted(const Tensor &tensor) const {
    return request.isDouble ? toDoublePrecision(tensor) : tensor;
  }

  Result<void> bindArguments() {
    Diagnostics diagnostics;
    for (BlockArgument argument : main.getArguments()) {
      auto feed = main.getArgAttrOfType<StringAttr>(argument.getArgNumber(), pd::feedAttribute);
      auto name =
          feed ? feed : main.getArgAttrOfType<StringAttr>(argument.getArgNumber(), pd::parameterAttribute);
      const auto &from = feed ? request.feeds : request.parameters;
      if (auto found = from.find(name.str()); found != from.end())
        interpreter.define(argument, converted(found->second));
      else
        diagnostics.add("", std::string(feed ? "feed" : "parameter") + " '" + name.str() + "' has no value");
    }
    return diagnostics;
  }

  void keep(Operation &op) {
    for (Value value : op.getResults())
      if (auto found = names.find(value); found != names.end() && interpreter.hasTensor(value))
        for (const std::string &name : found->second)
          result.tensors[name] = interpreter.valueOf(value);
  }

  void substitute(Operation &op, const std::string &reason) {
    for (Value value : op.getResults()) {
      auto found = names.find(value);
      if (found == names.end())
        continue;
      for (const std::string &name : found->second) {
        result.missing[name] = reason;
        if (auto other = request.substitutes.find(name); other != request.substitutes.end())
          interpreter.define(value, converted(other->second));
      }
    }
  }

  func::FuncOp main;
  const EvaluateRequest &request;
  numerics::Interpreter interpreter;
  llvm::DenseMap<Value, std::vector<std::string>> names;
  EvaluatedValues result;
};

} // namespace

Result<EvaluatedValues> evaluateValues(ValueProgram &program, const EvaluateRequest &request) {
  if (request.isDouble)
    if (Result<void> converted = toDoublePrecision(program.main()->getParentOfType<ModuleOp>()); !converted)
      return converted.diagnostics();
  // Attempts of the evaluator are not errors of the program.
  ScopedDiagnosticHandler silent(program.main().getContext(), [](mlir::Diagnostic &) { return success(); });
  return ValueEvaluator(program.main(), request).run();
}

} // namespace proa::comparison
