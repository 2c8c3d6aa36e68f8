/// Time and memory of the stages of a training step, and the search for the best order of their jobs.
#pragma once

#include "lib/base/pipeline/Search.h"
#include "passes/pipeline/StageAssignment.h"

#include "dialects/dist/Dist.h"

#include <optional>

namespace proa {

/// Costs of a device of each stage, by the model of costs: seconds and bytes.
struct StageCosts {
  pipeline::Costs costs;
  /// Bytes of each rank besides activations: arguments, sums of gradients, and the values of its largest op.
  std::vector<double> reserved;
};

/// Activations of a stage are the values of forward ops that its backward ops read. The latency is the time
/// of the largest message between stages.
StageCosts stageCostsOf(mlir::func::FuncOp function, const MicroBatchLoop &loop,
                        const StageAssignment &assignment, const pipeline::Shape &shape);

/// The sharding of a value of the sharded form; null if it has none.
dist::ShardingAttr shardingOf(mlir::Value value);

/// A division of the step into stages, and the best order of their jobs.
struct SearchedSchedule {
  pipeline::SearchResult result;
  StageAssignment assignment;
};

/// Searches with `chunks` chunks for each rank; 0: with one chunk, and with two in V shape, and takes the
/// shorter step. Ops with given stages have a chunk for each `ranks` of them. `memory`: bytes of a device.
/// Errors: as StageAssignment::create; a memory that holds no micro-batch.
llvm::FailureOr<SearchedSchedule> searchStages(mlir::func::FuncOp function, const MicroBatchLoop &loop,
                                               int64_t ranks, int64_t chunks, std::optional<double> memory);

} // namespace proa
