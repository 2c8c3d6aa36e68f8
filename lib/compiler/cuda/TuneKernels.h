/// Measurement of the kernels of a program with several strategies.
#pragma once

#include "lib/compiler/cuda/StrategySearch.h"

namespace proa {

/// A measured kernel, or one that was not measured.
struct TunedKernel {
  std::string name, label;   ///< label: the ops
  std::string refusal;       ///< why it was not measured; empty: it was
  TuningEntry best;          ///< without a refusal
  std::vector<Trial> trials; ///< in order; the first one is the default
};

/// "kernel, default, best, strategy" in columns.
std::string tableOf(const std::vector<TunedKernel> &kernels);
/// The same with all trials, as JSON.
std::string jsonOf(const std::vector<TunedKernel> &kernels, const std::string &chip);

struct TuneOptions {
  SearchOptions search;
  bool again = false; ///< measures kernels that the database has already
  /// Called with what is being done, line by line.
  std::function<void(const std::string &line)> report;
  /// Called after each kernel and each faster strategy, so that an interrupted run has stored what it found.
  std::function<Result<void>(const std::vector<TunedKernel> &kernels)> store;
};

/// Measures each kernel of the module (on linalg, or one op of pd) that has static dims and a form on the
/// device, and puts the fastest strategy into the database. Returns the kernels that were not in it. Error:
/// the device refuses the default strategy of a kernel; `store` fails.
Result<std::vector<TunedKernel>> tuneKernels(mlir::ModuleOp kernels, TuningDatabase &database,
                                             const TuneOptions &options);

} // namespace proa
