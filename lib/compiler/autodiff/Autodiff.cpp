//! Functions of tensors and their transforms, on MLIR.
#include "proa/Autodiff.h"

#include "lib/base/support/DiagnosticCollector.h"
#include "lib/compiler/autodiff/CompiledFunction.h"
#include "lib/compiler/compile/Registration.h"
#include "lib/compiler/program/SpecializeFeeds.h"
#include "passes/autodiff/MixedPrecision.h"
#include "passes/autodiff/Rematerialize.h"
#include "passes/autodiff/Transforms.h"
#include "passes/normalize/Passes.h"
#include "translator/import/Import.h"
#include "translator/params/ModelFolder.h"

#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/Pd.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <map>

namespace proa {
namespace {

using mlir::func::FuncOp;

std::shared_ptr<mlir::MLIRContext> makeContext() {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  auto context = std::make_shared<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadDialect<pd::PdDialect>();
  // Errors name ops and locations without the op's text, which may be a whole function.
  context->printOpOnDiagnostic(false);
  return context;
}

TensorInfo describeType(mlir::Type type, const std::string &name) {
  auto tensor = mlir::cast<mlir::RankedTensorType>(type);
  TensorInfo info{name, pd::dtypeOf(tensor.getElementType()).value_or(DType::Float32), {}};
  for (int64_t dim : tensor.getShape())
    info.dims.push_back(mlir::ShapedType::isDynamic(dim) ? -1 : dim);
  return info;
}

} // namespace

struct Function::Implementation {
  std::shared_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< with the one function "main"
  std::vector<TensorInfo> arguments, results;
  CompileOptions options;
  std::map<std::string, CompiledFunction> compiled; ///< by the arguments' dims

  ~Implementation() { module = {}; } // before its context

  FuncOp main() { return module->lookupSymbol<FuncOp>("main"); }

  Result<void> describe() {
    FuncOp function = main();
    for (mlir::Type type :
         llvm::concat<const mlir::Type>(function.getArgumentTypes(), function.getResultTypes()))
      if (!mlir::isa<mlir::RankedTensorType>(type))
        return errorAt("function", "expected arguments and results that are tensors");
    auto nameOf = [](mlir::StringAttr name, const char *kind, unsigned index) {
      return name ? name.str() : kind + std::to_string(index);
    };
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      arguments.push_back(describeType(
          function.getArgumentTypes()[i],
          nameOf(function.getArgAttrOfType<mlir::StringAttr>(i, pd::feedAttribute), "argument", i)));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      results.push_back(describeType(
          function.getResultTypes()[i],
          nameOf(function.getResultAttrOfType<mlir::StringAttr>(i, pd::fetchAttribute), "result", i)));
    return {};
  }

  Result<void> check(const std::vector<Tensor> &inputs) const;
  Result<CompiledFunction *> compiledFor(const std::vector<Tensor> &inputs);
};

/// Access of the transforms to the members of a Function.
struct FunctionTransforms {
  /// Makes `main` of the module the function; names are kept, other attributes are removed.
  static Result<Function> make(std::shared_ptr<mlir::MLIRContext> context,
                               mlir::OwningOpRef<mlir::ModuleOp> module, CompileOptions options = {}) {
    auto created = std::make_unique<Function::Implementation>();
    created->context = std::move(context);
    created->module = std::move(module);
    created->options = std::move(options);
    if (auto described = created->describe(); !described)
      return described.diagnostics();
    FuncOp function = created->main();
    auto named = [&](llvm::StringRef role, const std::string &name) {
      mlir::Builder builder(function.getContext());
      return builder.getDictionaryAttr(builder.getNamedAttr(role, builder.getStringAttr(name)));
    };
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      function.setArgAttrs(i, named(pd::feedAttribute, created->arguments[i].name));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      function.setResultAttrs(i, named(pd::fetchAttribute, created->results[i].name));
    return Function(std::move(created));
  }

  /// A transformed copy of the function.
  template <class Transform>
  static Result<Function> apply(const Function &function, const char *what, Transform transform) {
    Function::Implementation &from = *function.implementation;
    DiagnosticCollector errors(from.context.get());
    mlir::OwningOpRef<mlir::ModuleOp> copy(mlir::cast<mlir::ModuleOp>(from.module->clone()));
    auto main = copy->lookupSymbol<FuncOp>("main");
    mlir::FailureOr<FuncOp> transformed = transform(main);
    if (failed(transformed))
      return errors.take(std::string(what) + " failed");
    main.erase();
    transformed->setName("main");
    if (failed(mlir::verify(*copy)))
      return errors.take(std::string(what) + " failed");
    return make(from.context, std::move(copy), from.options);
  }
};

Result<void> Function::Implementation::check(const std::vector<Tensor> &inputs) const {
  if (inputs.size() != arguments.size())
    return errorAt("function", "expected " + std::to_string(arguments.size()) + " arguments, found " +
                                   std::to_string(inputs.size()));
  Diagnostics diagnostics;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].dtype() != arguments[i].dtype)
      diagnostics.add(arguments[i].name, "got " + inputs[i].describe() + ", expected " +
                                             proa::describe(arguments[i].dtype, arguments[i].dims));
  return diagnostics.empty() ? Result<void>() : Result<void>(diagnostics);
}

