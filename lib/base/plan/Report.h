/// Plans as text, as JSON and as files.
#pragma once

#include "lib/base/plan/Search.h"

#include "proa/Result.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace proa::plan {

/// One line about the workload and one about the cluster.
std::string describe(const CostModel &model);

/// The table of the best plans with times by term, memory of the fullest device by kind and limits, which of
/// them were lowered, the certificate, and the rejected families.
std::string describe(const CostModel &model, const SearchResult &result);

/// Times and memory of a plan, the bytes that it lacks, and the changes that save memory, by formulas.
std::string explain(const CostModel &model, const Candidate &candidate);

/// The error if no plan fits: how much is missing, and the fewest devices or the memory that suffice.
Diagnostics whyNothingFits(const CostModel &model, const SearchResult &result);

/// A plan with its estimate; what readPlan reads.
nlohmann::ordered_json planJson(const CostModel &model, const Candidate &candidate);
nlohmann::ordered_json resultJson(const CostModel &model, const SearchResult &result);

/// The options that `proa-run --plan` sets.
struct StoredPlan {
  std::string strategy; ///< MeshOptions::strategy
  int64_t devices = 1;
  std::optional<int64_t> memoryBudget; ///< ModelOptions::memoryBudget
  bool offload = false;
  bool is16Bit = false;
  std::string schedule = {}; ///< MeshOptions::schedule, if it was searched
};

/// Searches the order of the jobs of a plan with the schedule "auto".
StoredPlan storedPlanOf(const CostModel &model, const Candidate &candidate);

/// Reads a plan of a file that planJson wrote. Errors, with the JSON path: another form, a strategy that is
/// wrong or has other devices, a plan that cannot be executed.
Result<StoredPlan> readPlan(const std::string &path);
Result<StoredPlan> planOf(const nlohmann::json &root, const std::string &where);

/// The plan of a strategy text ("dp4,mp2,zero1") on the cluster, for explain(). Errors: as the text;
/// it needs another number of devices than the cluster has; the workload does not allow it.
Result<Plan> planOfStrategy(const CostModel &model, const std::string &text);

} // namespace proa::plan
