//! OpImporter::importByTable: a legacy op becomes a pd op as its table entry says.
#include "translator/import/legacy/FusedAttributes.h"
#include "translator/import/legacy/ProgramImporter.h"

#include "dialects/pd/ir/Pd.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace proa::import {
namespace {

/// One alternative of "A*|B|@c|<D|X@LOD?".
struct Alternative {
  llvm::StringRef name;
  bool isLod = false;
  bool isOptionalLod = false;
  bool isList = false;
  bool isAttribute = false;
  /// An output slot: the value that its variable has before the op.
  bool isOutput = false;
};

llvm::SmallVector<Alternative, 3> alternatives(llvm::StringRef spelling) {
  llvm::SmallVector<Alternative, 3> out;
  while (!spelling.empty()) {
    auto [first, rest] = spelling.split('|');
    Alternative alternative{first};
    alternative.isOptionalLod = alternative.name.consume_back("@LOD?");
    alternative.isLod = alternative.isOptionalLod || alternative.name.consume_back("@LOD");
    alternative.isAttribute = alternative.name.consume_front("@");
    alternative.isOutput = alternative.name.consume_front("<");
    alternative.isList = alternative.name.consume_back("*");
    out.push_back(alternative);
    spelling = rest;
  }
  return out;
}

llvm::SmallVector<Value> operandsFor(OpImporter &importer, const MappedSlot &slot) {
  bool variadic = slot.arity == Arity::Variadic;
  for (const Alternative &alternative : alternatives(slot.spelling)) {
    llvm::SmallVector<Value> values;
    if (alternative.isLod) {
      if (!alternative.isOptionalLod || !importer.lod(alternative.name).empty())
        values = importer.innermostLods(alternative.name);
    } else if (alternative.isAttribute) {
      if (Value value = importer.variableOfAttribute(alternative.name))
        values.push_back(value);
    } else if (alternative.isOutput) {
      if (Value value = importer.valueBefore(alternative.name))
        values.push_back(value);
    } else if (variadic) {
      values = importer.inputs(alternative.name);
    } else if (alternative.isList) {
      values = importer.inputs(alternative.name);
      if (!values.empty())
        values = {importer.stackScalars(values)};
      if (!values.empty() && !values.front())
        return {};
    } else if (Value value = importer.input(alternative.name)) {
      values.push_back(value);
    }
    if (!values.empty())
      return values;
  }
  return {};
}

mlir::Attribute convert(OpImporter &importer, const MappedAttribute &attribute) {
  Builder &builder = importer.getBuilder();
  llvm::StringRef name = attribute.sourceName;
  switch (attribute.kind) {
  case AttributeKind::Bool:
    return builder.getBoolAttr(importer.boolAttribute(name, false));
  case AttributeKind::Int:
    return builder.getI64IntegerAttr(importer.intAttribute(name, 0));
  case AttributeKind::Float:
    return builder.getF64FloatAttr(importer.floatAttribute(name, 0));
  case AttributeKind::String:
    return builder.getStringAttr(importer.stringAttribute(name, ""));
  case AttributeKind::Type:
    if (Type type = importer.typeAttribute(name, -1))
      return TypeAttr::get(type);
    return {};
  case AttributeKind::Ints:
    return builder.getDenseI64ArrayAttr(importer.intsAttribute(name));
  case AttributeKind::Floats:
    return builder.getDenseF64ArrayAttr(importer.floatsAttribute(name));
  case AttributeKind::Strings: {
    llvm::SmallVector<std::string> strings = importer.stringsAttribute(name);
    return builder.getStrArrayAttr(llvm::SmallVector<llvm::StringRef>(strings.begin(), strings.end()));
  }
  }
  return {};
}

/// Every slot and attribute that each entry of the table names.
const llvm::DenseMap<const LegacyOp *, llvm::StringSet<>> &namesByEntry() {
  static const auto names = [] {
    llvm::DenseMap<const LegacyOp *, llvm::StringSet<>> names;
    for (const LegacyOp &entry : legacyOps()) {
      llvm::StringSet<> &known = names[&entry];
      for (const auto *slots : {&entry.inputs, &entry.outputs})
        for (const MappedSlot &slot : *slots)
          for (const Alternative &alternative : alternatives(slot.spelling))
            known.insert(alternative.name);
      for (const MappedAttribute &attribute : entry.attributes)
        known.insert(attribute.sourceName);
      for (const LegacyConstant &constant : entry.constants)
        known.insert(constant.name);
      for (const LegacyIgnored &ignored : entry.ignored)
        known.insert(ignored.name);
      for (llvm::StringRef name : entry.scratch)
        known.insert(name);
    }
    return names;
  }();
  return names;
}

std::string describe(const LegacyConstant &constant) {
  if (constant.kind == ConstantKind::String)
    return ("\"" + constant.text + "\"").str();
  if (constant.kind == ConstantKind::Bool)
    return constant.integer ? "true" : "false";
  return std::to_string(constant.integer);
}

/// Whether an attribute asks for what every op does: is_sparse = false, dense gradients.
bool asksForTheUsual(const legacy::Attribute &attribute) {
  const bool *value = std::get_if<bool>(&attribute.value);
  return attribute.name == "is_sparse" && value && !*value;
}

} // namespace

