//! pd-grad, pd-vjp, pd-jvp, pd-vmap, pd-hessian: derivatives of a function as new functions of the module.
#include "passes/autodiff/Passes.h"

#include "dialects/pd/autodiff/ForLoop.h"
#include "dialects/pd/ir/Pd.h"
#include "passes/autodiff/MixedPrecision.h"
#include "passes/autodiff/Rematerialize.h"
#include "passes/autodiff/Transforms.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Support/FileUtilities.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_GRAD
#define GEN_PASS_DEF_VJP
#define GEN_PASS_DEF_JVP
#define GEN_PASS_DEF_VMAP
#define GEN_PASS_DEF_HESSIAN
#define GEN_PASS_DEF_CHECKPOINT
#define GEN_PASS_DEF_LOWERFOR
#define GEN_PASS_DEF_REMATERIALIZE
#define GEN_PASS_DEF_ACCUMULATE
#define GEN_PASS_DEF_MIXPRECISION
#define GEN_PASS_DEF_SCALELOSS
#include "passes/autodiff/Passes.h.inc"

namespace {

/// The function with that name; if the name is empty, the only function of the module.
FailureOr<func::FuncOp> findFunction(ModuleOp module, const std::string &name) {
  if (!name.empty()) {
    if (auto function = module.lookupSymbol<func::FuncOp>(name))
      return function;
    return module.emitError() << "the module has no function '" << name << "'";
  }
  auto functions = module.getOps<func::FuncOp>();
  auto count = std::distance(functions.begin(), functions.end());
  if (count == 1)
    return *functions.begin();
  return module.emitError() << "the module has " << count
                            << " functions: the option 'function' must name one";
}

/// Applies `transform` (function, new name) to the function that the options name.
template <class Transform>
LogicalResult apply(ModuleOp module, const std::string &function, const std::string &name, const char *suffix,
                    Transform transform) {
  auto found = findFunction(module, function);
  if (failed(found))
    return failure();
  return transform(*found, name.empty() ? found->getName().str() + suffix : name);
}

class GradPass : public impl::GradBase<GradPass> {
public:
  using GradBase::GradBase;
  void runOnOperation() override {
    auto transform = [&](func::FuncOp f, StringRef newName) {
      return autodiff::grad(f, newName, ArrayRef<int64_t>(arguments), result, value, snapshots, microBatches,
                            ArrayRef<int64_t>(batches));
    };
    if (failed(apply(getOperation(), function, name, "_grad", transform)))
      signalPassFailure();
  }
};

class VjpPass : public impl::VjpBase<VjpPass> {
public:
  using VjpBase::VjpBase;
  void runOnOperation() override {
    auto transform = [&](func::FuncOp f, StringRef newName) {
      return autodiff::vjp(f, newName, ArrayRef<int64_t>(arguments), snapshots);
    };
    if (failed(apply(getOperation(), function, name, "_vjp", transform)))
      signalPassFailure();
  }
};

class JvpPass : public impl::JvpBase<JvpPass> {
public:
  using JvpBase::JvpBase;
  void runOnOperation() override {
    auto transform = [&](func::FuncOp f, StringRef newName) {
      return autodiff::jvp(f, newName, ArrayRef<int64_t>(arguments));
    };
    if (failed(apply(getOperation(), function, name, "_jvp", transform)))
      signalPassFailure();
  }
};

class VmapPass : public impl::VmapBase<VmapPass> {
public:
  using VmapBase::VmapBase;
  void runOnOperation() override {
    auto transform = [&](func::FuncOp f, StringRef newName) -> FailureOr<func::FuncOp> {
      if (size == 0 || size < -1)
        return f.emitError() << "the number of examples must be above 0, or -1 where it is not known, found "
                             << size.getValue();
      return autodiff::vmap(f, newName, size == -1 ? ShapedType::kDynamic : size, ArrayRef<int64_t>(mapped),
                            openExamples);
    };
    if (failed(apply(getOperation(), function, name, "_vmap", transform)))
      signalPassFailure();
  }
};

class HessianPass : public impl::HessianBase<HessianPass> {
public:
  using HessianBase::HessianBase;
  void runOnOperation() override {
    auto transform = [&](func::FuncOp f, StringRef newName) {
      return autodiff::hessian(f, newName, argument, result);
    };
    if (failed(apply(getOperation(), function, name, "_hessian", transform)))
      signalPassFailure();
  }
};

class LowerForPass : public impl::LowerForBase<LowerForPass> {
public:
  void runOnOperation() override {
    if (failed(pd::lowerForLoops(getOperation(), /*keepSnapshots=*/false)))
      signalPassFailure();
  }
};

class CheckpointPass : public impl::CheckpointBase<CheckpointPass> {
public:
  using CheckpointBase::CheckpointBase;
  void runOnOperation() override {
    auto transform = [&](func::FuncOp f, StringRef newName) {
      return autodiff::checkpoint(f, newName, ArrayRef<std::string>(places));
    };
    if (failed(apply(getOperation(), function, name, "_checkpoint", transform)))
      signalPassFailure();
  }
};

class AccumulatePass : public impl::AccumulateBase<AccumulatePass> {
public:
  using AccumulateBase::AccumulateBase;
  void runOnOperation() override {
    auto transform = [&](func::FuncOp f, StringRef newName) {
      return autodiff::accumulate(f, newName, count, ArrayRef<int64_t>(batches));
    };
    if (failed(apply(getOperation(), function, name, "_accumulated", transform)))
      signalPassFailure();
  }
};

/// The function named by the option, if it has one block.
FailureOr<func::FuncOp> findBody(ModuleOp module, const std::string &name) {
  auto found = findFunction(module, name);
  if (succeeded(found) && !llvm::hasSingleElement(found->getBody()))
    return found->emitError() << "expected a function of one block, found "
                              << found->getBody().getBlocks().size();
  return found;
}

class MixPrecisionPass : public impl::MixPrecisionBase<MixPrecisionPass> {
public:
  using MixPrecisionBase::MixPrecisionBase;
  void runOnOperation() override {
    auto found = findBody(getOperation(), function);
    if (failed(found))
      return signalPassFailure();
    AmpOptions options;
    options.level = level;
    options.dtype = dtype;
    options.allow.assign(allow.begin(), allow.end());
    options.deny.assign(deny.begin(), deny.end());
    options.grey.assign(grey.begin(), grey.end());
    if (failed(autodiff::mixPrecision(*found, options)))
      signalPassFailure();
  }
};

class ScaleLossPass : public impl::ScaleLossBase<ScaleLossPass> {
public:
  using ScaleLossBase::ScaleLossBase;
  void runOnOperation() override {
    auto found = findBody(getOperation(), function);
    AmpOptions options;
    options.scaling = dynamic ? AmpOptions::Scaling::Dynamic : AmpOptions::Scaling::Static;
    options.lossScale = scale;
    options.increaseEvery = increaseEvery;
    options.decreaseEvery = decreaseEvery;
    options.increaseRatio = increaseRatio;
    options.decreaseRatio = decreaseRatio;
    if (failed(found) || failed(autodiff::scaleLoss(*found, options)))
      signalPassFailure();
  }
};

class RematerializePass : public impl::RematerializeBase<RematerializePass> {
public:
  using RematerializeBase::RematerializeBase;
  void runOnOperation() override {
    auto found = findBody(getOperation(), function);
    if (failed(found))
      return signalPassFailure();
    if (memoryBudget < -1) {
      found->emitError() << "the memory budget must be a number of bytes, or -1 for none, found "
                         << memoryBudget.getValue();
      return signalPassFailure();
    }
    auto done = autodiff::rematerialize(*found, memoryBudget < 0 ? std::nullopt
                                                                 : std::optional<int64_t>(memoryBudget));
    PassRemarks(getArgumentName()).analysis(*found)
        << "recomputes " << std::to_string(done.recomputedOps) << " ops, which adds "
        << std::to_string(done.operationsAdded) << " operations; peak memory changes from "
        << std::to_string(done.peakBefore) << " to " << std::to_string(done.peakAfter) << " bytes";
    if (!done.withinBudget)
      emitWarning(found->getLoc()) << "needs " << done.peakAfter
                                   << " bytes even with recomputation, expected at most the budget of "
                                   << memoryBudget.getValue();
    if (!report.empty() && failed(write(done, found->getName())))
      signalPassFailure();
  }

private:
  LogicalResult write(const autodiff::RecomputeReport &done, StringRef name) {
    std::string diagnostic;
    auto file = openOutputFile(report, &diagnostic);
    if (!file)
      return getOperation().emitError() << diagnostic;
    llvm::json::Object object{{"function", name},
                              {"peak_bytes_before", done.peakBefore},
                              {"peak_bytes_after", done.peakAfter},
                              {"kept_bytes_before", done.keptBefore},
                              {"kept_bytes_after", done.keptAfter},
                              {"recomputed_ops", done.recomputedOps},
                              {"operations_before", done.operationsBefore},
                              {"operations_added", done.operationsAdded},
                              {"within_budget", done.withinBudget}};
    file->os() << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(object)));
    file->keep();
    return success();
  }
};

} // namespace
} // namespace proa
