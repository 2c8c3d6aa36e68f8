#include "translator/legacy/ReadProgram.h"

#include "lib/base/support/Files.h"
#include "translator/legacy/ReadBinary.h"
#include "translator/legacy/ReadJson.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa::legacy {
namespace {

/// Whether the text begins with a brace or a bracket. A binary ProgramDesc may do so too: 0x0A is the tag of
/// a block and a line feed, 0x7B is a brace and a length. There, a control character follows, the tag of the
/// block's index.
bool looksLikeJson(std::string_view text) {
  constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF", whiteSpace = " \t\r\n";
  if (text.starts_with(byteOrderMark))
    return true;
  size_t first = text.find_first_not_of(whiteSpace);
  if (first == std::string_view::npos || (text[first] != '{' && text[first] != '['))
    return false;
  size_t next = text.find_first_not_of(whiteSpace, first + 1);
  return next == std::string_view::npos || static_cast<unsigned char>(text[next]) >= ' ';
}

/// Whether the first bytes are text. The binary form has control characters there; UTF-16 has a mark.
bool looksLikeText(std::string_view text) {
  constexpr size_t beginning = 64;
  constexpr std::string_view utf16Marks[] = {"\xFF\xFE", "\xFE\xFF"};
  for (std::string_view mark : utf16Marks)
    if (text.starts_with(mark))
      return true;
  std::string_view first = text.substr(0, beginning);
  return !text.empty() && std::all_of(first.begin(), first.end(), [](char c) {
    return static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\r' || c == '\t';
  });
}

} // namespace

Result<Program> readProgram(const std::string &path) {
  auto file = mapFile(path);
  return file ? readMappedProgram(**file, path) : Result<Program>(file.diagnostics());
}

Result<Program> readMappedProgram(const MappedFile &file, const std::string &name) {
  std::span<const std::byte> bytes = file.bytes();
  std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  return looksLikeJson(text) ? readMappedJson(file, name) : readProgramText(text, name);
}

Result<Program> readProgramText(std::string_view text, const std::string &name) {
  if (looksLikeJson(text))
    return readJsonText(text, name);
  return looksLikeText(text) ? errorAt(name, "this is neither JSON, which would begin with '{', nor a "
                                             "ProgramDesc in the binary form")
                             : readBinaryBytes(std::as_bytes(std::span(text)), name);
}

} // namespace proa::legacy
