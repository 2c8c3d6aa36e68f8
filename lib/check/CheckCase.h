/// Runs the program of a case folder and compares what it gives with what real Paddle gave.
#pragma once

#include "lib/check/CaseResult.h"

#include <functional>
#include <optional>
#include <string>

namespace proa::check {

struct CheckOptions {
  int threads = 1;
  std::string cacheDirectory = "off";
  /// The reference evaluator runs the program instead of compiled code. Cases that it can't run are skipped.
  bool reference = false;
  /// With `reference`: everything is decomposed before the feeds' dims are known.
  bool dynamicDims = false;
  /// Each op of the program is run in parts, as its sharding rule says, by the evaluator.
  bool sharding = false;
  /// Instead of the program itself, so many mutants of it are run by compiled code and by the evaluator.
  int mutants = 0;
  uint64_t seed = 0;
  /// Every op that has a decomposition goes through it.
  bool decompose = false;
  /// Training cases take proa's gradients of their forward part instead of those of their gradient ops.
  bool deriveGradients = false;
  /// See ModelOptions.
  std::string cpu;
  std::optional<int64_t> memoryBudget;
  int64_t microBatches = 1;
  /// With it, outputs are compared by compareLowPrecision.
  std::optional<AmpOptions> amp;
  /// Called with the warnings about each program that is imported.
  std::function<void(const Diagnostic &)> onDiagnostic;
  /// Called as each stage begins.
  std::function<void(Stage)> onStage = [](Stage) {};
};

/// Checks the case in `folder` by all rules of its meta.json.
CaseResult checkCase(const std::string &folder, const CheckOptions &options);

} // namespace proa::check
