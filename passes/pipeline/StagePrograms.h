/// The ops of all jobs of a schedule, on the meshes of their ranks.
#pragma once

#include "dialects/dist/Dist.h"
#include "passes/pipeline/StageAssignment.h"

namespace proa {

/// The mesh of each rank of a pipeline.
struct RankMeshes {
  mlir::FlatSymbolRefAttr whole; ///< the mesh of the program, with the axis of the pipeline
  llvm::SmallVector<mlir::FlatSymbolRefAttr> ranks; ///< without the axis
};

/// Replaces the loop by the jobs of its micro-batches, in the order of turns (pipeline::turnsOf), and moves
/// all other ops, arguments and results of the function to the meshes of ranks. Errors: a value without a
/// sharding.
llvm::LogicalResult writeStagePrograms(mlir::func::FuncOp function, const MicroBatchLoop &loop,
                                       const StageAssignment &assignment, const pipeline::Schedule &schedule,
                                       const RankMeshes &meshes);

} // namespace proa
