/// Training programs on the stages of a pipeline.
#pragma once

#include "passes/pipeline/Passes.h"
#include "proa/Model.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace proa {

/// Whether the strategy has stages of a pipeline (ppN), or the module a schedule (dist.schedule).
bool isPipelined(mlir::ModuleOp module, const MeshOptions &mesh);

/// Puts the stages that ops of an imported program are given into their locations
/// (dialects/dist/StageMark.h): the stages of attributes, and the stages between the cuts of the strategy.
/// Without stages it removes the attributes. Errors: a cut after the last op, an attribute that contradicts
/// the cuts.
Result<void> markStages(mlir::ModuleOp module, const MeshOptions *mesh);

/// Marks the backward region of an imported training program, before it is divided into micro-batches.
/// Chooses the number of micro-batches, if it has no value: from the strategy or the schedule; otherwise the
/// largest one up to twice the number of stages that divides the batch, so that its shards of data
/// parallelism are equal. Error: the program has no gradients.
Result<void> preparePipeline(mlir::ModuleOp module, const MeshOptions &mesh,
                             std::optional<int64_t> &microBatches);

/// Of the pass that divides the program into stages.
PipelineStagesOptions pipelineOptionsOf(const MeshOptions &mesh);

} // namespace proa
