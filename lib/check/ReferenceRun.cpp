#include "lib/check/ReferenceRun.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "lib/check/DynamicDims.h"
#include "lib/numerics/Interpreter.h"

#include "lib/compiler/compile/Registration.h"
#include "lib/compiler/program/SpecializeFeeds.h"
#include "lib/support/Sequences.h"
#include "passes/decompose/Passes.h"
#include "passes/normalize/Passes.h"
#include "translator/import/Import.h"
#include "translator/params/ModelFolder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace proa::check {
namespace {

/// Decomposes only gradients, so that all other ops are evaluated directly.
LogicalResult expandGradients(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.addPass(createRefineShapes());
  DecomposeOptions gradients;
  gradients.only = {"pd.vjp"};
  pm.addPass(createDecompose(gradients));
  pm.addPass(createRefineShapes());
  return pm.run(module);
}

/// Specializes the program to these feeds and decomposes its gradients; false if some remain.
Result<bool> prepare(ModuleOp module, const std::map<std::string, std::vector<int64_t>> &dims) {
  if (Result<void> specialized = specializeFeeds(module, dims); !specialized)
    return specialized.diagnostics();
  ScopedDiagnosticHandler silent(module.getContext(), [](mlir::Diagnostic &) { return success(); });
  return succeeded(expandGradients(module));
}

std::string bindArguments(func::FuncOp main, const Tensors &feeds, const Tensors &parameters,
                          numerics::Interpreter &interpreter) {
  for (BlockArgument argument : main.getArguments()) {
    unsigned i = argument.getArgNumber();
    auto feed = main.getArgAttrOfType<StringAttr>(i, pd::feedAttribute);
    auto name = feed ? feed : main.getArgAttrOfType<StringAttr>(i, pd::parameterAttribute);
    const Tensors &from = feed ? feeds : parameters;
    auto found = from.find(name.str());
    if (found == from.end())
      return "no value of '" + name.str() + "'";
    interpreter.define(argument, found->second);
  }
  return {};
}

ReferenceRun evaluateMain(func::FuncOp main, const Tensors &feeds, const Tensors &parameters,
                          const OpObserver &afterEach) {
  ReferenceRun run;
  numerics::Interpreter interpreter;
  interpreter.afterEach = afterEach;
  run.notEvaluated = bindArguments(main, feeds, parameters, interpreter);
  if (run.notEvaluated.empty())
    run.notEvaluated = interpreter.evaluateBlock(main.getBody().front());
  if (!run.notEvaluated.empty())
    return run;
  Operation *end = main.getBody().front().getTerminator();
  for (unsigned i = 0; i < end->getNumOperands(); ++i) {
    auto fetch = main.getResultAttrOfType<StringAttr>(i, pd::fetchAttribute);
    if (!fetch || main.getResultAttr(i, pd::lodOwnerAttribute))
      continue;
    if (!isa<RankedTensorType>(end->getOperand(i).getType())) {
      run.notEvaluated = "a fetched tensor array";
      continue;
    }
    const Tensor &value = interpreter.valueOf(end->getOperand(i));
    auto sequence = main.getResultAttrOfType<StringAttr>(i, pd::sequenceAttribute);
    if (!sequence) {
      run.outputs.push_back({fetch.str(), value});
      continue;
    }
    Value scalars = ++i < end->getNumOperands() ? end->getOperand(i) : Value();
    auto elements = unpackSequence(sequence.str(), value, scalars ? interpreter.valueOf(scalars) : Tensor());
    if (!elements)
      run.notEvaluated = elements.diagnostics().text();
    else
      llvm::append_range(run.outputs, *elements);
  }
  return run;
}

} // namespace

Result<ReferenceRun> runReference(const translator::SourceProgram &program, const std::string &source,
                                  const Tensors &parameters, const CaseMeta &meta, const Tensors &feeds,
                                  bool dynamicDims, const OpObserver &afterEach) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  import::ImportOptions options;
  options.source = source;
  options.feeds = meta.feeds;
  options.fetches = meta.fetches;
  for (const auto &[name, tensor] : feeds)
    options.lodLevels[name] = static_cast<int>(tensor.lod().size());
  options.sequences = elementDims(feeds);
  if (program.onnx()) // sequences without elements
    if (auto interface = import::declaredInterface(context, program, options))
      for (const std::string &name : interface->sequences)
        options.sequences.try_emplace(name);
  Tensors inputs = import::withLods(feeds);
  std::map<std::string, std::vector<int64_t>> dims;
  for (const auto &[name, tensor] : inputs)
    dims[name] = tensor.dims();
  bool feedsMayHelp = false;
  options.feedsMayHelp = &feedsMayHelp;
  auto module =
      import::importProgram(context, dynamicDims ? withDynamicDims(program, inputs) : program, options);
  if (!module && dynamicDims)
    return ReferenceRun{{}, "the program cannot be imported with dynamic dims"};
  if (dynamicDims)
    if (Result<void> done = decomposeAll(**module); !done)
      return done.diagnostics();
  Result<bool> prepared = module ? prepare(**module, dims) : module.diagnostics();
  // If types inferred from declared dims are wrong, those inferred from the dims of the feeds may be right.
  if (!dynamicDims && (module ? !prepared || !*prepared : feedsMayHelp)) {
    options.feedDims = dims;
    options.feedValues = import::specializingFeeds(feeds);
    options.deferAll = true;
    module = import::importProgram(context, program, options);
    prepared = module ? prepare(**module, dims) : module.diagnostics();
  }
  if (!prepared)
    return prepared.diagnostics();
  if (!*prepared)
    return ReferenceRun{{}, "a gradient cannot be decomposed"};
  return evaluateMain((*module)->lookupSymbol<func::FuncOp>("main"), inputs, parameters, afterEach);
}

Result<ReferenceRun> runReference(const std::string &folder, const CaseMeta &meta, const Tensors &feeds,
                                  bool dynamicDims, const OpObserver &afterEach) {
  Result<params::ModelFiles> files = params::findModel(folder);
  if (!files)
    return files.diagnostics();
  Result<translator::SourceProgram> program = translator::readProgram(files->program);
  if (!program)
    return program.diagnostics();
  Result<params::Tensors> parameters = params::readParameters(*files, *program);
  if (!parameters)
    return parameters.diagnostics();
  return runReference(*program, files->program, *parameters, meta, feeds, dynamicDims, afterEach);
}

} // namespace proa::check
