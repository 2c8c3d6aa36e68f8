/// Memory and time of a distributed program by its own plan.
#pragma once

#include "lib/compiler/plan/RankTime.h"
#include "proa/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace proa {

/// A step of training by the plans of the ranks: the largest of each figure.
struct PlannedStep {
  int64_t arena = 0;           ///< bytes of the values of a run, of the rank with the most memory
  std::vector<int64_t> arenas; ///< the same of each rank that was lowered (Session::arenaBytes: the largest)
  int64_t states = 0; ///< bytes of parameters and states of the optimizer, of the rank with the most memory
  RankTime time;      ///< of the rank that ends last
  bool isOfAllRanks = false;   ///< whether `time` knows how long ranks wait for other stages
  std::vector<RankTime> ranks; ///< the times of the ranks that were lowered
  int64_t total() const { return arena + states; }
};

struct PlannedStepOptions {
  std::optional<int64_t> memoryBudget; ///< of ModelOptions
  bool is16Bit = false;      ///< mixed precision at level O2 in bfloat16, as `proa-run --plan` sets it
  std::string targetFacts;   ///< of ModelOptions
  std::string schedule = {}; ///< of MeshOptions
};

/// Distributes an imported module by a strategy ("dp2,mp2,zero1,acc2"), lowers the programs of up to 8 ranks
/// to kernels and plans their memory, as Model does before code is generated. Times hold for the cluster,
/// which has at least the devices of the strategy. The module is unchanged. Errors: as the passes.
Result<PlannedStep> plannedStep(mlir::ModuleOp module, const std::string &strategy,
                                const plan::Cluster &cluster, const PlannedStepOptions &options = {});

} // namespace proa
