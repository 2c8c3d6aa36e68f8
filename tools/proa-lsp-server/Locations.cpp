#include "tools/proa-lsp-server/Locations.h"

#include "tools/proa-lsp-server/Text.h"

#include "mlir/IR/BuiltinAttributes.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

namespace json = llvm::json;

namespace proa::lsp {
namespace {

/// The URI of an existing file.
std::optional<llvm::lsp::URIForFile> findFile(llvm::StringRef name, const Folders &folders) {
  llvm::SmallString<128> path(name);
  for (size_t i = 0; !llvm::sys::fs::is_regular_file(path); ++i) {
    if (llvm::sys::path::is_absolute(name) || i == folders.size())
      return std::nullopt;
    path = folders[i];
    llvm::sys::path::append(path, name);
  }
  llvm::sys::fs::make_absolute(path);
  llvm::Expected<llvm::lsp::URIForFile> uri = llvm::lsp::URIForFile::fromFile(path);
  if (uri)
    return *uri;
  llvm::consumeError(uri.takeError());
  return std::nullopt;
}

/// The text of `line` from loc( to its closing parenthesis that contains `offset`.
llvm::StringRef locationAround(llvm::StringRef line, size_t offset) {
  for (size_t begin = line.find("loc("); begin != llvm::StringRef::npos;
       begin = line.find("loc(", begin + 1)) {
    int depth = 0;
    bool isString = false;
    for (size_t i = begin; i < line.size(); ++i) {
      isString ^= line[i] == '"';
      depth += !isString && line[i] == '(';
      if (!isString && line[i] == ')' && --depth == 0) {
        if (begin <= offset && offset <= i)
          return line.slice(begin, i + 1);
        break;
      }
    }
  }
  return "";
}

} // namespace

std::string linkOf(mlir::Location location, llvm::StringRef document, const Folders &folders) {
  std::string text;
  location->walk([&](mlir::Location member) {
    auto line = mlir::dyn_cast<mlir::FileLineColLoc>(member);
    if (!line || line.getFilename().getValue() == document)
      return mlir::WalkResult::advance();
    text = (line.getFilename().getValue() + ":" + llvm::Twine(line.getLine())).str();
    if (auto uri = findFile(line.getFilename(), folders))
      text = "[" + text + "](" + uri->uri().str() + "#L" + std::to_string(line.getLine()) + ")";
    return mlir::WalkResult::interrupt();
  });
  return text;
}

std::optional<json::Value> definitionOf(llvm::StringRef text, const llvm::lsp::Position &position,
                                        const Folders &folders) {
  static const llvm::Regex fileLine("\"([^\"]+)\":([0-9]+)(:([0-9]+))?");
  size_t offset = offsetOf(text, position);
  size_t begin = offset - lineBefore(text, offset).size();
  llvm::StringRef line = text.slice(begin, text.find('\n', begin));
  llvm::StringRef rest = locationAround(line, offset - begin);
  // The line at the position, or else the first one of the location.
  std::optional<json::Value> first;
  llvm::SmallVector<llvm::StringRef> groups;
  while (fileLine.match(rest, &groups)) {
    int lineNumber = 0, column = 0;
    groups[2].getAsInteger(10, lineNumber);
    groups[4].getAsInteger(10, column);
    bool isHere = groups[0].begin() <= text.begin() + offset && text.begin() + offset <= groups[0].end();
    auto uri = findFile(groups[1], folders);
    llvm::lsp::Position target(std::max(lineNumber - 1, 0), std::max(column - 1, 0));
    if (uri && (isHere || !first))
      first = json::Array{
          json::Object{{"uri", uri->uri().str()}, {"range", llvm::lsp::toJSON(llvm::lsp::Range(target))}}};
    if (uri && isHere)
      break;
    rest = rest.drop_front(groups[0].end() - rest.begin());
  }
  return first;
}

} // namespace proa::lsp
