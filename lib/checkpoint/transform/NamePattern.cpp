#include "lib/checkpoint/transform/NamePattern.h"

#include <algorithm>

namespace proa::transform {
namespace {

constexpr std::string_view placeholderKeywords[placeholderCount] = {"$LAYER_ID_OFFSET", "$EXPERT_ID",
                                                                    "$LAYER_ID", "$NAME", "*"};

bool isIdDigit(char c) { return c >= '0' && c <= '9'; }

/// Whether the integer `a` is less than `b`, for digits without a limit of size.
bool isSmaller(std::string_view a, std::string_view b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

} // namespace

std::string_view keywordOf(Placeholder placeholder) {
  return placeholderKeywords[static_cast<size_t>(placeholder)];
}

bool isBefore(const PlaceholderValues &a, const PlaceholderValues &b) {
  for (size_t i = 0; i < placeholderCount; ++i)
    if (a[i] != b[i])
      return static_cast<Placeholder>(i) == Placeholder::Name ? a[i] < b[i] : isSmaller(a[i], b[i]);
  return false;
}

NamePattern::NamePattern(std::string_view text) {
  std::string literal;
  for (size_t at = 0; at < text.size();) {
    size_t found = placeholderCount;
    for (size_t i = placeholderCount; i-- > 0;)
      if (text.substr(at).starts_with(placeholderKeywords[i]))
        found = i;
    if (found == placeholderCount) {
      if (text[at] == '$') {
        size_t end = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", at + 1);
        unknown = text.substr(at, std::min(end, text.size()) - at);
      }
      literal += text[at++];
      continue;
    }
    if (!literal.empty())
      segments.push_back({std::move(literal), {}});
    literal.clear();
    segments.push_back({"", static_cast<Placeholder>(found)});
    bits |= 1u << found;
    at += placeholderKeywords[found].size();
  }
  if (!literal.empty())
    segments.push_back({std::move(literal), {}});
}

bool NamePattern::has(Placeholder placeholder) const {
  return bits & (1u << static_cast<unsigned>(placeholder));
}

std::string NamePattern::literalPrefix() const { return segments.empty() ? "" : segments.front().text; }

bool NamePattern::matchFrom(size_t segment, std::string_view rest, PlaceholderValues &values) const {
  if (segment == segments.size())
    return rest.empty();
  const Segment &current = segments[segment];
  if (!current.placeholder)
    return rest.starts_with(current.text) && matchFrom(segment + 1, rest.substr(current.text.size()), values);
  std::string &value = values[static_cast<size_t>(*current.placeholder)];
  if (!value.empty())
    return rest.starts_with(value) && matchFrom(segment + 1, rest.substr(value.size()), values);
  size_t longest = rest.size();
  if (*current.placeholder != Placeholder::Name)
    longest = static_cast<size_t>(std::ranges::find_if_not(rest, isIdDigit) - rest.begin());
  for (size_t length = longest; length > 0; --length) {
    value = rest.substr(0, length);
    if (matchFrom(segment + 1, rest.substr(length), values))
      return true;
  }
  value.clear();
  return false;
}

std::optional<PlaceholderValues> NamePattern::match(std::string_view name) const {
  PlaceholderValues values;
  if (!matchFrom(0, name, values))
    return std::nullopt;
  return values;
}

std::string NamePattern::substitute(const PlaceholderValues &values) const {
  std::string name;
  for (const Segment &segment : segments)
    name += segment.placeholder ? values[static_cast<size_t>(*segment.placeholder)] : segment.text;
  return name;
}

} // namespace proa::transform
