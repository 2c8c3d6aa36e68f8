/// Which legacy ops the translator, the CPU back end and the gradients cover.
#pragma once

#include "proa/Result.h"

#include <map>
#include <string>
#include <vector>

namespace proa::tools {

/// One legacy op type.
struct OpCoverage {
  std::string legacy;
  /// The pd op that it becomes; empty where it is not imported.
  std::string op;
  /// "compiled", "library", "decomposition" or "none".
  std::string cpu = "none";
  /// Whether the op has a formula of simpler ops.
  bool isDecomposed = false;
  /// Reverse mode: "rule", "decomposition" or "none".
  std::string gradient = "none";
  /// Whether a composite has a rule all the same.
  bool isOverridden = false;
  /// Forward mode: "linear", "diagonal", "reverse" (by the reverse-mode rule), "decomposition", "rule" or
  /// "none".
  std::string forward = "none";
  /// Whether the op is linear and its reverse-mode rule thereby its transposition.
  bool isTransposed = false;
  /// "rule", "elementwise", "decomposition", "one by one" or "none".
  std::string batching = "none";
  /// Where its sharding rule comes from (dialects/pd/sharding/ShardingRule.h).
  std::string sharding = "none";
  /// The reference evaluator: "yes", "decomposition" or "none".
  std::string evaluator = "none";
  /// Element types in words.
  std::string elements;
  /// Test cases whose programs hold the op.
  int64_t cases = 0;
};

/// How many cases below a directory hold each op type, from the histograms in their meta.json files.
Result<std::map<std::string, int64_t>> countCases(const std::string &directory);

/// A row for each legacy op of the translator's table, and for each op type of `cases` that it does not know,
/// by name. Gradient ops have no rows of their own: they are what their forward op's row says.
std::vector<OpCoverage> coverageOfOps(const std::map<std::string, int64_t> &cases);

/// As a Markdown table with a summary, as plain columns, and as JSON.
std::string coverageMarkdown(const std::vector<OpCoverage> &rows);
std::string coverageTable(const std::vector<OpCoverage> &rows);
std::string coverageJson(const std::vector<OpCoverage> &rows);

} // namespace proa::tools
