#include "lib/check/ReferenceRun.h"
#include "lib/check/OpenDims.h"

#include "dialects/pd/Evaluate.h"
#include "dialects/pd/Guarded.h"
#include "dialects/pd/Specialize.h"
#include "dialects/pd/autodiff/VjpOps.h"
#include "dialects/pd/textbook/Arrays.h"
#include "dialects/pd/textbook/Draws.h"
#include "lib/driver/Compile.h"
#include "lib/driver/Registration.h"
#include "passes/decompose/Passes.h"
#include "passes/normalize/Passes.h"
#include "translator/import/Import.h"
#include "translator/legacy/ReadProgram.h"
#include "translator/params/ModelFolder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace proa::check {
namespace {

/// Evaluates the ops of a function in their order.
class Interpreter {
public:
  void define(Value value, Tensor tensor) { known.tensors[value] = std::move(tensor); }
  const Tensor &valueOf(Value value) const { return known.tensors.at(value); }

  /// Why the op can't be evaluated; empty: it was.
  std::string evaluate(Operation &op) {
    // Casts only say more or less of a type; the bool of a condition is a tensor here.
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
    if (op.getNumRegions() > 0 || !isa_and_present<pd::PdDialect>(op.getDialect()))
      return "no evaluation of " + op.getName().getStringRef().str();
    llvm::SmallVector<Tensor> operands;
    for (Value operand : op.getOperands())
      operands.push_back(known.tensors.at(operand));
    auto scratch = std::make_unique<Block>();
    Operation *clone = pd::cloneForValues(&op, operands, *scratch);
    if (!clone)
      return op.getName().getStringRef().str() + ": its operands do not fit";
    pd::Draws before = draws;
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

private:
  /// Evaluates what a decomposition made in front of `op`, behind `before`.
  std::string evaluateMade(Operation *op, Operation *before) {
    Operation *made = before ? before->getNextNode() : &op->getBlock()->front();
    while (made != op) {
      Operation *next = made->getNextNode();
      if (std::string reason = evaluate(*made); !reason.empty())
        return reason;
      made = next;
    }
    return {};
  }

  /// A composite whose decomposition holds control flow. `clone` is the op made anew for these operands.
  std::string evaluateFormula(Operation &op, Operation *clone, llvm::ArrayRef<Tensor> operands) {
    for (auto [operand, tensor] : llvm::zip(clone->getOperands(), operands))
      known.tensors[operand] = tensor;
    OpBuilder builder(clone);
    Operation *before = clone->getPrevNode();
    auto values = pd::guarded([&] { return cast<pd::DecomposableOpInterface>(clone).decompose(builder); });
    if (failed(values))
      return op.getName().getStringRef().str() + ": the decomposition needs something that is not known";
    // Gradients among what was made are replaced by what they are made of.
    auto end =
        UnrealizedConversionCastOp::create(builder, op.getLoc(), TypeRange{builder.getI1Type()}, *values);
    std::string reason = evaluateMade(end, before);
    for (auto [value, result] : llvm::zip(end.getInputs(), op.getResults()))
      if (reason.empty())
        known.copy(value, result);
    return reason;
  }

  /// A gradient within a decomposition.
  std::string evaluateGradient(pd::VjpOp op) {
    OpBuilder builder(op);
    Operation *before = op->getPrevNode();
    auto values = pd::guarded([&] { return op.decompose(builder); });
    if (failed(values))
      return "a gradient that is not expanded";
    std::string reason = evaluateMade(op, before);
    op->replaceAllUsesWith(*values);
    op->erase();
    return reason;
  }

  bool isTrue(Value condition) { return pd::loadScalar(known.tensors.at(condition), 0).integer != 0; }

  std::string evaluateBlock(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
      if (std::string reason = evaluate(op); !reason.empty())
        return reason;
    return {};
  }

  /// Gives each of `to` what the value beside it has; all are read before any is written.
  void move(ValueRange from, ValueRange to) {
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

  std::string evaluateBranch(scf::IfOp branch) {
    Region &arm = isTrue(branch.getCondition()) ? branch.getThenRegion() : branch.getElseRegion();
    if (arm.empty())
      return {};
    std::string reason = evaluateBlock(arm.front());
    if (reason.empty())
      move(arm.front().getTerminator()->getOperands(), branch.getResults());
    return reason;
  }

  std::string evaluateLoop(scf::WhileOp loop) {
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

  pd::HostValues known;
  pd::Draws draws;
  std::vector<std::unique_ptr<Block>> formulas; ///< whose values are known as long as the run goes on
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

/// The program for feeds of these dims, its gradients as ops; whether all of them are.
Result<bool> prepare(ModuleOp module, const std::map<std::string, std::vector<int64_t>> &dims) {
  if (Result<void> specialized = specializeFeeds(module, dims); !specialized)
    return specialized.problems();
  ScopedDiagnosticHandler silent(module.getContext(), [](Diagnostic &) { return success(); });
  return succeeded(expandGradients(module));
}

std::string bindArguments(func::FuncOp main, const Tensors &feeds, const Tensors &parameters,
                          Interpreter &interpreter) {
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
  Interpreter interpreter;
  run.notEvaluated = bindArguments(main, feeds, parameters, interpreter);
  for (Operation &op : main.getBody().front().without_terminator())
    if (run.notEvaluated.empty())
      run.notEvaluated = interpreter.evaluate(op);
  if (!run.notEvaluated.empty())
    return run;
  Operation *end = main.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(end->getOperands()))
    if (auto fetch = main.getResultAttrOfType<StringAttr>(i, "pd.fetch"))
      if (!main.getResultAttr(i, "pd.lod_of")) {
        if (!isa<RankedTensorType>(value.getType()))
          run.notEvaluated = "a fetched tensor array";
        else
          run.outputs.push_back({fetch.str(), interpreter.valueOf(value)});
      }
  return run;
}

} // namespace

Result<ReferenceRun> runReference(const legacy::Program &program, const std::string &source,
                                  const Tensors &parameters, const CaseMeta &meta, const Tensors &feeds,
                                  bool openDims) {
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
  std::map<std::string, std::vector<int64_t>> dims;
  for (const auto &[name, tensor] : given)
    dims[name] = tensor.dims();
  bool feedsMayHelp = false;
  options.feedsMayHelp = &feedsMayHelp;
  auto module = import::importProgram(context, openDims ? withOpenDims(program, given) : program, options);
  if (!module && openDims)
    return ReferenceRun{{}, "the program is not imported with open dims"};
  if (openDims)
    if (Result<void> done = decomposeAll(**module); !done)
      return done.problems();
  Result<bool> prepared = module ? prepare(**module, dims) : module.problems();
  // Where types that were inferred from declared dims do not hold, those from the feeds' dims may.
  if (!openDims && (module ? !prepared || !*prepared : feedsMayHelp)) {
    options.feedDims = dims;
    options.feedValues = import::steering(feeds);
    module = import::importProgram(context, program, options);
    prepared = module ? prepare(**module, dims) : module.problems();
  }
  if (!prepared)
    return prepared.problems();
  if (!*prepared)
    return ReferenceRun{{}, "a gradient that is not expanded"};
  return evaluateMain((*module)->lookupSymbol<func::FuncOp>("main"), given, parameters);
}

Result<ReferenceRun> runReference(const std::string &folder, const CaseMeta &meta, const Tensors &feeds,
                                  bool openDims) {
  Result<params::ModelFiles> files = params::findModel(folder);
  if (!files)
    return files.problems();
  Result<legacy::Program> program = legacy::readProgram(files->program);
  if (!program)
    return program.problems();
  Result<params::Tensors> parameters = params::readParameters(*files, *program);
  if (!parameters)
    return parameters.problems();
  return runReference(*program, files->program, *parameters, meta, feeds, openDims);
}

} // namespace proa::check
