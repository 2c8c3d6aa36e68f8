/// A search of the fastest strategy of one kernel.
#pragma once

#include "lib/compiler/cuda/KernelTimer.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace proa {

/// A strategy that was tried.
struct Trial {
  KernelStrategy strategy;
  double microseconds = 0;
  std::string refusal; ///< why it was not measured; empty: it was
};

struct SearchOptions {
  KernelTimer *timer = nullptr;
  std::string chip;
  size_t trials = 64;              ///< most compiled strategies of a kernel
  std::function<bool()> isStopped; ///< null: never
  std::function<void(const Trial &trial)> onTrial;
};

/// Starts with the strategy that passes choose, and changes one attribute at a time (StrategyAttrInterface),
/// or the number of threads. A faster strategy is the next one that is changed; the search ends where no
/// change is faster. Strategies that become equal ones or give equal code are tried once.
class StrategySearch {
public:
  /// `first` is tried after the default.
  StrategySearch(mlir::func::FuncOp kernel, const SearchOptions &options,
                 std::optional<KernelStrategy> first = std::nullopt)
      : kernel(kernel), options(options), first(std::move(first)) {}

  /// False: the kernel has no form on the device, see refusal(). Error: the device refuses the default.
  Result<bool> run();

  const std::string &refusal() const { return whyNot; }
  /// The fastest strategy.
  const TuningEntry &best() const { return found; }
  const std::vector<Trial> &trials() const { return tried; }

private:
  /// A strategy as attributes, in the order of strategiesOf().
  struct Candidate {
    int64_t maxThreads = 256;
    llvm::SmallVector<mlir::Attribute> attributes; ///< empty: passes choose all

    KernelStrategy strategy() const;
  };
  /// Both: a candidate, with the choices that it leaves to passes.
  using Measured = std::optional<Candidate>;

  mlir::OwningOpRef<mlir::ModuleOp> moduleWith(const Candidate &candidate) const;
  Result<Candidate> complete(const Candidate &candidate) const;
  Result<DeviceKernelSet> compile(const Candidate &candidate, bool isDefault) const;
  /// Nothing: it is not faster.
  Measured attempt(const Candidate &candidate);
  llvm::SmallVector<Candidate> neighboursOf(const Candidate &candidate) const;
  void add(Trial trial);
  bool isDone() const {
    return compiledCount >= options.trials || (options.isStopped && options.isStopped());
  }

  mlir::func::FuncOp kernel;
  const SearchOptions &options;
  std::optional<KernelStrategy> first;
  std::string whyNot;
  TuningEntry found;
  std::vector<Trial> tried;
  std::set<KernelStrategy> seen;
  std::set<std::string> seenCode;
  size_t compiledCount = 0;
};

} // namespace proa
