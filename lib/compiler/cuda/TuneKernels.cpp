#include "lib/compiler/cuda/TuneKernels.h"

#include "lib/compiler/cuda/KernelOperands.h"
#include "passes/analysis/KernelAttributes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace mlir;

namespace proa {
namespace {

/// A word for a linalg op without operations in its body, which moves elements.
StringRef nameOfMove(linalg::LinalgOp op) {
  if (!isa<linalg::GenericOp>(op))
    return op->getName().stripDialect();
  bool isPermuted = llvm::any_of(op.getIndexingMapsArray(),
                                 [](AffineMap map) { return map.isPermutation() && !map.isIdentity(); });
  return isPermuted ? "transpose" : "copy";
}

/// The op of a kernel of one op, or the ops in the bodies of its linalg ops; if these have none, how they
/// move elements.
std::string labelOf(func::FuncOp kernel) {
  std::string label;
  auto add = [&](Operation *op) {
    if (!op->hasTrait<OpTrait::IsTerminator>() && label.size() < 60)
      label += (label.empty() ? "" : "+") + op->getName().stripDialect().str();
  };
  if (DeviceKernelAttr::isOn(kernel))
    for (Operation &op : kernel.getBody().front())
      add(&op);
  kernel.walk([&](linalg::LinalgOp op) { op.getBlock()->walk(add); });
  if (label.empty())
    kernel.walk([&](linalg::LinalgOp op) { label += (label.empty() ? "" : "+") + nameOfMove(op).str(); });
  return label;
}

/// Whether strategies of a function can be chosen.
bool isTunable(func::FuncOp function) {
  return !function.isDeclaration() &&
         (function->hasAttr(kernelAttribute) || DeviceKernelAttr::isOn(function, DeviceKernel::Op));
}

std::string textOf(const Trial &trial) {
  return trial.refusal.empty() ? fmt::format("{:.2f} us", trial.microseconds) : "refused: " + trial.refusal;
}

class Tuner {
public:
  Tuner(TuningDatabase &database, const TuneOptions &options) : database(database), options(options) {}

  Result<std::vector<TunedKernel>> tune(ModuleOp module) {
    SmallVector<func::FuncOp> kernels =
        llvm::filter_to_vector(module.getOps<func::FuncOp>(), [&](func::FuncOp function) {
          return isTunable(function) && !isKnown(keyOf(function));
        });
    for (auto [i, kernel] : llvm::enumerate(kernels)) {
      if (isStopped())
        break;
      TunedKernel &own = tuned.emplace_back();
      own.name = kernel.getName();
      own.label = labelOf(kernel);
      report(fmt::format("kernel {} of {}: {} ({})", i + 1, kernels.size(), own.name, own.label));
      Result<void> done = tune(kernel, own);
      if (done && options.store)
        done = options.store(tuned);
      if (!done)
        return done.diagnostics();
    }
    return std::move(tuned);
  }

private:
  TuningDatabase &database;
  const TuneOptions &options;
  std::vector<TunedKernel> tuned;

  std::string keyOf(func::FuncOp kernel) const { return tuningKey(kernel, options.search.chip); }
  bool isStopped() const { return options.search.isStopped && options.search.isStopped(); }

  bool isKnown(const std::string &key) const {
    const TuningEntry *entry = database.find(key);
    return entry && entry->isComplete && !options.again;
  }

  void report(const std::string &line) const {
    if (options.report)
      options.report(line);
  }

