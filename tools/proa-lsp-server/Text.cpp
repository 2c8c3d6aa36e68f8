#include "tools/proa-lsp-server/Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

namespace proa::lsp {
namespace {

bool isNameChar(char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; }

/// The number of UTF-16 units of the UTF-8 sequence that begins with `c`; 0: a continuation.
int unitsOf(char c) {
  auto byte = static_cast<unsigned char>(c);
  return (byte & 0xC0) == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1;
}

/// Whether the end of `line` is in a comment or a string.
bool isCommentOrString(llvm::StringRef line) {
  bool isString = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && isString)
      ++i;
    else if (line[i] == '"')
      isString = !isString;
    else if (!isString && line.substr(i).starts_with("//"))
      return true;
  }
  return isString;
}

/// Whether an op may follow `line`: it is blank, names results, or begins a region or module on the same
/// line.
bool beginsStatement(llvm::StringRef line) {
  static const llvm::Regex results("^[ \t]*%[A-Za-z0-9_$.#:%, -]+=$");
  line = line.rtrim();
  return line.empty() || results.match(line);
}

/// The unmatched opening brace before `offset` on the same lines of the op; npos: none.
size_t openBrace(llvm::StringRef text, size_t offset) {
  constexpr size_t farthest = 4096;
  int depth = 0;
  for (size_t at = offset, end = offset > farthest ? offset - farthest : 0; at > end; --at) {
    char c = text[at - 1];
    if (c == '}')
      ++depth;
    else if (c == '{' && depth-- == 0)
      return at - 1;
  }
  return llvm::StringRef::npos;
}

/// The last op that a statement of `line` begins with.
struct OpOfLine {
  llvm::StringRef name;
  size_t end = 0; ///< the offset after the name
  bool isGeneric = false;
};

std::optional<OpOfLine> opOfLine(llvm::StringRef line) {
  static const llvm::Regex statement(
      "^[ \t]*(%[A-Za-z0-9_$.#:%, -]+=)?[ \t]*(\"?)([A-Za-z_][A-Za-z0-9_$]*\\.[A-Za-z0-9_$.]+)");
  llvm::SmallVector<llvm::StringRef> groups;
  if (!statement.match(line, &groups))
    return std::nullopt;
  return OpOfLine{groups[3], static_cast<size_t>(groups[3].end() - line.begin()), !groups[2].empty()};
}

/// Splits the typed text into the attributes before it, and the name and prefix of the last one.
void splitAttributes(llvm::StringRef typed, bool isDictionary, AttributeLocation &location) {
  size_t begin = isDictionary ? 0 : typed.size() - typed.ltrim().size();
  int depth = 0;
  for (size_t i = 0; isDictionary && i < typed.size(); ++i) {
    depth += llvm::StringRef("[<({").contains(typed[i]);
    depth -= llvm::StringRef("])}").contains(typed[i]) || (typed[i] == '>' && i > 0 && typed[i - 1] != '-');
    if (typed[i] == ',' && depth == 0)
      begin = i + 1;
  }
  location.others = typed.take_front(begin).str();
  llvm::StringRef last = typed.drop_front(begin).ltrim();
  auto [name, value] = last.split('=');
  bool hasValue = last.contains('=');
  location.name = hasValue ? name.trim().str() : "";
  location.prefix = (hasValue ? value : last).ltrim();
}

