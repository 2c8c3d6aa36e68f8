#include "translator/legacy/JsonTemplates.h"

namespace proa::legacy::json {
namespace {

/// Whether a character of a string is what the string holds, whatever stands around it.
bool isPlain(char c) { return c >= ' ' && c < '\x7f' && c != '\\'; }

} // namespace

TextTemplate::TextTemplate(std::string_view text, std::span<const StringPlace> strings) {
  size_t end = 0;
  for (const StringPlace &string : strings) {
    between.emplace_back(text.substr(end, string.begin - end));
    end = string.end;
  }
  between.emplace_back(text.substr(end));
}

size_t TextTemplate::match(std::string_view text, std::vector<std::string_view> &strings) const {
  strings.clear();
  size_t at = 0;
  for (const std::string &literal : between) {
    if (&literal != &between.front()) {
      size_t begin = at;
      while (at < text.size() && text[at] != '"')
        if (!isPlain(text[at++]))
          return 0;
      strings.push_back(text.substr(begin, at - begin));
    }
    if (text.compare(at, literal.size(), literal) != 0)
      return 0;
    at += literal.size();
  }
  return at;
}

size_t lengthOfObject(std::string_view text) {
  size_t depth = 0;
  bool isInString = false;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (isInString) {
      at += c == '\\';
      isInString = c != '"';
    } else if (c == '"') {
      isInString = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return at + 1;
    }
    if (depth == 0)
      return 0;
  }
  return 0;
}

} // namespace proa::legacy::json
