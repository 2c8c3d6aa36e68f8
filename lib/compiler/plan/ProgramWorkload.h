/// Programs as workloads of the planner.
#pragma once

#include "lib/base/plan/Workload.h"
#include "proa/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace proa {

struct WorkloadOptions {
  std::string name;
  /// Contractions and kept values are of 16 bits, with weights in float32 beside them (mixed precision).
  bool is16Bit = false;
  /// Bytes that the optimizer keeps for each parameter; nothing: as in the program, or as Adam (8) if it
  /// has no optimizer.
  std::optional<double> optimizerBytes;
};

struct ProgramWorkload {
  plan::Workload workload;
  bool isTraining = false; ///< false: gradients were derived, and an optimizer is assumed
  int64_t batch = 1;       ///< examples of the feeds of the program
};

/// The training step of an imported program: layers from repeated ops of the forward region; arithmetic from
/// pd::operationsOf, bytes from kernel groups, kept values from the gradients, recomputation from the minimum
/// cut of pd-rematerialize, splits and collectives from the passes that apply strategies (AxisProbe.h). The
/// module is changed. Errors: from trainingForm.
Result<ProgramWorkload> describeWorkload(mlir::ModuleOp module, const WorkloadOptions &options);

/// The same for a program in files (proa/Model.h). `dims`: of dynamic feeds. `onDiagnostic` gets warnings.
Result<ProgramWorkload>
describeWorkload(const std::string &path, const std::map<std::string, std::vector<int64_t>> &dims,
                 const WorkloadOptions &options,
                 const std::function<void(const Diagnostic &)> &onDiagnostic = nullptr);

} // namespace proa
