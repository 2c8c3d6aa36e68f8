/// Statements of checkpoint transforms, in the language of Paddle's AOA: `SOURCES -> TARGETS [, ATTRIBUTES]`.
/// docs/checkpoint-transforms.md has the grammar.
#pragma once

#include "proa/Result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proa::transform {

/// The name of no tensor: `a -> _` drops a, `_ -> a` adds it.
inline constexpr std::string_view noTensor = "_";

/// A name on a side of a statement.
struct Term {
  /// Without `^T` and range; may have placeholders and `*`.
  std::string name;
  /// Whether `^T` follows the name.
  bool isTransposed = false;
  /// `name[begin:end]` is short for name_begin, ..., name_(end - 1).
  std::optional<std::pair<int64_t, int64_t>> range = {};
};

/// `key = value`, or a flag.
struct Attribute {
  std::string key;
  /// The number, or the string without quotes; empty for a flag.
  std::string value = {};
  bool isFlag = false;
};

struct Statement {
  std::vector<Term> sources, targets;
  std::vector<Attribute> attributes = {};
  /// "file.aoa:3:1", or "config.json: aoa_statements[2]".
  std::string location = {};

  /// The attribute of this key, or null.
  const Attribute *find(std::string_view key) const;
};

/// The text of a statement; long lists of names are shortened.
std::string textOf(const Statement &statement);

/// Values of `$NAME` on the right of `=`, by name without `$`.
using Variables = std::map<std::string, std::string, std::less<>>;

/// Parses a file of statements, one in each line; a line that ends with `,` or `->` continues, and `#` begins
/// a comment. A JSON object with a list `aoa_statements` is accepted as well. `file` begins the locations.
/// Errors, all at once: unexpected characters and tokens, an undefined variable.
Result<std::vector<Statement>> parseStatements(std::string_view text, const std::string &file,
                                               const Variables &variables = {});

} // namespace proa::transform
