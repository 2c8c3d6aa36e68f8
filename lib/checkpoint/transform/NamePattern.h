/// Patterns of tensor names: text with placeholders, as `layers.$LAYER_ID.experts.$EXPERT_ID.w`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proa::transform {

/// A component of a name that a pattern leaves open. Names before ids, so that a longer keyword is first.
enum class Placeholder : uint8_t {
  LayerIdOffset, ///< `$LAYER_ID_OFFSET`: digits; on the right of `->` they are one less
  ExpertId,      ///< `$EXPERT_ID`: digits
  LayerId,       ///< `$LAYER_ID`: digits
  Name,          ///< `$NAME`: any text
  Star,          ///< `*`: digits; the names are a list
};
inline constexpr size_t placeholderCount = 5;

/// The text of the placeholder: "$LAYER_ID".
std::string_view keywordOf(Placeholder placeholder);

/// The text at each placeholder of a name.
using PlaceholderValues = std::array<std::string, placeholderCount>;

/// The order of expansions: by indices, and by the expert before the layer.
bool isBefore(const PlaceholderValues &a, const PlaceholderValues &b);

/// Whether a name may have placeholders, without a pattern.
inline bool hasPlaceholder(std::string_view name) {
  return name.find_first_of("$*") != std::string_view::npos;
}

class NamePattern {
public:
  explicit NamePattern(std::string_view text);

  bool has(Placeholder placeholder) const;
  /// The placeholders, as a set of bits.
  unsigned placeholders() const { return bits; }
  /// A keyword after `$` that is not known, or "".
  const std::string &unknownKeyword() const { return unknown; }
  /// The text before the first placeholder.
  std::string literalPrefix() const;
  /// The values with which the pattern is `name`; a placeholder that occurs twice has one value.
  std::optional<PlaceholderValues> match(std::string_view name) const;
  /// The name of these values.
  std::string substitute(const PlaceholderValues &values) const;

private:
  /// Literal text, or a placeholder.
  struct Segment {
    std::string text;
    std::optional<Placeholder> placeholder;
  };
  bool matchFrom(size_t segment, std::string_view rest, PlaceholderValues &values) const;

  std::vector<Segment> segments;
  unsigned bits = 0;
  std::string unknown;
};

} // namespace proa::transform
