#include "lib/compiler/numerics/NumericsCheck.h"
#include "lib/compiler/numerics/Interpreter.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/reference/HostScalar.h"
#include "lib/base/support/CountText.h"
#include "lib/compiler/autodiff/CompiledFunction.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/Pass.h"

#include <fmt/format.h>

#include <cmath>
#include <new>

using namespace mlir;

namespace proa::numerics {
namespace {

ModuleOp moduleOf(Operation *op) {
  while (Operation *parent = op->getParentOp())
    op = parent;
  return dyn_cast<ModuleOp>(op);
}

/// Adaptors run passes on functions; their passes are checked on their own.
bool isAdaptor(Pass *pass) { return pass->getArgument().empty(); }

bool isTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && pd::dtypeOf(tensor.getElementType());
}

bool canBeChecked(func::FuncOp function) {
  auto isPublic = [](func::FuncOp other) { return other.isPublic(); };
  bool isEntry = function.isPublic() || llvm::none_of(moduleOf(function).getOps<func::FuncOp>(), isPublic);
  return isEntry && !function.isExternal() && function.getBody().hasOneBlock() &&
         llvm::all_of(function.getArgumentTypes(), isTensor) &&
         llvm::all_of(function.getResultTypes(), isTensor);
}

/// A copy of the module with `function` as its only public function, named "main".
OwningOpRef<ModuleOp> copyWith(func::FuncOp function) {
  OwningOpRef<ModuleOp> copy(cast<ModuleOp>(moduleOf(function)->clone()));
  for (auto other : llvm::make_early_inc_range(copy->getOps<func::FuncOp>()))
    if (other.getName() == function.getName())
      other.setName("main");
    else if (other.isPublic() && !other->hasAttr("proa.kernel"))
      other.erase();
  return copy;
}

/// Runs the function by the reference evaluator.
Result<std::vector<Tensor>> evaluate(func::FuncOp main, const std::vector<Tensor> &arguments) {
  Interpreter interpreter;
  Block &body = main.getBody().front();
  for (auto [argument, tensor] : llvm::zip(body.getArguments(), arguments))
    interpreter.define(argument, tensor);
  if (std::string reason = interpreter.evaluateBlock(body); !reason.empty())
    return errorAt("", reason);
  std::vector<Tensor> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(interpreter.valueOf(value));
  return results;
}

/// Whether kernels have no loops and no memory yet, so that the compiler can start with them.
bool canBeCompiled(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr("proa.kernel"))
      continue;
    WalkResult walk = function.walk([](Operation *op) {
      bool isLowered = isa_and_present<scf::SCFDialect>(op->getDialect()) ||
                       llvm::any_of(op->getOperandTypes(), llvm::IsaPred<BaseMemRefType>);
      return isLowered ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walk.wasInterrupted() || !llvm::all_of(function.getArgumentTypes(), isTensor))
      return false;
  }
  return true;
}

std::string firstLine(const Diagnostics &diagnostics) {
  std::string text = diagnostics.size() == 0 ? "" : diagnostics[0].message;
  return text.substr(0, text.find('\n'));
}

