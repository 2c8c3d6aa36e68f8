#include "tools/proa-lsp-server/Complete.h"

#include "tools/proa-lsp-server/Documentation.h"
#include "tools/proa-lsp-server/Text.h"

#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Regex.h"

namespace json = llvm::json;

namespace proa::lsp {
namespace {

/// Kinds of items of the protocol.
enum ItemKind { Function = 3, Property = 10, EnumMember = 20, Value = 12 };

/// Items that replace `prefix`, which ends at the position.
class Items {
public:
  Items(llvm::StringRef text, const llvm::lsp::Position &position, llvm::StringRef prefix)
      : prefix(prefix), end(position), begin(positionOf(text, offsetOf(text, position) - prefix.size())) {}

  /// Adds an item, with copies of the texts, if its text has the prefix. They are shown in the order of
  /// calls.
  void add(ItemKind kind, llvm::StringRef label, llvm::StringRef newText, llvm::StringRef detail,
           llvm::StringRef markdown = "") {
    if (!newText.starts_with(prefix))
      return;
    json::Object item{
        {"label", label.str()},
        {"kind", static_cast<int>(kind)},
        {"detail", detail.str()},
        {"filterText", newText.str()},
        {"sortText", llvm::formatv("{0,0+4}", items.size()).str()},
        {"textEdit", json::Object{{"range", json::Object{{"start", toJSON(begin)}, {"end", toJSON(end)}}},
                                  {"newText", newText.str()}}}};
    if (!markdown.empty())
      item["documentation"] = json::Object{{"kind", "markdown"}, {"value", markdown.str()}};
    items.push_back(std::move(item));
  }

  json::Value take() { return json::Object{{"isIncomplete", false}, {"items", std::move(items)}}; }

private:
  llvm::StringRef prefix;
  llvm::lsp::Position end, begin;
  json::Array items;
};

json::Value completeOps(mlir::MLIRContext &context, llvm::StringRef prefix, Items items) {
  bool isGeneric = prefix.starts_with("\"");
  std::vector<llvm::StringRef> names;
  for (mlir::RegisteredOperationName op : context.getRegisteredOperations())
    names.push_back(op.getStringRef());
  llvm::sort(names);
  for (llvm::StringRef name : names) {
    const OpDocumentation *op = documentationOf(name);
    items.add(Function, name, isGeneric ? "\"" + name.str() + "\"" : name.str(), op ? op->summary : "",
              op ? op->section : "");
  }
  return items.take();
}

/// Whether `attributes`, such as "a = 1, b = 2", name one.
bool isNamed(llvm::StringRef attributes, llvm::StringRef name) {
  return llvm::Regex(("(^|[^A-Za-z0-9_])" + name + "[ \t\n]*=").str()).match(attributes);
}

void addNames(const OpDocumentation &op, const AttributeLocation &location, Items &items) {
  for (const AttributeDocumentation &attribute : op.attributes) {
    // Before the braces there are enums only.
    bool fits = location.isDictionary || !attribute.keywords.empty();
    if (fits && !isNamed(location.others, attribute.name))
      items.add(Property, attribute.name, attribute.name.str() + " = ", attribute.detail());
  }
}

void addValues(const AttributeDocumentation &attribute, const AttributeLocation &location, Items &items) {
  for (llvm::StringRef keyword : attribute.keywordList()) {
    std::string text =
        location.isDictionary ? ("#pd<" + attribute.mnemonic + " " + keyword + ">").str() : keyword.str();
    items.add(EnumMember, keyword, text, keyword == attribute.defaultValue ? "default" : attribute.type);
  }
  if (!attribute.keywords.empty())
    return;
  if (attribute.type.starts_with("bool"))
    for (llvm::StringRef value : {"false", "true"})
      items.add(Value, value, value, value == attribute.defaultValue ? "default" : attribute.type);
  else if (llvm::Regex("^-?[0-9.e+-]+$").match(attribute.defaultValue))
    items.add(Value, attribute.defaultValue, attribute.defaultValue, attribute.detail());
}

} // namespace

std::optional<json::Value> complete(mlir::MLIRContext &context, llvm::StringRef text,
                                    const llvm::lsp::Position &position) {
  size_t offset = offsetOf(text, position);
  if (auto prefix = opPrefix(lineBefore(text, offset)))
    return completeOps(context, *prefix, Items(text, position, *prefix));
  auto location = attributeLocation(text, offset);
  const OpDocumentation *op = location ? documentationOf(location->op) : nullptr;
  if (!op)
    return std::nullopt;
  Items items(text, position, location->prefix);
  if (location->name.empty())
    addNames(*op, *location, items);
  for (const AttributeDocumentation &attribute : op->attributes)
    if (attribute.name == location->name)
      addValues(attribute, *location, items);
  return items.take();
}

} // namespace proa::lsp
