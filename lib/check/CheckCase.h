/// Check of a case folder: runs the program and compares its outputs with the expected ones.
#pragma once

#include "lib/check/CaseResult.h"
#include "lib/check/OnnxRunner.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace proa::check {

struct CheckOptions {
  int threads = 1;
  std::string cacheDirectory = "off";
  /// Runs the program by the reference evaluator instead of compiled code. Skips cases that it cannot run.
  bool reference = false;
  /// With `reference`: decomposes all ops with dynamic dims.
  bool dynamicDims = false;
  /// Runs each op in shards by its sharding rule, with the evaluator.
  bool sharding = false;
  /// Number of mutants of the program to run by compiled code and by the evaluator, instead of the program.
  int mutants = 0;
  uint64_t seed = 0;
  /// Tolerances that replace the tolerances of cases.
  std::optional<double> rtol, atol;
  /// Runs programs as ONNX models in this process instead. Skips training cases.
  std::shared_ptr<const OnnxRunner> onnxRunner;
  int64_t opset = 20; ///< of these models
  /// Decomposes all composite ops.
  bool decompose = false;
  /// Derives the gradients of training cases from the forward ops, instead of running their gradient ops.
  bool deriveGradients = false;
  /// See ModelOptions.
  std::string cpu;
  bool optimizesCode = true;     ///< before the runs
  bool allowsTf32 = false;       ///< ModelOptions::allowsTf32
  bool allowsAtomicSums = false; ///< ModelOptions::allowsAtomicSums
  std::string target;
  Specialization specialization = Specialization::Background;
  std::optional<int64_t> memoryBudget;
  int64_t microBatches = 1;
  /// Outputs are then compared by compareLowPrecision.
  std::optional<AmpOptions> amp;
  /// The mesh to run on; empty: one device.
  std::optional<MeshOptions> mesh;
  /// Where states are between their uses; empty: in memory.
  std::optional<OffloadOptions> offload;
  /// Called with the warnings about each imported program.
  std::function<void(const Diagnostic &)> onDiagnostic;
  /// Called when a stage begins.
  std::function<void(Stage)> onStage = [](Stage) {};
};

/// Checks the case in `folder` (CaseFolder.h) by all rules of its description.
CaseResult checkCase(const std::string &folder, const CheckOptions &options);

} // namespace proa::check
