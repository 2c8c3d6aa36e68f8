#include "lib/checkpoint/transform/Macro.h"
#include "lib/checkpoint/transform/NamePattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace proa::transform {
namespace {

constexpr unsigned bitOf(Placeholder placeholder) { return 1u << static_cast<unsigned>(placeholder); }
constexpr unsigned idBits =
    bitOf(Placeholder::ExpertId) | bitOf(Placeholder::LayerId) | bitOf(Placeholder::Name);

/// Calls `visit` with each term and whether it is a target.
template <class S, class Visitor> void forEachTerm(S &statement, Visitor visit) {
  for (auto &term : statement.sources)
    visit(term, false);
  for (auto &term : statement.targets)
    visit(term, true);
}

unsigned placeholdersOf(const Statement &statement) {
  unsigned bits = 0;
  forEachTerm(statement, [&](const Term &term, bool) {
    if (hasPlaceholder(term.name))
      bits |= NamePattern(term.name).placeholders();
  });
  return bits;
}

/// The first name on the side of the inputs that has one of the placeholders `bits`, or null.
const Term *patternOf(const Statement &statement, const MacroContext &context, unsigned bits) {
  for (const Term &term : context.inputTerms(statement))
    if (NamePattern(term.name).placeholders() & bits)
      return &term;
  return nullptr;
}

/// An error if the name and the pattern do not have the same placeholders.
std::string checkPlaceholders(const Statement &statement, const Term &pattern, unsigned bits) {
  unsigned expected = NamePattern(pattern.name).placeholders() & bits;
  std::string error;
  forEachTerm(statement, [&](const Term &term, bool) {
    unsigned difference = (NamePattern(term.name).placeholders() & bits) ^ expected;
    if (term.name == noTensor || !difference || !error.empty())
      return;
    for (unsigned i = 0; i < placeholderCount; ++i)
      if (difference & (1u << i))
        error = fmt::format(
            "`{}` and `{}` have different placeholders: only one has `{}`, expected it in all names "
            "of the statement",
            pattern.name, term.name, keywordOf(static_cast<Placeholder>(i)));
  });
  return error;
}

/// The values with which a pattern matches names of inputs.
std::vector<PlaceholderValues> matchesOf(const NamePattern &pattern, const MacroContext &context) {
  std::vector<PlaceholderValues> matches;
  // Names with the literal text before the first placeholder are together in the set.
  std::string prefix = pattern.literalPrefix();
  for (auto at = context.inputNames.lower_bound(prefix);
       at != context.inputNames.end() && at->starts_with(prefix); ++at) {
    if (pattern.has(Placeholder::Name) && context.usedNames.contains(*at))
      continue;
    if (std::optional<PlaceholderValues> values = pattern.match(*at))
      matches.push_back(std::move(*values));
  }
  std::ranges::sort(matches, isBefore);
  return matches;
}

/// The distinct values of the placeholders `bits` with which a term matches names of inputs; others stay as
/// keywords for their macro.
std::vector<PlaceholderValues> valuesOf(const Term &term, const MacroContext &context, unsigned bits) {
  std::string first = term.range ? fmt::format("{}_{}", term.name, term.range->first) : term.name;
  std::vector<PlaceholderValues> matches = matchesOf(NamePattern(first), context);
  for (PlaceholderValues &values : matches)
    for (unsigned i = 0; i < placeholderCount; ++i)
      if (!(bits & (1u << i)))
        values[i] = keywordOf(static_cast<Placeholder>(i));
  std::ranges::sort(matches, isBefore);
  matches.erase(std::ranges::unique(matches).begin(), matches.end());
  return matches;
}

/// The statement with the values in all names. With `$LAYER_ID_OFFSET` sources and targets differ by one.
Expansion substituteAll(const Statement &statement, const std::vector<PlaceholderValues> &matches,
                        bool hasOffset, bool isInverse) {
  constexpr auto offset = static_cast<size_t>(Placeholder::LayerIdOffset);
  Expansion expansion;
  for (const PlaceholderValues &values : matches) {
    PlaceholderValues others = values;
    if (hasOffset) {
      int64_t layer = 0;
      std::from_chars(values[offset].data(), values[offset].data() + values[offset].size(), layer);
      layer += isInverse ? 1 : -1;
      if (layer < 0)
        return expansionError(
            "layer 0 would become layer -1, expected layers from 1 on for `$LAYER_ID_OFFSET`");
      others[offset] = std::to_string(layer);
    }
    Statement next = statement;
    forEachTerm(next, [&](Term &term, bool isTarget) {
      term.name = NamePattern(term.name).substitute(isTarget == isInverse ? values : others);
    });
    expansion.statements.push_back(std::move(next));
  }
  return expansion;
}

/// A statement for each value of the placeholders `bits` in names of inputs.
std::optional<Expansion> expandPlaceholders(const Statement &statement, const MacroContext &context,
                                            unsigned bits) {
  unsigned used = placeholdersOf(statement) & bits;
  if (!used)
    return std::nullopt;
  const Term *pattern = patternOf(statement, context, bits);
  if (!pattern)
    return expansionError("no name on the side of the inputs has a placeholder, expected one there");
  if (std::string error = checkPlaceholders(statement, *pattern, bits); !error.empty())
    return expansionError(error);
  bool hasOffset = used & bitOf(Placeholder::LayerIdOffset);
  Expansion expansion =
      substituteAll(statement, valuesOf(*pattern, context, used), hasOffset, context.isInverse);
  if (expansion.statements.empty() && expansion.error.empty())
    expansion.warning = fmt::format("no tensor has a name `{}`; the statement has no effect", pattern->name);
  return expansion;
}

std::optional<Expansion> expandOffset(const Statement &statement, const MacroContext &context) {
  return expandPlaceholders(statement, context, bitOf(Placeholder::LayerIdOffset));
}

std::optional<Expansion> expandIds(const Statement &statement, const MacroContext &context) {
  return expandPlaceholders(statement, context, idBits);
}

std::optional<Expansion> expandRanges(const Statement &statement, const MacroContext &) {
  bool hasRange = false;
  forEachTerm(statement, [&](const Term &term, bool) { hasRange |= term.range.has_value(); });
  if (!hasRange)
    return std::nullopt;
  constexpr int64_t mostNames = 1 << 20;
  Statement next = statement;
  next.sources.clear();
  next.targets.clear();
  bool isTooLong = false;
  forEachTerm(statement, [&](const Term &term, bool isTarget) {
    auto &terms = isTarget ? next.targets : next.sources;
    if (!term.range)
      return terms.push_back(term);
    isTooLong |= term.range->second - term.range->first > mostNames;
    for (int64_t i = term.range->first; i < term.range->second && !isTooLong; ++i)
      terms.push_back({fmt::format("{}_{}", term.name, i), term.isTransposed});
  });
  if (isTooLong)
    return expansionError(fmt::format("a range has more than {} names", mostNames));
  return Expansion{{std::move(next)}};
}

/// The names that a term with `*` is, by index; false if they are not known or there are none.
bool expandStar(const Term &term, const MacroContext &context, bool isInput, std::vector<Term> &terms,
                std::string &error) {
  std::vector<PlaceholderValues> matches;
  NamePattern pattern(term.name);
  if (isInput) {
    matches = matchesOf(pattern, context);
  } else if (context.outputs) {
    for (const auto &[name, info] : *context.outputs)
      if (std::optional<PlaceholderValues> values = pattern.match(name))
        matches.push_back(std::move(*values));
    std::ranges::sort(matches, isBefore);
  } else {
    error = fmt::format(
        "`{}` needs the names of the result, which are not known; list them, as in `name[0:4]`", term.name);
    return false;
  }
  if (matches.empty()) {
    error = fmt::format("no tensor of the {} has a name `{}`", isInput ? "input" : "result", term.name);
    return false;
  }
  for (const PlaceholderValues &values : matches)
    terms.push_back({pattern.substitute(values), term.isTransposed});
  return true;
}

std::optional<Expansion> expandStars(const Statement &statement, const MacroContext &context) {
  if (!(placeholdersOf(statement) & bitOf(Placeholder::Star)))
    return std::nullopt;
  Statement next = statement;
  next.sources.clear();
  next.targets.clear();
  std::string error;
  forEachTerm(statement, [&](const Term &term, bool isTarget) {
    auto &terms = isTarget ? next.targets : next.sources;
    if (!NamePattern(term.name).has(Placeholder::Star))
      terms.push_back(term);
    else if (error.empty())
      expandStar(term, context, isTarget == context.isInverse, terms, error);
  });
  if (!error.empty())
    return expansionError(error);
  return Expansion{{std::move(next)}};
}

constexpr Macro namesInOrder[] = {
    {"$LAYER_ID_OFFSET", expandOffset},
    {"$LAYER_ID, $EXPERT_ID, $NAME", expandIds},
    {"[begin:end]", expandRanges},
    {"*", expandStars},
};

} // namespace

std::span<const Macro> nameMacros() { return namesInOrder; }

} // namespace proa::transform
