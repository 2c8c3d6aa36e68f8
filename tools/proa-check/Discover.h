/// Finds the cases to check.
#pragma once

#include "proa/Result.h"

#include <string>
#include <vector>

namespace proa::tools {

/// Which of the cases found are checked.
struct Selection {
  /// Regular expression that must be found in the case's path; empty: all.
  std::string filter;
  /// Only cases all of whose ops are among these; empty: all.
  std::vector<std::string> onlyOps;
  /// Only cases that use one of these; empty: all.
  std::vector<std::string> withOps;
};

struct FoundCase {
  std::string folder;
  std::string group; ///< the first part of the name in meta.json: "ops", "models"
};

/// The folders with a meta.json below each directory (or the directory itself), in order of their names.
/// Problems: a directory that does not exist or holds no case, a filter that is not a regular expression, and
/// a selection of no case at all.
Result<std::vector<FoundCase>> findCases(const std::vector<std::string> &directories,
                                         const Selection &selection);

/// What is wrong with a regular expression, or nothing.
std::string checkExpression(const std::string &expression);

} // namespace proa::tools
