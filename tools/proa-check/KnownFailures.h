/// Lists of known failures: cases, the modes in which they fail, and reasons.
#pragma once

#include "lib/check/CheckCase.h"
#include "tools/proa-check/Report.h"

#include <map>
#include <set>
#include <string>

namespace proa::tools {

/// The mode of these options in lists of known failures: "compiled", "reference", "dynamic-dims", "sharding",
/// "mutants", "via-onnx", or variants of compiled code joined by '+': "decompose",
/// "derive-gradients+recompute".
std::string modeOf(const check::CheckOptions &options);

/// A text file with one case per line: "ops/relu/basic [compiled decompose]  # reason". The name is the end
/// of a case's path; the brackets list the modes in which it fails. In a mode that ends with '?' the result
/// depends on rounding and so on the CPU: the case may also pass. Lines that begin with '#' before the first
/// case are the head of the file and are kept.
class KnownFailures {
public:
  /// Error: an unreadable file; a line without one name, modes and a reason; an unknown mode; a duplicate
  /// name.
  static Result<KnownFailures> read(const std::string &file);

  /// Whether the case in `folder` is known to fail in `mode`.
  bool contains(const std::string &folder, const std::string &mode) const;

  /// Whether the case may also pass in `mode`.
  bool mayPass(const std::string &folder, const std::string &mode) const;

  /// The advice for a listed case that passes in `mode`: the line, or the mode of it, to remove.
  std::string removal(const std::string &folder, const std::string &mode, const std::string &file) const;

  /// Adds `mode` to the cases that failed and removes it from those that passed. Entries keep their reason; a
  /// new entry gets the first error. Cases that were not checked keep their lines.
  void update(const Report &report, const std::string &mode);

  /// The text of the file, sorted by name.
  std::string text() const;

private:
  struct Entry {
    std::set<std::string> modes;
    std::string reason;
  };
  using Entries = std::map<std::string, Entry>;

  /// Adds a line as an entry; returns the error of the line, or "".
  std::string add(const std::string &line);
  Entries::const_iterator match(const std::string &folder) const;

  std::string head; ///< comment lines before the first case
  Entries entries;  ///< by name
};

} // namespace proa::tools
