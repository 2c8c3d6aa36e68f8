/// Cuts the JSON text of a large program into pieces, so that several threads read it, and the parser's index
/// of a text, which is as large as the text, is one of a piece.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proa::legacy::json {

/// Some elements of a list, with the commas between them.
struct Piece {
  std::string_view text;
  size_t count; ///< of those of its elements that are objects or lists
};

/// A long list of a block of the program: its variables or ops.
struct CutList {
  size_t at; ///< of its bracket in the skeleton
  std::vector<Piece> pieces;
};

/// A text whose long lists have been taken out: they are empty in the skeleton.
struct CutText {
  std::string skeleton;
  std::vector<CutList> lists;

  /// The list that begins at a place of the skeleton; null where nothing was taken out of that.
  const CutList *find(const char *place) const;
};

/// A text from its first character on that is no white space.
std::string_view withoutSpace(std::string_view text);

/// Looks at strings and brackets only: whether skeleton and pieces are JSON is found by reading them. Nothing
/// where no list is long, or the brackets do not match.
std::optional<CutText> cutLongLists(std::string_view text);

} // namespace proa::legacy::json
