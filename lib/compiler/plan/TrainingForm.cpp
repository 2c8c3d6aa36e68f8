#include "lib/compiler/plan/TrainingForm.h"

#include "lib/base/support/DiagnosticCollector.h"
#include "lib/compiler/compile/Compile.h"

#include "dialects/pd/autodiff/Seeds.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/Types.h"
#include "passes/autodiff/BackwardRegion.h"
#include "passes/autodiff/Transforms.h"
#include "passes/decompose/Passes.h"
#include "passes/fuse/Passes.h"
#include "passes/normalize/Passes.h"
#include "passes/spmd/OptimizerUpdates.h"

#include "mlir/Pass/PassManager.h"

#include <fmt/format.h>

using namespace mlir;

namespace proa {
namespace {

class Former {
public:
  explicit Former(ModuleOp module) : module(module), diagnostics(module.getContext()) {}

  Result<TrainingForm> run() {
    form.main = module.lookupSymbol<func::FuncOp>("main");
    if (!form.main || !llvm::hasSingleElement(form.main.getBody()))
      return errorAt("", "the program has no function 'main' with one block");
    if (Result<void> checked = checkFeeds(); !checked)
      return checked.diagnostics();
    // pd.vjp of checkpoints appear with their decomposition only.
    DecomposeOptions checkpoints;
    checkpoints.only = {"pd.checkpoint"};
    PassManager first(module.getContext());
    first.addPass(createDecompose(checkpoints));
    if (failed(first.run(module)) || failed(markSeeds()))
      return diagnostics.take("the program has no derivatives");
    PassManager pm(module.getContext());
    buildProgramPipeline(pm, {});
    pm.addNestedPass<func::FuncOp>(createFoldBatchNorm());
    DecomposeOptions statistics;
    statistics.only = {"pd.batch_norm", "pd.mean"};
    pm.addPass(createDecompose(statistics));
    pm.addNestedPass<func::FuncOp>(createCanonicalizeProgram());
    if (failed(pm.run(module)))
      return diagnostics.take("the program has no training form");
    form.main = module.lookupSymbol<func::FuncOp>("main");
    divide();
    return std::move(form);
  }

private:
  StringAttr nameOf(BlockArgument argument, StringRef attribute) {
    return form.main.getArgAttrOfType<StringAttr>(argument.getArgNumber(), attribute);
  }

  Result<void> checkFeeds() {
    Diagnostics errors;
    for (BlockArgument argument : form.main.getArguments())
      if (auto type = dyn_cast<RankedTensorType>(argument.getType());
          type && nameOf(argument, pd::feedAttribute)) {
        auto name = nameOf(argument, pd::feedAttribute).str();
        if (!type.hasStaticShape())
          errors.add(fmt::format("feed '{}'", name),
                     fmt::format("its dims are dynamic, expected static ones (--dims {}=...)", name));
        else if (type.getRank() > 0)
          form.batch = std::max(form.batch, type.getDimSize(0));
      }
    return errors.empty() ? Result<void>() : Result<void>(errors);
  }

  /// Puts barriers after the values with which gradients begin.
  LogicalResult markSeeds() {
    Block &block = form.main.getBody().front();
    llvm::SetVector<Value> seeds = autodiff::findBackwardRegion(block).seeds;
    form.isTraining = !seeds.empty();
    if (seeds.empty() && !optimizerUpdatesOf(form.main).empty())
      return form.main.emitError(
          "it updates parameters, but has no gradients by pd.vjp, which delimit the forward region");
    if (seeds.empty() && failed(differentiate(seeds)))
      return failure();
    autodiff::markSeeds(seeds);
    return success();
  }

