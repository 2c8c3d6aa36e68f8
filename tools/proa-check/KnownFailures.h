/// Cases that are known to fail, so that what worked before can be told from what never did.
#pragma once

#include "tools/proa-check/Report.h"

#include <map>
#include <string>

namespace proa::tools {

/// A text file, a case a line: "ops/relu/basic  # reason". Names are ends of the cases' paths; empty lines
/// and lines of comment are left out.
class KnownFailures {
public:
  /// Errors: the file can't be read; a line with more than one name; a name that stands twice.
  static Result<KnownFailures> read(const std::string &file);

  /// Whether the case in `folder` is known to fail.
  bool contains(const std::string &folder) const { return match(folder) != reasons.end(); }

  /// Takes in the outcomes: failed cases are known from now on, passed ones no more; cases that were not
  /// checked stay.
  void update(const Report &report);

  /// The file's text, sorted by names.
  std::string text() const;

private:
  std::map<std::string, std::string>::const_iterator match(const std::string &folder) const;

  std::map<std::string, std::string> reasons; ///< by name
};

} // namespace proa::tools
