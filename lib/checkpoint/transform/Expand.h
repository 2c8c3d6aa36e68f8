/// Expansion of a list of statements by macros, with the history of each result for error messages.
#pragma once

#include "lib/checkpoint/transform/Macro.h"
#include "lib/checkpoint/transform/Operation.h"

namespace proa::transform {

/// A statement of the user, or one that a macro created.
struct ExpandedStatement {
  Statement statement;
  /// Index of the statement that was expanded; -1 for a statement of the user.
  int64_t parent = -1;
  std::string_view macro = {};
};

struct ExpandedProgram {
  std::vector<ExpandedStatement> statements;
  /// In the order in which they apply; inverted and in reverse order for an inverse.
  std::vector<Operation> operations;

  /// An error or warning about a statement: `message`, then the statements of which it is an expansion.
  Diagnostic diagnosticAt(Diagnostic::Severity severity, size_t statement, const std::string &message) const;
};

/// Expands all macros. Errors, all at once: errors in macros and attributes, and operations without an
/// inverse. Warnings, as of a pattern without matches, are added to `warnings`.
Result<ExpandedProgram> expand(const std::vector<Statement> &statements, const TensorInfos &inputs,
                               const TensorInfos *outputs, bool isInverse, Diagnostics &warnings);

} // namespace proa::transform
