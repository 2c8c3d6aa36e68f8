#include "lib/check/ReferenceRun.h"

#include "dialects/pd/Evaluate.h"
#include "dialects/pd/creation/Creation.h"
#include "lib/driver/Compile.h"
#include "lib/driver/Registration.h"
#include "passes/decompose/Passes.h"
#include "passes/normalize/Passes.h"
#include "translator/import/Import.h"
#include "translator/legacy/ReadProgram.h"
#include "translator/params/ModelFolder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace proa::check {
namespace {

/// Operands of at most so many elements are constants while types are inferred: a shape operand decides the result's dims.
constexpr int64_t maxConstantElements = 4096;

/// Evaluates the ops of a function in their order.
class Interpreter {
public:
  explicit Interpreter(MLIRContext &context) : context(context) {}

  void define(Value value, Tensor tensor) { known[value] = std::move(tensor); }
  const Tensor &valueOf(Value value) const { return known.at(value); }

  /// Why the op can't be evaluated; empty: it was.
  std::string evaluate(Operation &op) {
    if (op.getNumRegions() > 0 || !isa_and_present<pd::PdDialect>(op.getDialect()))
      return "no evaluation of " + op.getName().getStringRef().str();
    Block scratch;
    Operation *clone = cloneWithStaticTypes(op, scratch);
    if (!clone)
      return op.getName().getStringRef().str() + ": its operands do not fit";
    llvm::SmallVector<Tensor> operands;
    for (Value operand : op.getOperands())
      operands.push_back(known.at(operand));
    auto results = pd::evaluateOp(clone, operands);
    if (!results)
      return results.problems()[0].where + ": " + results.problems()[0].message;
    for (auto [value, tensor] : llvm::zip(op.getResults(), *results))
      known[value] = tensor;
    return {};
  }

private:
  /// Null where the operands break a constraint of the op.
  Operation *cloneWithStaticTypes(Operation &op, Block &scratch) {
    OpBuilder builder(&context);
    builder.setInsertionPointToEnd(&scratch);
    IRMapping mapping;
    for (Value operand : op.getOperands()) {
      const Tensor &tensor = known.at(operand);
      auto type = RankedTensorType::get(tensor.dims(), pd::elementTypeOf(&context, tensor.dtype()));
      Value value;
      if (tensor.size() <= maxConstantElements)
        value = pd::ConstantOp::create(builder, op.getLoc(), type, pd::attributeFromTensor(&context, tensor));
      else
        value = scratch.addArgument(type, op.getLoc());
      mapping.map(operand, value);
    }
    Operation *clone = builder.clone(op, mapping);
    llvm::SmallVector<Type> types;
    auto inference = dyn_cast<InferTypeOpInterface>(clone);
    if (!inference)
      return clone;
    if (failed(inference.inferReturnTypes(&context, op.getLoc(), clone->getOperands(), clone->getAttrDictionary(),
                                          clone->getPropertiesStorage(), clone->getRegions(), types)))
      return nullptr;
    for (auto [result, type] : llvm::zip(clone->getResults(), types))
      result.setType(type);
    return clone;
  }

  MLIRContext &context;
  llvm::DenseMap<Value, Tensor> known;
};

/// Gradients become ops; nothing else is changed, so that every op is evaluated as the program has it.
LogicalResult expandGradients(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.addNestedPass<func::FuncOp>(createRefineShapes());
  DecomposeOptions gradients;
  gradients.only = {"pd.vjp"};
  pm.addPass(createDecompose(gradients));
  pm.addNestedPass<func::FuncOp>(createRefineShapes());
  return pm.run(module);
}

std::string bindArguments(func::FuncOp main, const Tensors &feeds, const Tensors &parameters, Interpreter &interpreter) {
  for (BlockArgument argument : main.getArguments()) {
    unsigned i = argument.getArgNumber();
    auto feed = main.getArgAttrOfType<StringAttr>(i, "pd.feed");
    auto name = feed ? feed : main.getArgAttrOfType<StringAttr>(i, "pd.param");
    const Tensors &from = feed ? feeds : parameters;
    auto found = from.find(name.str());
    if (found == from.end())
      return "no value of '" + name.str() + "'";
    interpreter.define(argument, found->second);
  }
  return {};
}

ReferenceRun evaluateMain(func::FuncOp main, const Tensors &feeds, const Tensors &parameters) {
  ReferenceRun run;
  Interpreter interpreter(*main.getContext());
  run.notEvaluated = bindArguments(main, feeds, parameters, interpreter);
  for (Operation &op : main.getBody().front().without_terminator())
    if (run.notEvaluated.empty())
      run.notEvaluated = interpreter.evaluate(op);
  if (!run.notEvaluated.empty())
    return run;
  Operation *end = main.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(end->getOperands()))
    if (auto fetch = main.getResultAttrOfType<StringAttr>(i, "pd.fetch"))
      if (!main.getResultAttr(i, "pd.lod_of"))
        run.outputs.push_back({fetch.str(), interpreter.valueOf(value)});
  return run;
}

} // namespace

Result<ReferenceRun> runReference(const legacy::Program &program, const std::string &source, const Tensors &parameters,
                                  const CaseMeta &meta, const Tensors &feeds) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  import::ImportOptions options;
  options.source = source;
  options.feeds = meta.feeds;
  options.fetches = meta.fetches;
  for (const auto &[name, tensor] : feeds)
    options.lodLevels[name] = static_cast<int>(tensor.lod().size());
  Tensors given = import::withLods(feeds);
  auto module = import::importProgram(context, program, options);
  if (!module)
    return module.problems();
  std::map<std::string, std::vector<int64_t>> dims;
  for (const auto &[name, tensor] : given)
    dims[name] = tensor.dims();
  if (Result<void> specialized = specializeFeeds(**module, dims); !specialized)
    return specialized.problems();
  ScopedDiagnosticHandler silent(&context, [](Diagnostic &) { return success(); });
  if (failed(expandGradients(**module)))
    return ReferenceRun{{}, "a gradient that is not expanded"};
  return evaluateMain((*module)->lookupSymbol<func::FuncOp>("main"), given, parameters);
}

Result<ReferenceRun> runReference(const std::string &folder, const CaseMeta &meta, const Tensors &feeds) {
  Result<params::ModelFiles> files = params::findModel(folder);
  if (!files)
    return files.problems();
  Result<legacy::Program> program = legacy::readProgram(files->program);
  if (!program)
    return program.problems();
  Result<params::Tensors> parameters = params::readParameters(*files, *program);
  if (!parameters)
    return parameters.problems();
  return runReference(*program, files->program, *parameters, meta, feeds);
}

} // namespace proa::check