Result<CompiledFunction *> Function::Implementation::compiledFor(const std::vector<Tensor> &inputs) {
  if (auto checked = check(inputs); !checked)
    return checked.diagnostics();
  std::string key;
  for (const Tensor &tensor : inputs)
    key += tensor.describe() + ";";
  if (auto found = compiled.find(key); found != compiled.end())
    return &found->second;
  auto newFunction = CompiledFunction::create(mlir::cast<mlir::ModuleOp>(module->clone()), inputs, options);
  if (!newFunction)
    return newFunction.diagnostics();
  return &compiled.emplace(key, std::move(*newFunction)).first->second;
}

Function::Function(std::unique_ptr<Implementation> implementation)
    : implementation(std::move(implementation)) {}
Function::Function(const Function &other) : implementation(std::make_unique<Implementation>()) {
  implementation->context = other.implementation->context;
  implementation->module = mlir::cast<mlir::ModuleOp>(other.implementation->module->clone());
  implementation->arguments = other.implementation->arguments;
  implementation->results = other.implementation->results;
  implementation->options = other.implementation->options;
}
Function::Function(Function &&) noexcept = default;
Function &Function::operator=(Function &&) noexcept = default;
Function::~Function() = default;

Result<Function> Function::parse(const std::string &text, const std::string &name) {
  auto context = makeContext();
  DiagnosticCollector errors(context.get());
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
  if (!module)
    return errors.take("reading the function failed");
  auto functions = llvm::to_vector(module->getOps<FuncOp>());
  FuncOp selected = name.empty() && functions.size() == 1 ? functions[0] : module->lookupSymbol<FuncOp>(name);
  if (!selected)
    return errorAt("", name.empty() ? "expected one function, found " + std::to_string(functions.size())
                                    : "unknown function '" + name + "'");
  for (FuncOp other : functions)
    if (other != selected)
      other.erase();
  selected.setName("main");
  return FunctionTransforms::make(std::move(context), std::move(module));
}

Result<Function> Function::open(const std::string &path) {
  auto files = params::findModel(path);
  if (!files)
    return files.diagnostics();
  auto program = translator::readProgram(files->program);
  if (!program)
    return program.diagnostics();
  if (auto weights = params::readParameters(*files, *program); !weights) // types are valid
    return weights.diagnostics();
  auto context = makeContext();
  import::ImportOptions options;
  options.source = files->program;
  auto module = import::importProgram(*context, *program, options);
  if (!module)
    return module.diagnostics();
  auto main = (*module)->lookupSymbol<FuncOp>("main");
  llvm::BitVector states(main.getNumResults());
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    if (main.getResultAttr(i, pd::stateAttribute))
      states.set(i);
  main.getBody().front().getTerminator()->eraseOperands(states);
  (void)main.eraseResults(states);
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (auto parameter = main.getArgAttr(i, pd::parameterAttribute))
      main.setArgAttr(i, pd::feedAttribute, parameter);
  return FunctionTransforms::make(std::move(context), std::move(*module));
}

const std::vector<TensorInfo> &Function::arguments() const { return implementation->arguments; }
const std::vector<TensorInfo> &Function::results() const { return implementation->results; }

void Function::setOptimizesCode(bool optimizes) {
  implementation->options.optimizesCode = optimizes;
  implementation->compiled.clear();
}

std::string Function::text() const {
  std::string text;
  llvm::raw_string_ostream(text) << *implementation->module;
  return text;
}

Result<Function> Function::withDims(const std::vector<std::vector<int64_t>> &dims) const {
  if (dims.size() != arguments().size())
    return errorAt("function", "expected the dims of " + std::to_string(arguments().size()) +
                                   " arguments, found " + std::to_string(dims.size()));
  mlir::OwningOpRef<mlir::ModuleOp> copy(mlir::cast<mlir::ModuleOp>(implementation->module->clone()));
  auto main = copy->lookupSymbol<FuncOp>("main");
  std::map<std::string, std::vector<int64_t>> byNumber; // names need not be unique
  for (unsigned i = 0; i < dims.size(); ++i) {
    byNumber[std::to_string(i)] = dims[i];
    main.setArgAttr(i, pd::feedAttribute, mlir::StringAttr::get(main.getContext(), std::to_string(i)));
  }
  if (auto done = specializeFeeds(*copy, byNumber); !done)
    return done.diagnostics();
  for (unsigned i = 0; i < dims.size(); ++i)
    main.setArgAttr(i, pd::feedAttribute, mlir::StringAttr::get(main.getContext(), arguments()[i].name));
  DiagnosticCollector errors(implementation->context.get());
  mlir::PassManager pm(implementation->context.get());
  pm.addPass(createRefineShapes());
  if (failed(pm.run(*copy)))
    return errors.take("refining shapes failed");
  return FunctionTransforms::make(implementation->context, std::move(copy), implementation->options);
}