/// The error of a runtime kernel for invalid arguments (an index out of range), which the evaluator does not
/// check; empty if there is none.
std::string runtimeError(func::FuncOp function, const std::vector<Tensor> &arguments) {
  ScopedDiagnosticHandler silent(function.getContext(), [](mlir::Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> copy = copyWith(function);
  if (!canBeCompiled(*copy))
    return {};
  auto compiled = CompiledFunction::create(std::move(copy), arguments);
  if (!compiled)
    return {};
  auto ran = compiled->run(arguments);
  return ran ? "" : firstLine(ran.diagnostics());
}

Result<std::vector<Tensor>> compileAndRun(OwningOpRef<ModuleOp> module,
                                          const std::vector<Tensor> &arguments) {
  if (!canBeCompiled(*module))
    return errorAt("", "its kernels are already lowered to loops or memory");
  auto compiled = CompiledFunction::create(std::move(module), arguments);
  if (!compiled)
    return compiled.diagnostics();
  return compiled->run(arguments);
}

bool isFinite(const Tensor &tensor) {
  for (int64_t i = 0; i < tensor.size(); ++i) {
    pd::HostScalar element = pd::loadScalar(tensor, i);
    if (!element.isInteger() && !(std::isfinite(element.value.real()) && std::isfinite(element.value.imag())))
      return false;
  }
  return true;
}

/// Whether arguments and results with static dims are small enough to run.
bool isSmall(func::FuncOp function, int64_t dynamicDim) {
  constexpr int64_t maxElements = int64_t(1) << 28;
  int64_t total = 0;
  auto add = [&](const std::vector<int64_t> &dims) {
    auto count = elementCount(dims);
    total = count && *count <= maxElements ? total + *count : maxElements + 1;
    return total <= maxElements;
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (!add(dimsOf(function, i, dynamicDim)))
      return false;
  return llvm::all_of(function.getResultTypes(), [&](Type type) {
    std::vector<int64_t> dims(cast<RankedTensorType>(type).getShape());
    std::replace_if(dims.begin(), dims.end(), ShapedType::isDynamic, dynamicDim);
    return add(dims);
  });
}

/// The default tolerance, by the narrowest floats of a function.
double usualTolerance(func::FuncOp function) {
  unsigned narrowest = 64;
  auto visit = [&](Type type) {
    Type element = getElementTypeOrSelf(type);
    if (auto complex = dyn_cast<ComplexType>(element))
      element = complex.getElementType();
    if (auto real = dyn_cast<FloatType>(element))
      narrowest = std::min(narrowest, real.getWidth());
  };
  llvm::for_each(function.getArgumentTypes(), visit);
  function.walk([&](Operation *op) { llvm::for_each(op->getResultTypes(), visit); });
  return narrowest < 32 ? 2e-2 : narrowest < 64 ? 1e-4 : 1e-9;
}

} // namespace

std::string NumericsReport::text() const {
  std::string passes =
      fmt::format("{} changed the IR, {} did not", countText(changed, "pass", "passes"), unchanged);
  if (comparisons == 0)
    return passes + "; no results were compared";
  return fmt::format("{}; results were compared {}: {}", passes, countText(comparisons, "time"),
                     differs ? "they differ" : "no difference");
}

NumericsCheck::~NumericsCheck() = default;

void NumericsCheck::runBeforePass(Pass *pass, Operation *op) {
  ModuleOp module = moduleOf(op);
  if (!module || isAdaptor(pass))
    return;
  if (options.bisects)
    current = PassRun::of(*pass, op);
  if (seen)
    return;
  seen.emplace(module);
  for (auto function : module.getOps<func::FuncOp>())
    record(function, "");
}

void NumericsCheck::runAfterPass(Pass *pass, Operation *op) {
  ModuleOp module = moduleOf(op);
  if (!seen || !module || isAdaptor(pass))
    return;
  OperationFingerPrint now(module);
  if (now == *seen) {
    ++report.unchanged;
    return;
  }
  seen = now;
  ++report.changed;
  size_t before = report.findings.size();
  checkAll(module, pass->getArgument());
  if (options.bisects && report.findings.size() > before)
    bisect(report.findings[before]);
}

void NumericsCheck::checkAll(ModuleOp module, llvm::StringRef pass) {
  for (auto function : module.getOps<func::FuncOp>()) {
    auto entry = functions.find(function.getName().str());
    if (entry == functions.end())
      record(function, pass);
    else if (entry->second.isChecked && hasSignatureOf(entry->second, function))
      compareWith(function, entry->second, pass);
    else if (entry->second.isChecked) {
      functions.erase(entry);
      record(function, pass);
    }
  }
}

bool NumericsCheck::hasSignatureOf(const Expected &expected, func::FuncOp function) {
  const Run &first = expected.runs.front();
  auto fits = [](Type type, const Tensor &tensor) {
    auto tensorType = dyn_cast<RankedTensorType>(type);
    return tensorType && pd::dtypeOf(tensorType.getElementType()) == tensor.dtype() &&
           succeeded(verifyCompatibleShape(tensorType.getShape(), tensor.dims()));
  };
  auto allFit = [&](llvm::ArrayRef<Type> types, const std::vector<Tensor> &tensors) {
    return types.size() == tensors.size() && llvm::all_of(llvm::zip(types, tensors), [&](auto pair) {
             return fits(std::get<0>(pair), std::get<1>(pair));
           });
  };
  return allFit(function.getArgumentTypes(), first.sample.arguments) &&
         (!first.results || allFit(function.getResultTypes(), *first.results));
}

/// Runs a new or changed function.
void NumericsCheck::record(func::FuncOp function, llvm::StringRef pass) {
  if (!canBeChecked(function))
    return;
  Expected &expected = functions[function.getName().str()];
  expected.isChecked = isSmall(function, options.samples.dynamicDim);
  if (!expected.isChecked)
    return remark(function, expected, "its arguments and results have too many elements");
  std::string wrong;
  expected.runs.clear();
  for (Sample &sample : samplesOf(function, options.samples, wrong))
    expected.runs.push_back({std::move(sample), std::nullopt});
  if (!wrong.empty()) {
    emitError(function.getLoc()) << "@" << function.getName() << ": " << wrong;
    report.differs = true;
    expected.isChecked = false;
    return;
  }
  expected.tolerance = usualTolerance(function);
  Run &first = expected.runs.front();
  std::string error = runtimeError(function, first.sample.arguments);
  auto results = error.empty() ? run(function, first.sample.arguments) : errorAt("", error);
  if (results && first.sample.mayBePositive && !llvm::all_of(*results, isFinite)) {
    mapToPositive(first.sample.arguments);
    results = run(function, first.sample.arguments);
  }
  expected.isChecked = error.empty();
  if (!results)
    return remark(function, expected, firstLine(results.diagnostics()));
  first.results = std::move(*results);
  for (Run &other : llvm::drop_begin(expected.runs)) // those that cannot be run are not compared
    if (auto more = run(function, other.sample.arguments))
      other.results = std::move(*more);
  if (!pass.empty())
    emitRemark(function.getLoc()) << "'" << pass << "' created @" << function.getName()
                                  << " or gave it this signature: it is compared from here on";
}

void NumericsCheck::compareWith(func::FuncOp function, Expected &expected, llvm::StringRef pass) {
  if (options.progress)
    options.progress("running @" + function.getName().str() + " after " + pass.str());
  expected.tolerance = std::max(expected.tolerance, usualTolerance(function));
  bool isCompared = false;
  for (Run &each : expected.runs) {
    bool isFirst = &each == &expected.runs.front();
    if (!isFirst && !each.results)
      continue;
    auto results = run(function, each.sample.arguments);
    if (!results && isFirst)
      return remark(function, expected, firstLine(results.diagnostics()));
    if (!results)
      continue;
    if (!each.results) { // could not be run before
      each.results = std::move(*results);
      continue;
    }
    isCompared = true;
    if (!compareRun(function, expected, each, *results, pass))
      break;
  }
  report.comparisons += isCompared;
}

/// Rounding errors of sums are relative to their largest addends, so the tolerance of numbers of any size is
/// too.
static double scaleOf(const Tensor &expected) {
  FiniteStatistics facts = finiteStatisticsOf(expected);
  return facts.finite == 0 ? 1 : std::max({1.0, std::abs(facts.minimum), std::abs(facts.maximum)});
}

Comparison NumericsCheck::compareResult(const Expected &expected, const Run &run, const Tensor &got,
                                        size_t result) const {
  const Tensor &reference = (*run.results)[result];
  double tolerance = options.tolerance.value_or(expected.tolerance);
  double scale = run.sample.isScaled ? scaleOf(reference) : 1;
  return compare(got, reference, {.rtol = tolerance, .atol = tolerance * scale});
}

/// The name of a fetch or a state, else the index.
static std::string resultName(func::FuncOp function, unsigned result) {
  for (llvm::StringRef role : {pd::fetchAttribute, pd::stateAttribute})
    if (auto name = function.getResultAttrOfType<StringAttr>(result, role))
      return name.str();
  return std::to_string(result);
}

bool NumericsCheck::compareRun(func::FuncOp function, Expected &expected, const Run &run,
                               const std::vector<Tensor> &results, llvm::StringRef pass) {
  for (auto [i, got] : llvm::enumerate(results)) {
    Comparison comparison = compareResult(expected, run, got, i);
    if (comparison.passed())
      continue;
    emitError(function.getLoc()) << "'" << pass << "' changed result " << i << " of @" << function.getName()
                                 << ": " << comparison.reason << "; inputs: " << run.sample.description;
    report.differs = true;
    report.findings.push_back({pass.str(),
                               function.getName().str(),
                               resultName(function, static_cast<unsigned>(i)),
                               comparison.reason,
                               {}});
    expected.isChecked = false;
  }
  return expected.isChecked;
}

bool NumericsCheck::isWrong(ModuleOp module, const std::string &name) {
  const Expected &expected = functions.at(name);
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (!function || !hasSignatureOf(expected, function))
    return false;
  for (const Run &each : expected.runs) {
    if (!each.results)
      continue;
    auto results = run(function, each.sample.arguments);
    for (size_t i = 0; results && i < results->size(); ++i)
      if (!compareResult(expected, each, (*results)[i], i).passed())
        return true;
  }
  return false;
}

void NumericsCheck::bisect(NumericsFinding &finding) {
  if (options.progress)
    options.progress("searching the rewrites of " + finding.pass);
  MLIRContext *context = current->before->getContext();
  if (context->hasActionHandler())
    finding.rewrite.whyNot = "its rewrites are not searched, because the actions of MLIR are logged";
  else
    finding.rewrite =
        findFirstRewrite(*current, [&](ModuleOp module) { return isWrong(module, finding.function); });
  emitRemark(current->before->getLoc()) << "'" << finding.pass << "': " << finding.rewrite.text();
}

void NumericsCheck::remark(func::FuncOp function, Expected &expected, const std::string &why) {
  if (why != expected.whyNot)
    emitRemark(function.getLoc()) << "@" << function.getName() << " is not compared: " << why;
  expected.whyNot = why;
}

Result<std::vector<Tensor>> NumericsCheck::run(func::FuncOp function,
                                               const std::vector<Tensor> &arguments) try {
  // Diagnostics of an attempt on the copy are not errors of the program.
  ScopedDiagnosticHandler silent(function.getContext(), [](mlir::Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> copy = copyWith(function);
  auto evaluated = evaluate(copy->lookupSymbol<func::FuncOp>("main"), arguments);
  if (evaluated)
    return evaluated;
  auto ran = compileAndRun(copyWith(function), arguments);
  if (ran)
    return ran;
  return errorAt("", firstLine(evaluated.diagnostics()) + ", and compiled: " + firstLine(ran.diagnostics()));
} catch (const std::bad_alloc &) {
  return errorAt("", "out of memory");
}

} // namespace proa::numerics
