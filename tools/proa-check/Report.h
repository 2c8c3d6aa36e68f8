/// Reports of proa-check: a line for each failed case, tables, the last line, and files.
#pragma once

#include "tools/proa-check/Child.h"
#include "tools/proa-check/Discover.h"

#include <string>
#include <vector>

namespace proa::tools {

struct Report {
  std::vector<FoundCase> cases;
  std::vector<Outcome> outcomes; ///< in the order of the cases
  size_t unfinished = 0;         ///< cases that an interruption left out
};

/// "FAIL ops/relu/basic: compare: out: ..." with the first reason; verbose: all reasons and the end of the
/// output.
std::string caseLine(const FoundCase &found, const Outcome &outcome, bool verbose);

/// The first reason of a failure in one line, without numbers: "import: op 'relu' is not known".
std::string reasonOf(const Outcome &outcome);

/// Passed, failed and skipped cases of each group, and the stages that failed.
std::string groupTable(const Report &report);

/// The reasons of all failures without numbers, the most frequent first, each with an example.
std::string reasonTable(const Report &report, size_t rows);

/// "N passed, N failed, N skipped".
std::string lastLine(const Report &report);

std::string toJson(const Report &report);
std::string toJunit(const Report &report);

} // namespace proa::tools
