/// Files of facts (`--target-facts`): JSON with the facts that differ from the known ones.
///
///   {"cpu": {"memory_bandwidth": 41000}, "gpu": {"name": "sm_90a", "multiprocessors": 114}}
///
/// A section with a name is only valid for programs that are compiled for that processor. A section "cluster"
/// is for the planner (lib/base/plan/Cluster.h).
#pragma once

#include "lib/base/target/TargetFacts.h"
#include "proa/Result.h"

#include <nlohmann/json_fwd.hpp>

namespace proa {

/// The largest value of a fact: a product of one and a small number fits 64 bits.
inline constexpr int64_t largestFact = 1'000'000'000'000;

/// Replaces facts by the facts of the file. Errors, each with its JSON path: an unknown section or field, a
/// value of another type or out of the field's range, a section for another processor, facts of a GPU for a
/// program without one.
Result<void> applyFactsFile(const std::string &path, TargetFacts &facts);
/// The same of the content of a file; `path` begins the locations of errors.
Result<void> applyFacts(const nlohmann::json &root, const std::string &path, TargetFacts &facts);

/// The content of a file with all facts.
nlohmann::ordered_json factsJson(const TargetFacts &facts);
std::string factsText(const TargetFacts &facts);

} // namespace proa
