/// Coverage of legacy ops by the translator, the CPU back end and the transforms.
#pragma once

#include "proa/Result.h"

#include <map>
#include <string>
#include <vector>

namespace proa::tools {

/// One legacy op type.
struct OpCoverage {
  std::string legacy;
  /// The pd op that it is imported as; empty if it is not imported.
  std::string op;
  /// "compiled", "library", "decomposition" or "none".
  std::string cpu = "none";
  /// On a CUDA device: "generated" (a kernel), "library", both, "decomposition", "host" or "none".
  std::string cuda = "none";
  /// Whether the op has a decomposition.
  bool isDecomposed = false;
  /// Reverse mode: "rule", "decomposition" or "none".
  std::string gradient = "none";
  /// Whether a composite also has a rule.
  bool isOverridden = false;
  /// Forward mode: "linear", "diagonal", "reverse" (by the reverse-mode rule), "decomposition", "rule" or
  /// "none".
  std::string forward = "none";
  /// Whether the op is linear, so that its reverse-mode rule is its transposition.
  bool isTransposed = false;
  /// "rule", "elementwise", "decomposition", "unbatched" or "none".
  std::string batching = "none";
  /// The source of its sharding rule (dialects/pd/sharding/ShardingRule.h).
  std::string sharding = "none";
  /// The reference evaluator: "yes", "decomposition" or "none".
  std::string evaluator = "none";
  /// The op of ONNX that an export writes; "decomposition", "formula" or "none".
  std::string onnx = "none";
  /// Element types as text.
  std::string elements;
  /// Number of test cases whose programs use the op.
  int64_t cases = 0;
};

/// Number of cases below a directory that use each op type, from the histograms in their meta.json files.
Result<std::map<std::string, int64_t>> countCases(const std::string &directory);

/// A row for each legacy op of the translator's table, and for each op type of `cases` that it lacks, sorted.
/// Gradient ops have no rows: the row of the forward op covers them.
std::vector<OpCoverage> coverageOfOps(const std::map<std::string, int64_t> &cases);

/// The rows as a Markdown table with a summary, as plain columns, and as JSON.
std::string coverageMarkdown(const std::vector<OpCoverage> &rows);
std::string coverageTable(const std::vector<OpCoverage> &rows);
std::string coverageJson(const std::vector<OpCoverage> &rows);

} // namespace proa::tools
