/// The list of cases that are known to fail: by case, in which modes, and why.
#pragma once

#include "lib/check/CheckCase.h"
#include "tools/proa-check/Report.h"

#include <map>
#include <set>
#include <string>

namespace proa::tools {

/// The mode that options select, as lists of known failures name it: "compiled", "reference", "dynamic-dims",
/// "sharding", "mutants", or what changes compiled code, joined by '+': "decompose",
/// "derive-gradients+recompute".
std::string modeOf(const check::CheckOptions &options);

/// A text file with one case per line: "ops/relu/basic [compiled decompose]  # reason". A name is the end of
/// a case's path. One file serves several modes of proa-check, and a case may fail in some of them only: the
/// brackets list those. In a mode that ends with '?' rounding decides, and so the CPU: the case may also
/// pass. Lines that begin with '#' before the first case are the file's head and are kept.
class KnownFailures {
public:
  /// Errors: the file cannot be read; a line without one name, modes and a reason; an unknown mode; a name
  /// that occurs twice.
  static Result<KnownFailures> read(const std::string &file);

  /// Whether the case in `folder` is known to fail in `mode`.
  bool contains(const std::string &folder, const std::string &mode) const;

  /// Whether the case may pass in `mode` as well.
  bool mayPass(const std::string &folder, const std::string &mode) const;

  /// What to do about a listed case that passes in `mode`: which line or which mode of it to remove.
  std::string removal(const std::string &folder, const std::string &mode, const std::string &file) const;

  /// Adds `mode` to the cases that failed and removes it from those that did not. An entry that remains keeps
  /// its reason, a new one gets the first problem. Cases that were not checked keep their lines.
  void update(const Report &report, const std::string &mode);

  /// The file's text, sorted by names.
  std::string text() const;

private:
  struct Entry {
    std::set<std::string> modes;
    std::string reason;
  };
  using Entries = std::map<std::string, Entry>;

  /// Why a line is not an entry, or "" after adding it.
  std::string add(const std::string &line);
  Entries::const_iterator match(const std::string &folder) const;

  std::string head; ///< the comment lines before the first case
  Entries entries;  ///< by name
};

} // namespace proa::tools