Result<Function> Function::withResults(const std::vector<int64_t> &indices) const {
  mlir::OwningOpRef<mlir::ModuleOp> copy(mlir::cast<mlir::ModuleOp>(implementation->module->clone()));
  auto main = copy->lookupSymbol<FuncOp>("main");
  mlir::Block &block = main.getBody().front();
  llvm::SmallVector<mlir::Value> kept;
  llvm::SmallVector<mlir::DictionaryAttr> attributes;
  for (int64_t index : indices) {
    if (index < 0 || index >= main.getNumResults())
      return errorAt("function", "result " + std::to_string(index) + " is requested, the function has " +
                                     std::to_string(main.getNumResults()));
    kept.push_back(block.getTerminator()->getOperand(static_cast<unsigned>(index)));
    attributes.push_back(main.getResultAttrDict(static_cast<unsigned>(index)));
  }
  block.getTerminator()->setOperands(kept);
  main.setFunctionType(
      mlir::FunctionType::get(main.getContext(), main.getArgumentTypes(), mlir::ValueRange(kept).getTypes()));
  main.setAllResultAttrs(attributes);
  pd::eraseUnused(block);
  return FunctionTransforms::make(implementation->context, std::move(copy), implementation->options);
}

Result<std::vector<Tensor>> Function::run(const std::vector<Tensor> &inputs) {
  auto compiled = implementation->compiledFor(inputs);
  if (!compiled)
    return compiled.diagnostics();
  return (*compiled)->run(inputs);
}

Result<int64_t> Function::arenaBytes(const std::vector<Tensor> &inputs) {
  auto compiled = implementation->compiledFor(inputs);
  if (!compiled)
    return compiled.diagnostics();
  return (*compiled)->arenaBytes();
}

Result<Function> grad(const Function &function, const GradOptions &options) {
  return FunctionTransforms::apply(function, "the gradient", [&](FuncOp main) {
    return autodiff::grad(main, "derived", options.arguments, options.result, options.withValue,
                          options.loopSnapshots, options.microBatches, options.batches);
  });
}

Result<Function> vjp(const Function &function, const std::vector<int64_t> &arguments, int64_t loopSnapshots) {
  return FunctionTransforms::apply(function, "the vector-Jacobian product", [&](FuncOp main) {
    return autodiff::vjp(main, "derived", arguments, loopSnapshots);
  });
}

Result<Function> jvp(const Function &function, const std::vector<int64_t> &arguments) {
  return FunctionTransforms::apply(function, "the Jacobian-vector product",
                                   [&](FuncOp main) { return autodiff::jvp(main, "derived", arguments); });
}

Result<Function> vmap(const Function &function, const std::vector<int64_t> &mapped, int64_t size) {
  if (size == 0 || size < -1)
    return errorAt("function",
                   "the number of examples must be above 0, or -1, found " + std::to_string(size));
  return FunctionTransforms::apply(function, "the batched function", [&](FuncOp main) {
    return autodiff::vmap(main, "derived", size == -1 ? mlir::ShapedType::kDynamic : size, mapped);
  });
}

/// A copy of the function, to be transformed.
static FuncOp copyOf(FuncOp function) {
  FuncOp copy = function.clone();
  mlir::OpBuilder::atBlockEnd(function->getBlock()).insert(copy);
  copy.setName("derived");
  return copy;
}

Result<Function> checkpoint(const Function &function, const std::vector<std::string> &names) {
  return FunctionTransforms::apply(function, "the function with checkpoints",
                                   [&](FuncOp main) { return autodiff::checkpoint(main, "derived", names); });
}

Result<Function> rematerialize(const Function &function, int64_t memoryBudget) {
  if (memoryBudget < -1)
    return errorAt("function", "the memory budget must be a number of bytes, or -1 for none, found " +
                                   std::to_string(memoryBudget));
  return FunctionTransforms::apply(function, "recomputation", [&](FuncOp main) -> mlir::FailureOr<FuncOp> {
    FuncOp copy = copyOf(main);
    autodiff::rematerialize(copy, memoryBudget < 0 ? std::nullopt : std::optional<int64_t>(memoryBudget));
    return copy;
  });
}

Result<Function> mixPrecision(const Function &function, const AmpOptions &options) {
  if (options.scaling != AmpOptions::Scaling::None)
    return errorAt("function", "loss scaling is for training programs (ModelOptions::amp)");
  return FunctionTransforms::apply(function, "mixed precision", [&](FuncOp main) -> mlir::FailureOr<FuncOp> {
    FuncOp copy = copyOf(main);
    if (failed(autodiff::mixPrecision(copy, options)))
      return mlir::failure();
    return copy;
  });
}

Result<Function> hessian(const Function &function, int64_t argument, int64_t result) {
  return FunctionTransforms::apply(function, "the Hessian", [&](FuncOp main) {
    return autodiff::hessian(main, "derived", argument, result);
  });
}

} // namespace proa
