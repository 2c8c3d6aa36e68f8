/// Reads JSON values that equal an earlier one but for a few strings. Of the ops and variables of a large
/// program most do: they differ in names alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proa::legacy::json {

/// What stands between the quotes of a string in a text.
struct StringPlace {
  size_t begin, end;
};

/// A text with strings of any content at certain places.
class TextTemplate {
public:
  /// The places are in order and do not overlap.
  TextTemplate(std::string_view text, std::span<const StringPlace> strings);

  /// How long the beginning of `text` is that equals the template; 0: it does not begin so, or has a string
  /// of other than printable ASCII characters, or with escapes, at one of the places. `strings` gets what
  /// stands at them.
  size_t match(std::string_view text, std::vector<std::string_view> &strings) const;

private:
  std::vector<std::string> between; ///< one more than there are strings
};

/// The length of the object that a text begins with, by its brackets alone; 0: it begins with none, or that
/// does not end.
size_t lengthOfObject(std::string_view text);

/// Templates of values, with what was made of the value that each was taken from. Values mostly come in the
/// order in which they came before.
template <class Made> class Templates {
public:
  struct Entry {
    TextTemplate text;
    Made made;
    size_t next = 0; ///< that of the value that came behind one of these
  };

  /// The template that a text begins with, or null. `length` and `strings` get what TextTemplate::match
  /// gives.
  const Entry *find(std::string_view text, size_t &length, std::vector<std::string_view> &strings) {
    size_t expected = last < entries.size() ? entries[last].next : 0;
    for (size_t tried = 0; tried < std::min(entries.size(), mostTried); ++tried) {
      size_t i = (expected + tried) % entries.size();
      length = entries[i].text.match(text, strings);
      if (length != 0)
        return follow(i);
    }
    return nullptr;
  }

  void add(TextTemplate text, Made made) {
    if (entries.size() == mostKept)
      return;
    entries.push_back({std::move(text), std::move(made)});
    follow(entries.size() - 1);
  }

private:
  /// A value that has none of the templates costs as many comparisons as are tried.
  static constexpr size_t mostTried = 32, mostKept = 1024;

  const Entry *follow(size_t i) {
    if (last < entries.size())
      entries[last].next = i;
    last = i;
    return &entries[i];
  }

  std::vector<Entry> entries;
  size_t last = std::numeric_limits<size_t>::max();
};

} // namespace proa::legacy::json
