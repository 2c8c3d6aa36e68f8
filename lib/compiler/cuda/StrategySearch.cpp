#include "lib/compiler/cuda/StrategySearch.h"

#include "dialects/proa/Strategies.h"
#include "lib/base/support/DiagnosticCollector.h"
#include "lib/base/support/Verification.h"
#include "passes/lower-gpu/Passes.h"
#include "passes/lower-gpu/Strategies.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace proa {

/// A strategy is faster if it takes less than this share of the time; smaller differences may be noise.
static constexpr double fasterShare = 0.99;

KernelStrategy StrategySearch::Candidate::strategy() const {
  KernelStrategy strategy{maxThreads, {}};
  for (Attribute attribute : attributes) {
    auto launch = dyn_cast<LaunchAttr>(attribute);
    if (launch && !launch.getRowBlocks() && !launch.getResidentBlocks())
      continue; // without fields
    llvm::raw_string_ostream(strategy.attributes.emplace_back()) << attribute;
  }
  return strategy;
}

OwningOpRef<ModuleOp> StrategySearch::moduleWith(const Candidate &candidate) const {
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel->getLoc());
  copyTarget(kernel->getParentOfType<ModuleOp>(), *module);
  func::FuncOp copy = func::FuncOp(kernel).clone();
  module->push_back(copy);
  requestStrategies(copy, candidate.attributes);
  return module;
}

Result<StrategySearch::Candidate> StrategySearch::complete(const Candidate &candidate) const {
  OwningOpRef<ModuleOp> module = moduleWith(candidate);
  DiagnosticCollector diagnostics(module->getContext());
  LowerGpuKernelsOptions lowering;
  lowering.chip = options.chip;
  lowering.maxThreads = candidate.maxThreads;
  Candidate completed{candidate.maxThreads, {}};
  for (auto [build, read] : {std::pair(&buildChooseStrategiesPipeline, &strategiesOf),
                             std::pair(&buildChooseLoopsPipeline, &loopsOf)}) {
    PassManager passes(module->getContext());
    passes.enableVerifier(verifiesPasses());
    build(passes, lowering);
    if (failed(passes.run(*module)))
      return diagnostics.take("passes refuse it");
    completed.attributes.append(read(module->lookupSymbol<func::FuncOp>(func::FuncOp(kernel).getName())));
  }
  return completed;
}

Result<DeviceKernelSet> StrategySearch::compile(const Candidate &candidate, bool isDefault) const {
  OwningOpRef<ModuleOp> module = moduleWith(candidate);
  DeviceKernelOptions lowering;
  lowering.chip = options.chip;
  lowering.maxThreads = candidate.maxThreads;
  if (!isDefault) // which is used whatever it needs
    lowering.budget.emplace();
  auto compiled = takeDeviceKernels(*module, lowering);
  if (compiled && compiled->code.kernels.empty())
    return errorAt("", "it has no form on the device");
  return compiled;
}

void StrategySearch::add(Trial trial) {
  tried.push_back(std::move(trial));
  if (options.onTrial)
    options.onTrial(tried.back());
}

StrategySearch::Measured StrategySearch::attempt(const Candidate &candidate) {
  auto refuse = [&](const Candidate &own, const Diagnostics &diagnostics) {
    add({own.strategy(), 0, diagnostics[0].message});
    return std::nullopt;
  };
  if (!seen.insert(candidate.strategy()).second)
    return std::nullopt;
  Result<Candidate> completed = complete(candidate);
  if (!completed)
    return refuse(candidate, completed.diagnostics());
  KernelStrategy strategy = completed->strategy();
  if (strategy != candidate.strategy() && !seen.insert(strategy).second)
    return std::nullopt;
  ++compiledCount;
  Result<DeviceKernelSet> compiled = compile(*completed, /*isDefault=*/false);
  if (!compiled)
    return refuse(*completed, compiled.diagnostics());
  if (!seenCode.insert(compiled->code.kernels[0].ptx).second)
    return std::nullopt;
  Result<double> measured = options.timer->microseconds(kernel, *compiled);
  if (!measured) // it may need more than the device has
    return refuse(*completed, measured.diagnostics());
  bool isFaster = *measured < fasterShare * found.microseconds;
  if (isFaster) {
    found.strategy = strategy;
    found.microseconds = *measured;
  }
  add({strategy, *measured, {}});
  return isFaster ? Measured(std::move(*completed)) : std::nullopt;
}

SmallVector<StrategySearch::Candidate> StrategySearch::neighboursOf(const Candidate &candidate) const {
  SmallVector<Candidate> neighbours;
  // Passes choose the loops again if something else changes, as these depend on it.
  Candidate withoutLoops = candidate;
  llvm::erase_if(withoutLoops.attributes, llvm::IsaPred<LoopsAttr>);
  auto addChanges = [&](size_t i) {
    for (Attribute changed : cast<StrategyAttrInterface>(candidate.attributes[i]).changes()) {
      neighbours.push_back(isa<LoopsAttr>(changed) ? candidate : withoutLoops);
      neighbours.back().attributes[i] = changed;
    }
  };
  // The launch, which strategiesOf() has first, matters least. Loops are the last ones.
  size_t ofOps = withoutLoops.attributes.size();
  for (size_t i = 1; i < ofOps; ++i)
    addChanges(i);
  for (int64_t threads : {64, 128, 256, 512, 1024})
    if (threads != candidate.maxThreads)
      neighbours.push_back({threads, withoutLoops.attributes});
  for (size_t i = ofOps; i < candidate.attributes.size(); ++i)
    addChanges(i);
  if (ofOps > 0)
    addChanges(0);
  return neighbours;
}

Result<bool> StrategySearch::run() {
  Candidate best;
  Result<DeviceKernelSet> compiled = compile(best, /*isDefault=*/true);
  Result<Candidate> completed = compiled ? complete(best) : Result<Candidate>(compiled.diagnostics());
  if (!completed) {
    whyNot = completed.diagnostics()[0].message;
    return false;
  }
  Result<double> measured = options.timer->microseconds(kernel, *compiled);
  if (!measured)
    return measured.diagnostics();
  best = std::move(*completed);
  seen = {KernelStrategy(), best.strategy()};
  seenCode = {compiled->code.kernels[0].ptx};
  compiledCount = 1;
  found.microseconds = found.defaultMicroseconds = *measured;
  add({best.strategy(), *measured, {}});
  if (first)
    if (auto attributes = attributesOf(*first, kernel->getContext()))
      if (Measured faster = attempt({first->maxThreads, *attributes}))
        best = std::move(*faster);
  for (bool isFaster = true; isFaster && !isDone();) {
    isFaster = false;
    for (const Candidate &neighbour : neighboursOf(best)) {
      if (isDone())
        break;
      Measured faster = attempt(neighbour);
      if (!faster)
        continue;
      best = std::move(*faster);
      isFaster = true;
      break;
    }
  }
  found.isComplete = !options.isStopped || !options.isStopped();
  return true;
}

} // namespace proa
