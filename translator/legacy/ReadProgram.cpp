#include "translator/legacy/ReadProgram.h"

#include "lib/support/Files.h"
#include "translator/legacy/ReadBinary.h"
#include "translator/legacy/ReadJson.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa::legacy {
namespace {

/// Whether it begins with a brace. A binary ProgramDesc can begin so too, as 0x0A is the tag of a block and a
/// line feed, and 0x7B the length of that block and a brace; but then the tag of the block's index follows, a
/// control character.
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

/// Whether its first bytes are those of a text: the binary form has control characters among them, UTF-16 a
/// mark and zeros.
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

/// Declares the variables of a program of the new IR that are stored with it.
Program withParameters(newir::Model model) {
  Program program;
  Block &block = program.blocks.emplace_back();
  for (const newir::Parameter &parameter : model.parameters) {
    Variable &variable = block.variables.emplace_back();
    variable.name = parameter.name;
    variable.dtype = parameter.value.type.dtype;
    variable.dims = parameter.value.type.dims;
    variable.persistable = parameter.isPersistable;
    variable.isParameter = true;
  }
  program.newIr = std::make_shared<const newir::Model>(std::move(model));
  return program;
}

} // namespace

Result<Program> readProgram(const std::string &path) {
  auto file = mapFile(path);
  if (!file)
    return file.problems();
  std::span<const std::byte> bytes = (*file)->bytes();
  std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  if (looksLikeJson(text) && !newir::isNewIr(text))
    return readMappedJson(**file, path);
  return readProgramText(text, path);
}

Result<Program> readProgramText(std::string_view text, const std::string &name) {
  if (!looksLikeJson(text))
    return looksLikeText(text) ? problem(name, "this is neither JSON, which would begin with '{', nor a "
                                               "ProgramDesc in the binary form")
                               : readBinaryBytes(std::as_bytes(std::span(text)), name);
  if (!newir::isNewIr(text))
    return readJsonText(text, name);
  Result<newir::Model> model = newir::readModel(text, name);
  if (!model)
    return model.problems();
  return withParameters(std::move(*model));
}

} // namespace proa::legacy
