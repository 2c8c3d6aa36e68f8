/// The order of the jobs of a plan whose schedule is searched ("auto").
#pragma once

#include "lib/base/plan/CostModel.h"

#include "lib/base/pipeline/Search.h"

namespace proa::plan {

/// Searches with the times and memory of the plan's stages: a stage may hold the activations that its device
/// has memory for. Error: the memory holds no micro-batch.
Result<pipeline::SearchResult> searchSchedule(const CostModel &model, const Plan &plan);

} // namespace proa::plan
