/// Discovery of the cases to check.
#pragma once

#include "proa/Result.h"

#include <string>
#include <vector>

namespace proa::tools {

/// Selection among the cases.
struct Selection {
  /// Regular expression to search in the case's path; empty: all cases.
  std::string filter;
  /// Only cases that use no other ops than these; empty: all cases.
  std::vector<std::string> onlyOps;
  /// Only cases that use one of these ops; empty: all cases.
  std::vector<std::string> withOps;
};

struct FoundCase {
  std::string folder;
  std::string group; ///< the first component of the case's name: "ops", "models"
};

/// The case folders in each directory (or the directory itself), sorted. Errors: a directory
/// that does not exist or has no case, an invalid filter, an empty selection.
Result<std::vector<FoundCase>> findCases(const std::vector<std::string> &directories,
                                         const Selection &selection);

/// The error of a regular expression, or "".
std::string checkExpression(const std::string &expression);

} // namespace proa::tools
