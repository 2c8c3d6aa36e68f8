#include "translator/legacy/JsonPieces.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace proa::legacy::json {
namespace {

constexpr size_t blockSize = 64;
/// A piece and its index stay in a core's cache.
constexpr size_t pieceSize = size_t(1) << 17;
/// A list of so many bytes is worth several threads.
constexpr size_t longList = 4 * pieceSize;
/// The lists of a block of the program stand in an object in a list in the root object.
constexpr std::string_view wayToList = "{[{[";
constexpr int64_t listDepth = wayToList.size();

/// Where a block has which characters: a bit for each byte.
struct Characters {
  uint64_t quotes = 0, backslashes = 0, opening = 0, closing = 0;
};

#ifdef __SSE2__
Characters charactersOf(const char *block) {
  Characters found;
  for (size_t i = 0; i < blockSize; i += sizeof(__m128i)) {
    __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(block + i));
    __m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20)); // '[' becomes '{', and ']' '}'
    auto bits = [&](__m128i in, char c) {
      return uint64_t(uint32_t(_mm_movemask_epi8(_mm_cmpeq_epi8(in, _mm_set1_epi8(c))))) << i;
    };
    found.quotes |= bits(bytes, '"');
    found.backslashes |= bits(bytes, '\\');
    found.opening |= bits(lower, '{');
    found.closing |= bits(lower, '}');
  }
  return found;
}
#else
Characters charactersOf(const char *block) {
  Characters found;
  for (size_t i = 0; i < blockSize; ++i) {
    uint64_t bit = uint64_t(1) << i;
    found.quotes |= block[i] == '"' ? bit : 0;
    found.backslashes |= block[i] == '\\' ? bit : 0;
    found.opening |= (block[i] | 0x20) == '{' ? bit : 0;
    found.closing |= (block[i] | 0x20) == '}' ? bit : 0;
  }
  return found;
}
#endif

/// Finds the brackets that stand in no string, block by block.
class BracketFinder {
public:
  struct Brackets {
    uint64_t opening, closing;
  };

  Brackets next(const char *block) {
    Characters found = charactersOf(block);
    uint64_t inString = parities(found.quotes & ~escaped(found.backslashes)) ^ isInString;
    isInString = inString >> (blockSize - 1) ? ~uint64_t(0) : 0;
    return {found.opening & ~inString, found.closing & ~inString};
  }
  bool endsInString() const { return isInString != 0; }

private:
  /// The characters behind a backslash that is not itself behind one.
  uint64_t escaped(uint64_t backslashes) {
    uint64_t found = std::exchange(firstIsEscaped, false) ? 1 : 0;
    backslashes &= ~found;
    while (backslashes != 0) {
      int at = std::countr_zero(backslashes);
      if (at == blockSize - 1) {
        firstIsEscaped = true;
        break;
      }
      found |= uint64_t(2) << at;
      backslashes &= ~(uint64_t(3) << at);
    }
    return found;
  }

  /// Bit i: whether an odd number of the bits 0 to i is set.
  static uint64_t parities(uint64_t bits) {
    for (int shift = 1; shift < 64; shift *= 2)
      bits ^= bits << shift;
    return bits;
  }

  uint64_t isInString = 0; ///< all bits, or none
  bool firstIsEscaped = false;
};

class Cutter {
public:
  explicit Cutter(std::string_view text) : text(text) {}

  std::optional<CutText> run() {
    BracketFinder finder;
    std::array<char, blockSize> last{};
    for (size_t at = 0; at < text.size(); at += blockSize) {
      const char *block = text.data() + at;
      if (text.size() - at < blockSize) {
        std::copy(block, text.data() + text.size(), last.data());
        block = last.data();
      }
      auto [opening, closing] = finder.next(block);
      for (uint64_t both = opening | closing; both != 0; both &= both - 1) {
        int i = std::countr_zero(both);
        if (opening >> i & 1)
          open(at + i);
        else if (!close(at + i))
          return std::nullopt;
      }
    }
    if (depth != 0 || finder.endsInString() || out.lists.empty())
      return std::nullopt;
    out.skeleton += text.substr(copied);
    return std::move(out);
  }

private:
  void open(size_t at) {
    if (depth < listDepth)
      isOnWay[depth + 1] = isOnWay[depth] && text[at] == wayToList[depth];
    if (++depth != listDepth || !isOnWay[listDepth])
      return;
    list = {};
    listBegin = pieceBegin = elementsEnd = at + 1;
    count = 0;
  }

  bool close(size_t at) {
    if (--depth < 0)
      return false;
    if (depth == listDepth && isOnWay[listDepth])
      endElement(at + 1);
    return depth != listDepth - 1 || !isOnWay[listDepth] || endList(at);
  }

  void endElement(size_t end) {
    ++count;
    elementsEnd = end;
    if (end - pieceBegin >= pieceSize)
      endPiece();
  }

  void endPiece() {
    list.pieces.push_back({text.substr(pieceBegin, elementsEnd - pieceBegin), count});
    pieceBegin = elementsEnd;
    count = 0;
  }

  bool endList(size_t end) {
    isOnWay[listDepth] = false;
    if (end - listBegin < longList)
      return true; // stays in the skeleton
    if (count != 0)
      endPiece();
    if (!withoutSpace(text.substr(elementsEnd, end - elementsEnd)).empty())
      return false;
    // Between two pieces stands a comma.
    for (size_t i = 1; i < list.pieces.size(); ++i) {
      std::string_view &piece = list.pieces[i].text;
      piece = withoutSpace(piece);
      if (!piece.starts_with(','))
        return false;
      piece.remove_prefix(1);
    }
    out.skeleton += text.substr(copied, listBegin - copied);
    copied = end;
    list.at = out.skeleton.size() - 1;
    out.lists.push_back(std::move(list));
    return true;
  }

  std::string_view text;
  CutText out;
  size_t copied = 0; ///< how much of the text is in the skeleton, or was taken out
  int64_t depth = 0;
  /// By depth: whether the brackets that are open there are those of the way to a list.
  std::array<bool, listDepth + 1> isOnWay{true};
  // The list that is open.
  CutList list;
  size_t listBegin = 0, pieceBegin = 0, elementsEnd = 0, count = 0;
};

} // namespace

std::string_view withoutSpace(std::string_view text) {
  size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

const CutList *CutText::find(const char *place) const {
  for (const CutList &list : lists)
    if (skeleton.data() + list.at == place)
      return &list;
  return nullptr;
}

std::optional<CutText> cutLongLists(std::string_view text) {
  return text.size() < longList ? std::nullopt : Cutter(text).run();
}

} // namespace proa::legacy::json