/// Attributes between the operands and the braces: "pd.pool2d %x data_format = N".
std::optional<AttributeLocation> keywordLocation(llvm::StringRef line) {
  static const llvm::Regex lastWord("([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*([A-Za-z0-9_]*)$");
  static const llvm::Regex name("[%A-Za-z0-9_#)][ \t]+([A-Za-z_][A-Za-z0-9_]*)?$");
  auto op = opOfLine(line);
  if (!op || op->isGeneric || isCommentOrString(line))
    return std::nullopt;
  llvm::StringRef rest = line.drop_front(op->end);
  if (rest.contains('{') || rest.contains(':') || !rest.contains('%'))
    return std::nullopt;
  llvm::SmallVector<llvm::StringRef> groups;
  AttributeLocation location{.op = op->name.str(), .others = rest.str(), .name = {}, .prefix = {}};
  if (lastWord.match(rest, &groups)) {
    location.name = groups[1].str();
    location.prefix = groups[2];
  } else if (name.match(rest, &groups)) {
    location.prefix = groups[1].data() ? groups[1] : rest.take_back(0);
    location.others = rest.drop_back(location.prefix.size()).str();
  } else {
    return std::nullopt;
  }
  return location;
}

} // namespace

size_t offsetOf(llvm::StringRef text, const llvm::lsp::Position &position) {
  size_t offset = 0;
  for (int line = 0; line < position.line; ++line) {
    size_t end = text.find('\n', offset);
    if (end == llvm::StringRef::npos)
      return text.size();
    offset = end + 1;
  }
  for (int unit = 0; offset < text.size() && text[offset] != '\n'; ++offset)
    if (int units = unitsOf(text[offset]); units > 0 && (unit += units) > position.character)
      break;
  return offset;
}

llvm::lsp::Position positionOf(llvm::StringRef text, size_t offset) {
  llvm::StringRef before = text.take_front(offset);
  int units = 0;
  for (char c : lineBefore(text, offset))
    units += unitsOf(c);
  return llvm::lsp::Position(static_cast<int>(before.count('\n')), units);
}

llvm::StringRef lineBefore(llvm::StringRef text, size_t offset) {
  llvm::StringRef before = text.take_front(offset);
  return before.drop_front(before.rfind('\n') + 1);
}

llvm::StringRef opNameAt(llvm::StringRef text, size_t offset) {
  size_t begin = offset, end = offset;
  while (begin > 0 && isNameChar(text[begin - 1]))
    --begin;
  while (end < text.size() && isNameChar(text[end]))
    ++end;
  llvm::StringRef name = text.slice(begin, end);
  llvm::StringRef before = lineBefore(text, begin);
  before.consume_back("\"");
  if (!name.contains('.') || isCommentOrString(before) || !beginsStatement(before))
    return "";
  return name;
}

std::optional<llvm::StringRef> opPrefix(llvm::StringRef line) {
  size_t begin = line.size();
  while (begin > 0 && isNameChar(line[begin - 1]))
    --begin;
  llvm::StringRef before = line.take_front(begin);
  if (before.ends_with("\""))
    before = line.take_front(--begin);
  if (!line.drop_front(begin).contains('.') || isCommentOrString(before) || !beginsStatement(before))
    return std::nullopt;
  return line.drop_front(begin);
}

std::optional<AttributeLocation> attributeLocation(llvm::StringRef text, size_t offset) {
  llvm::StringRef line = lineBefore(text, offset);
  size_t brace = openBrace(text, offset);
  // An op that begins after the brace: this is a region, or the user has not closed it yet.
  if (brace == llvm::StringRef::npos || (text.slice(brace, offset).contains('\n') && opOfLine(line)))
    return keywordLocation(line);
  llvm::StringRef typed = text.slice(brace + 1, offset);
  // A region begins with the end of a line.
  if (typed.ltrim(" \t").starts_with("\n"))
    return keywordLocation(line);
  llvm::StringRef head = lineBefore(text, brace);
  auto op = opOfLine(head);
  if (!op || isCommentOrString(head) || isCommentOrString(typed) || typed.contains(" : "))
    return keywordLocation(line);
  AttributeLocation location{.op = op->name.str(),
                             .isGeneric = op->isGeneric,
                             .isDictionary = true,
                             .others = {},
                             .name = {},
                             .prefix = {}};
  splitAttributes(typed, true, location);
  return location;
}

} // namespace proa::lsp