  /// Replaces `main` by a function that computes the gradients of its results too; `seeds` are its
  /// cotangents.
  LogicalResult differentiate(llvm::SetVector<Value> &seeds) {
    SmallVector<int64_t> trained;
    for (BlockArgument argument : form.main.getArguments())
      if (auto type = dyn_cast<RankedTensorType>(argument.getType());
          type && isa<FloatType>(type.getElementType()) && nameOf(argument, pd::parameterAttribute) &&
          type.getRank() > 0)
        trained.push_back(argument.getArgNumber());
    if (trained.empty())
      return form.main.emitError("no parameter has a gradient");
    unsigned argumentCount = form.main.getNumArguments();
    FailureOr<func::FuncOp> derived = autodiff::vjp(form.main, "main_with_gradients", trained);
    if (failed(derived))
      return failure();
    form.main.erase();
    derived->setName("main");
    derived->setPublic();
    form.main = *derived;
    for (BlockArgument argument : form.main.getArguments().drop_front(argumentCount)) {
      form.main.setArgAttr(
          argument.getArgNumber(), pd::feedAttribute,
          StringAttr::get(module.getContext(), "cotangent" + std::to_string(argument.getArgNumber())));
      seeds.insert(argument);
    }
    return success();
  }

  void divide() {
    Block &block = form.main.getBody().front();
    SmallVector<Value> seeds;
    for (auto barrier : block.getOps<pd::OptimizationBarrierOp>())
      if (pd::isSeed(barrier))
        seeds.push_back(barrier);
    auto dependent = autodiff::dependentOps(block, seeds);
    auto forward = autodiff::neededOps(block, forwardResults(dependent));
    llvm::DenseSet<Operation *> updates;
    findParameters(updates);
    for (Operation &op : block.without_terminator()) {
      if (op.hasTrait<OpTrait::ConstantLike>() || updates.contains(&op))
        continue;
      bool isForward = forward.contains(&op) && !dependent.contains(&op);
      (isForward ? form.forward : form.backward).push_back(&op);
    }
    SmallVector<Value> feeds;
    for (BlockArgument argument : form.main.getArguments())
      if (nameOf(argument, pd::feedAttribute))
        feeds.push_back(argument);
    form.ofBatch.insert(feeds.begin(), feeds.end());
    for (Operation *op : autodiff::dependentOps(block, feeds))
      form.ofBatch.insert(op->result_begin(), op->result_end());
  }

  /// Results that are no gradients: fetches of the forward region.
  SmallVector<Value> forwardResults(const llvm::SetVector<Operation *> &dependent) {
    SmallVector<Value> results;
    for (Value result : form.main.getBody().front().getTerminator()->getOperands())
      if (Operation *op = result.getDefiningOp(); op && !dependent.contains(op))
        results.push_back(result);
    return results;
  }

  void findParameters(llvm::DenseSet<Operation *> &updates) {
    double elements = 0, bytes = 0;
    auto countOf = [](BlockArgument argument) {
      return static_cast<double>(cast<RankedTensorType>(argument.getType()).getNumElements());
    };
    for (const OptimizerUpdate &update : optimizerUpdatesOf(form.main)) {
      updates.insert(update.op);
      form.parameters.insert(update.parameter);
      elements += countOf(update.parameter);
      for (BlockArgument state : update.states)
        bytes +=
            countOf(state) * static_cast<double>(sizeOf(*pd::dtypeOf(getElementTypeOrSelf(state.getType()))));
    }
    form.optimizerBytes = elements > 0 ? bytes / elements : 0;
    if (form.parameters.empty())
      for (BlockArgument argument : form.main.getArguments())
        if (auto type = dyn_cast<RankedTensorType>(argument.getType());
            type && type.getRank() > 0 && nameOf(argument, pd::parameterAttribute) &&
            isa<FloatType>(type.getElementType()))
          form.parameters.insert(argument);
  }

  ModuleOp module;
  DiagnosticCollector diagnostics;
  TrainingForm form;
};

} // namespace

Result<TrainingForm> trainingForm(ModuleOp module) { return Former(module).run(); }

} // namespace proa
