#include "lib/check/ReferenceRun.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "lib/check/DynamicDims.h"
#include "lib/compiler/numerics/Interpreter.h"
#include "lib/compiler/numerics/ReferenceProgram.h"

#include "lib/base/support/Sequences.h"
#include "lib/compiler/compile/Registration.h"
#include "translator/import/Import.h"
#include "translator/params/ModelFolder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

using namespace mlir;

namespace proa::check {
namespace {

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

Result<ReferenceRun> runReference(const translator::SourceProgram &program, const std::string &path,
                                  const Tensors &parameters, const CaseMeta &meta, const Tensors &feeds,
                                  bool dynamicDims, const OpObserver &afterEach) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  Tensors inputs = import::withLods(feeds);
  ProgramRequest request{{.program = path}, {}, {}, meta.feeds, meta.fetches, {}, {}};
  auto source =
      ProgramSource::of(dynamicDims ? withDynamicDims(program, inputs) : program, std::move(request));
  if (!source)
    return source.diagnostics();
  bool hasBegun = false;
  auto decompose = [&](ModuleOp module) {
    hasBegun = true;
    return decomposeAll(module);
  };
  auto imported = dynamicDims ? numerics::importReference(**source, context, feeds, parameters, decompose)
                              : numerics::importReference(**source, context, feeds, parameters);
  if (!imported && dynamicDims && !hasBegun)
    return ReferenceRun{{}, "the program cannot be imported with dynamic dims"};
  if (!imported && imported.diagnostics()[0].code == numerics::noGradientCode)
    return ReferenceRun{{}, "a gradient cannot be decomposed"};
  if (!imported)
    return imported.diagnostics();
  return evaluateMain(imported->module->lookupSymbol<func::FuncOp>("main"), inputs, parameters, afterEach);
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
