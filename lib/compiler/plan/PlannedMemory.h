/// Memory of a distributed program by its own plan.
#pragma once

#include "proa/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <optional>
#include <string>

namespace proa {

/// Bytes of the device that needs most.
struct PlannedMemory {
  int64_t arena = 0;  ///< of the values of a run: Session::arenaBytes of that rank
  int64_t states = 0; ///< parameters and states of the optimizer
  int64_t total() const { return arena + states; }
};

/// Distributes an imported module by a strategy ("dp2,mp2,zero1,acc2"), lowers the programs of up to 8 ranks
/// to kernels and plans their memory, as Model does before code is generated. `memoryBudget`: of
/// ModelOptions. The module is unchanged. Errors: those of the passes.
Result<PlannedMemory> plannedMemory(mlir::ModuleOp module, const std::string &strategy,
                                    std::optional<int64_t> memoryBudget = std::nullopt);

} // namespace proa
