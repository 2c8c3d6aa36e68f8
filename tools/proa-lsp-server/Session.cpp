#include "tools/proa-lsp-server/Session.h"

#include "proa/Model.h"
#include "tools/proa-lsp-server/Complete.h"
#include "tools/proa-lsp-server/Hover.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

namespace json = llvm::json;

namespace proa::lsp {
namespace {

std::string idOf(const json::Value &id) { return llvm::formatv("{0}", id).str(); }

/// Adds proa's name and version, and the characters after which editors ask for completion.
void describeServer(json::Value &result) {
  json::Object *answer = result.getAsObject();
  if (!answer)
    return;
  (*answer)["serverInfo"] = json::Object{{"name", "proa-lsp-server"}, {"version", proa::version()}};
  json::Object *capabilities = answer->getObject("capabilities");
  json::Object *completion = capabilities ? capabilities->getObject("completionProvider") : nullptr;
  if (json::Array *characters = completion ? completion->getArray("triggerCharacters") : nullptr)
    for (const char *character : {".", "{", "=", " "})
      if (!llvm::is_contained(*characters, json::Value(character)))
        characters->push_back(character);
}

/// Puts documentation around the text of MLIR's server, which shows the op in its generic form.
void addToHover(const HoverText &hover, json::Value &result) {
  std::string text;
  if (const json::Object *object = result.getAsObject())
    if (const json::Object *contents = object->getObject("contents"))
      text = contents->getString("value").value_or("").str();
  std::string value = hover.summary;
  if (!hover.section.empty())
    value += "\n" + hover.section;
  if (!text.empty())
    value += "\n---\n" + text;
  result = json::Object{{"contents", json::Object{{"kind", "markdown"}, {"value", value}}},
                        {"range", llvm::lsp::toJSON(hover.range)}};
}

std::string pathOf(llvm::StringRef uri) {
  llvm::Expected<llvm::lsp::URIForFile> parsed = llvm::lsp::URIForFile::fromURI(uri);
  if (parsed)
    return parsed->file().str();
  llvm::consumeError(parsed.takeError());
  return "";
}

} // namespace

Folders Session::foldersOf(llvm::StringRef uri) const {
  Folders folders;
  if (std::string path = pathOf(uri); !path.empty())
    folders.push_back(llvm::sys::path::parent_path(path).str());
  if (!root.empty())
    folders.push_back(root);
  return folders;
}

void Session::trackDocument(llvm::StringRef method, const json::Object &params) {
  const json::Object *document = params.getObject("textDocument");
  llvm::StringRef uri = document ? document->getString("uri").value_or("") : "";
  if (method == "textDocument/didOpen")
    documents[uri] = document ? document->getString("text").value_or("").str() : "";
  if (method == "textDocument/didClose")
    documents.erase(uri);
  if (method != "textDocument/didChange")
    return;
  llvm::lsp::DidChangeTextDocumentParams change;
  json::Path::Root path;
  json::Value value = json::Object(params);
  if (llvm::lsp::fromJSON(value, change, path))
    (void)llvm::lsp::TextDocumentContentChangeEvent::applyTo(change.contentChanges, documents[uri]);
}

Session::Amend Session::additionTo(llvm::StringRef method, const json::Object &params) {
  if (method == "initialize") {
    root = params.getString("rootPath").value_or("").str();
    if (auto uri = params.getString("rootUri"))
      root = pathOf(*uri);
    return describeServer;
  }
  if (method != "textDocument/hover" && method != "textDocument/completion" &&
      method != "textDocument/definition")
    return nullptr;
  llvm::lsp::TextDocumentPositionParams at;
  json::Path::Root path;
  json::Value value = json::Object(params);
  if (!llvm::lsp::fromJSON(value, at, path))
    return nullptr;
  llvm::StringRef uri = params.getObject("textDocument")->getString("uri").value_or("");
  auto document = documents.find(uri);
  if (document == documents.end())
    return nullptr;
  const std::string &text = document->second;
  if (method == "textDocument/hover") {
    auto hover = hoverOf(context, text, uri, at.position, foldersOf(uri));
    return hover ? Amend([hover](json::Value &result) { addToHover(*hover, result); }) : nullptr;
  }
  auto answer = method == "textDocument/completion" ? complete(context, text, at.position)
                                                    : definitionOf(text, at.position, foldersOf(uri));
  return answer ? Amend([answer](json::Value &result) { result = *answer; }) : nullptr;
}

void Session::fromClient(const json::Object &message) {
  llvm::StringRef method = message.getString("method").value_or("");
  const json::Object *params = message.getObject("params");
  if (!params)
    return;
  trackDocument(method, *params);
  const json::Value *id = message.get("id");
  Amend addition = id ? additionTo(method, *params) : nullptr;
  if (!addition)
    return;
  std::lock_guard lock(mutex);
  pending[idOf(*id)] = std::move(addition);
}

void Session::fromServer(json::Object &message) {
  json::Value *result = message.get("result");
  const json::Value *id = message.get("id");
  if (!result || !id)
    return;
  Amend addition;
  {
    std::lock_guard lock(mutex);
    auto found = pending.find(idOf(*id));
    if (found == pending.end())
      return;
    addition = std::move(found->second);
    pending.erase(found);
  }
  addition(*result);
}

} // namespace proa::lsp