void OpImporter::reportUnread() {
  const llvm::StringSet<> &known = namesByEntry().find(entry)->second;
  auto isUnread = [&](const auto &item) { return !known.contains(item.name) && !asked.contains(&item); };
  auto refuse = [&](const char *kind, const std::string &name) {
    report(llvm::Twine(kind) + " '" + name + "' is not known to " + entry->name());
  };
  for (const legacy::Slot &slot : op.inputs)
    if (!slot.arguments.empty() && isUnread(slot))
      refuse("input", slot.name);
  for (const legacy::Attribute &attribute : op.attributes)
    if (isUnread(attribute) && !isHintAttribute(attribute.name) && !isFusedAttribute(attribute.name) &&
        !asksForTheUsual(attribute))
      refuse("attribute", attribute.name);
  for (const LegacyConstant &constant : entry->constants)
    if (const legacy::Attribute *given = op.attribute(std::string_view(constant.name));
        given && !entry->hook && !entry->ignores(constant.name) && !constant.isEqual(given->value))
      report("attribute '" + constant.name + "' has a value that is not supported, expected " +
             describe(constant));
  for (const LegacyIgnored &ignored : entry->ignored)
    if (const legacy::Attribute *given =
            ignored.hasNeutral() ? op.attribute(std::string_view(ignored.name)) : nullptr;
        given && !asked.contains(given) && !ignored.isNeutral(given->value))
      report("attribute '" + ignored.name + "' has a value that is not supported, expected " +
             (ignored.neutral.empty() ? "\"\"" : ignored.neutral));
  if (capturedOutputs) // of the forward op in a gradient
    return;
  // Readers of a variable that nothing defines are reported. One that has a value would keep it.
  for (const legacy::Slot &slot : op.outputs) {
    auto isDefined = [&](const std::string &name) { return program.lookup(name) != nullptr; };
    if (!isUnread(slot) || slot.arguments.empty())
      continue;
    dependsOnOutputs = true;
    if (llvm::any_of(slot.arguments, isDefined))
      refuse("output", slot.name);
  }
}

void OpImporter::importByTable() {
  size_t before = program.diagnostics.size();
  if (!entry->hook) // with a hook: after it, when all that it asks for is known
    reportUnread();
  llvm::SmallVector<llvm::SmallVector<Value>> operands;
  for (const MappedSlot &slot : entry->inputs) {
    operands.push_back(operandsFor(*this, slot));
    if (operands.back().empty() && slot.arity == Arity::Required && program.diagnostics.size() == before)
      report("input '" + slot.spelling + "' is missing");
  }
  llvm::SmallVector<NamedAttribute> attributes = addedAttributes;
  for (const MappedAttribute &attribute : entry->attributes) {
    mlir::Attribute value;
    for (auto &[name, replaced] : attributeOverrides)
      if (name == attribute.sourceName)
        value = replaced;
    const legacy::Attribute *given = this->attribute(attribute.sourceName);
    if (!value && given && literal(attribute.sourceName))
      value = convert(*this, attribute);
    if (value)
      attributes.push_back(named(attribute.name, value));
    else if (attribute.required && !given)
      report("attribute '" + attribute.sourceName + "' is missing");
  }
  if (program.diagnostics.size() != before)
    return;
  llvm::SmallVector<Value> results = createByName(entry->target, operands, attributes);
  if (results.empty())
    return;
  size_t next = 0;
  for (const MappedSlot &slot : entry->outputs) {
    size_t count = slot.arity == Arity::Variadic ? results.size() - (entry->outputs.size() - 1) : 1;
    llvm::StringRef spelling = slot.spelling;
    if (spelling.consume_back("@LOD")) {
      for (llvm::StringRef owner : llvm::split(spelling, '|'))
        setOutputLod(owner, results[next]);
    } else if (!spelling.empty())
      setOutputs(spelling, llvm::ArrayRef<Value>(results).slice(next, count));
    next += count;
  }
}

} // namespace proa::import
