/// Macros of statements: each replaces a statement by statements that are nearer to operations on tensors.
#pragma once

#include "lib/checkpoint/transform/Statement.h"
#include "lib/checkpoint/transform/TensorInfo.h"

#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace proa::transform {

/// The statements that replace a statement, or an error.
struct Expansion {
  std::vector<Statement> statements = {};
  std::string error = {};
  std::string warning = {};
};
inline Expansion expansionError(std::string message) { return {{}, std::move(message)}; }

/// The facts that macros use.
struct MacroContext {
  const TensorInfos &inputs;
  /// The tensors of the result, if they are known.
  const TensorInfos *outputs = nullptr;
  /// Statements are used from right to left: inputs are on the right of `->`.
  bool isInverse = false;

  /// Names on the side of the inputs that placeholders and `*` match: inputs and names that a statement
  /// before assigns.
  std::set<std::string, std::less<>> inputNames = {};
  /// Names that `$NAME` does not match, because another statement reads them.
  std::unordered_set<std::string> usedNames = {};
  /// The names that a name is moved to or comes from (`a -> b`, `a -> b, c` and `b, c -> a`).
  std::unordered_map<std::string, std::vector<std::string>> targetsOf = {}, sourcesOf = {};

  const std::vector<Term> &inputTerms(const Statement &statement) const {
    return isInverse ? statement.targets : statement.sources;
  }
  const std::vector<Term> &outputTerms(const Statement &statement) const {
    return isInverse ? statement.sources : statement.targets;
  }
};

/// A macro returns nothing for a statement that it does not concern.
struct Macro {
  std::string_view name;
  std::optional<Expansion> (*expand)(const Statement &statement, const MacroContext &context);
};

/// Macros that change names only, in their order: `$LAYER_ID_OFFSET`; `$LAYER_ID`, `$EXPERT_ID` and `$NAME`;
/// `[begin:end]`; `*`.
std::span<const Macro> nameMacros();
/// Macros that follow when all names are known, in their order: `^T`; `fused_qkv_old`, `fused_ffn`,
/// `fused_qkv`.
std::span<const Macro> layoutMacros();

} // namespace proa::transform