  Result<void> tune(func::FuncOp kernel, TunedKernel &own) {
    if (!hasStaticDims(kernel)) {
      own.refusal = "its dims are dynamic";
      report("  not measured: " + own.refusal);
      return {};
    }
    std::string key = keyOf(kernel);
    const TuningEntry *before = database.find(key);
    std::optional<KernelStrategy> first = before ? std::optional(before->strategy) : std::nullopt;
    SearchOptions search = options.search;
    Result<void> stored;
    search.onTrial = [&](const Trial &trial) {
      report("  " + trial.strategy.text() + ": " + textOf(trial));
      bool isFastest =
          trial.refusal.empty() && (own.trials.empty() || trial.microseconds < own.best.microseconds);
      own.trials.push_back(trial);
      if (!isFastest)
        return;
      own.best.strategy = own.trials.size() == 1 ? KernelStrategy() : trial.strategy;
      own.best.microseconds = trial.microseconds;
      own.best.defaultMicroseconds = own.trials.front().microseconds;
      own.best.label = own.label;
      own.best.isComplete = false;
      database.set(key, own.best);
      if (stored && options.store)
        stored = options.store(tuned);
    };
    StrategySearch strategies(kernel, search, first);
    Result<bool> hasForm = strategies.run();
    if (!hasForm)
      return hasForm.diagnostics();
    if (!stored)
      return stored;
    if (!*hasForm) {
      own.refusal = strategies.refusal();
      report("  not measured: " + own.refusal);
      return {};
    }
    own.best = strategies.best();
    own.best.label = own.label;
    database.set(key, own.best);
    report(fmt::format("  {:.2f} us with {}, {:.2f} us by default", own.best.microseconds,
                       own.best.strategy.text(), own.best.defaultMicroseconds));
    return {};
  }
};

} // namespace

std::string tableOf(const std::vector<TunedKernel> &kernels) {
  constexpr size_t widest = 40;
  std::string table = fmt::format("{:<{}}  {:>12}  {:>12}  {:>5}  {:>7}  {}\n", "kernel", widest,
                                  "default us", "best us", "tried", "refused", "strategy");
  for (const TunedKernel &kernel : kernels) {
    std::string name = fmt::format("{} ({})", kernel.name, kernel.label).substr(0, widest);
    if (!kernel.refusal.empty()) {
      table += fmt::format("{:<{}}  not measured: {}\n", name, widest, kernel.refusal);
      continue;
    }
    auto refused = llvm::count_if(kernel.trials, [](const Trial &trial) { return !trial.refusal.empty(); });
    table +=
        fmt::format("{:<{}}  {:>12.2f}  {:>12.2f}  {:>5}  {:>7}  {}{}\n", name, widest,
                    kernel.best.defaultMicroseconds, kernel.best.microseconds, kernel.trials.size(), refused,
                    kernel.best.strategy.text(), kernel.best.isComplete ? "" : " (interrupted)");
  }
  return table;
}

std::string jsonOf(const std::vector<TunedKernel> &kernels, const std::string &chip) {
  using nlohmann::json;
  auto strategyOf = [](const KernelStrategy &strategy) {
    return json{{"maxThreads", strategy.maxThreads}, {"attributes", strategy.attributes}};
  };
  json all = json::array();
  for (const TunedKernel &kernel : kernels) {
    json trials = json::array();
    for (const Trial &trial : kernel.trials) {
      json one = strategyOf(trial.strategy);
      if (trial.refusal.empty())
        one["microseconds"] = trial.microseconds;
      else
        one["refusal"] = trial.refusal;
      trials.push_back(std::move(one));
    }
    json own = {{"name", kernel.name}, {"label", kernel.label}, {"trials", std::move(trials)}};
    if (!kernel.refusal.empty())
      own["refusal"] = kernel.refusal;
    else
      own.update({{"best", strategyOf(kernel.best.strategy)},
                  {"microseconds", kernel.best.microseconds},
                  {"defaultMicroseconds", kernel.best.defaultMicroseconds},
                  {"complete", kernel.best.isComplete}});
    all.push_back(std::move(own));
  }
  return json{{"chip", chip}, {"kernels", std::move(all)}}.dump(1) + "\n";
}

Result<std::vector<TunedKernel>> tuneKernels(ModuleOp kernels, TuningDatabase &database,
                                             const TuneOptions &options) {
  return Tuner(database, options).tune(kernels);
}

} // namespace proa
