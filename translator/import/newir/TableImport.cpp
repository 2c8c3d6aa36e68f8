//! Ops of the new IR that a record of the pd dialect describes.
#include "translator/import/common/DroppedDims.h"
#include "translator/import/newir/ModelImporter.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/ops/shape/View.h"

using namespace mlir;

namespace proa::import {

void ModelImporter::importByTable(const newir::Operation &op, llvm::ArrayRef<NamedAttribute> implied) {
  llvm::StringRef name = op.name;
  const NewIrOp *entry = name.consume_front("1.") ? findNewIrOp(name) : nullptr;
  if (!entry)
    return report("op '" + llvm::Twine(op.name) + "' is not known");
  size_t before = diagnostics.size();
  std::map<llvm::StringRef, Values> operands;
  llvm::SmallVector<NamedAttribute> attributes(implied);
  collectOperands(op, *entry, operands, attributes);
  collectAttributes(op, *entry, attributes);
  for (llvm::StringRef name : entry->set)
    attributes.push_back(builder.getNamedAttr(name, builder.getBoolAttr(true)));
  llvm::SmallVector<Values> groups;
  for (const MappedSlot &slot : entry->recordOperands) {
    groups.push_back(operands[slot.spelling]);
    if (slot.arity == Arity::Required && groups.back().size() != 1 && !isBlocked)
      report("operand '" + llvm::Twine(slot.spelling) + "' has " + llvm::Twine(groups.back().size()) +
             " values, expected one");
  }
  if (diagnostics.size() != before || isBlocked)
    return;
  Operation *created = createOp(builder, location(), entry->target, groups, attributes);
  if (!created) {
    openErrors += mayDependOnFeeds(groups);
    return report(std::exchange(mlirErrors, {}));
  }
  defineResults(op, *entry, created);
}

void ModelImporter::collectOperands(const newir::Operation &op, const NewIrOp &entry,
                                    std::map<llvm::StringRef, Values> &operands,
                                    llvm::SmallVectorImpl<NamedAttribute> &attributes) {
  if (op.inputs.size() > entry.operands.size())
    return report(llvm::Twine(op.inputs.size()) + " operands, expected at most " +
                  llvm::Twine(entry.operands.size()));
  for (auto [id, role] : llvm::zip(op.inputs, entry.operands)) {
    llvm::StringRef outside = role;
    if (id == 0 || outside.consume_front("unused "))
      continue;
    if (outside.consume_front("absent ")) {
      report("operand '" + outside + "' is given, which is not supported");
      continue;
    }
    Values given = operand(id);
    llvm::StringRef name = role;
    if (!name.consume_front("#")) {
      operands[role] = given;
      continue;
    }
    for (const MappedAttribute &attribute : entry.attributes)
      if (attribute.name == name && given.size() == 1)
        if (Attribute value = constantAttribute(attribute, given[0]))
          attributes.push_back(builder.getNamedAttr(name, value));
  }
}

Attribute ModelImporter::constantAttribute(const MappedAttribute &attribute, Value value) {
  llvm::SmallVector<double> values;
  if (auto constant = value.getDefiningOp<pd::ConstantOp>()) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (elements && isa<IntegerType>(elements.getElementType()))
      for (const APInt &scalar : elements.getValues<APInt>())
        values.push_back(static_cast<double>(scalar.getSExtValue()));
  } else if (auto full = value.getDefiningOp<pd::FullOp>();
             full && !full.getValueTensor() && !full.getShapeTensor()) {
    values.push_back(full.getValue().convertToDouble());
  } else if (auto known = pd::allKnownElements(value)) {
    values.assign(known->begin(), known->end());
  } else {
    openErrors += mayDependOnFeeds(llvm::SmallVector<Value>{value});
    report("operand '" + llvm::Twine(attribute.name) + "' is computed by the program, expected a constant");
    return {};
  }
  llvm::SmallVector<int64_t> integers(values.begin(), values.end());
  switch (attribute.kind) {
  case AttributeKind::Ints:
    return builder.getDenseI64ArrayAttr(integers);
  case AttributeKind::Floats:
    return builder.getDenseF64ArrayAttr(values);
  case AttributeKind::Int:
    return values.empty() ? Attribute() : builder.getI64IntegerAttr(integers[0]);
  case AttributeKind::Float:
    return values.empty() ? Attribute() : builder.getF64FloatAttr(values[0]);
  default:
    report("operand '" + llvm::Twine(attribute.name) + "' cannot become an attribute");
    return {};
  }
}

void ModelImporter::collectAttributes(const newir::Operation &op, const NewIrOp &entry,
                                      llvm::SmallVectorImpl<NamedAttribute> &attributes) {
  bool reducesAll = false;
  for (const newir::Attribute &given : op.attributes) {
    auto known =
        llvm::find_if(entry.attributes, [&](const MappedAttribute &a) { return a.sourceName == given.name; });
    if (known != entry.attributes.end()) {
      if (Attribute value = convert(*known, given.value))
        attributes.push_back(builder.getNamedAttr(known->name, value));
    } else if (!isStructuralAttribute(given.name)) {
      reducesAll |= reducesAllAxes(given, entry);
    }
  }
  if (reducesAll)
    llvm::erase_if(attributes, [](NamedAttribute attribute) { return attribute.getName() == "axis"; });
}

bool ModelImporter::reducesAllAxes(const newir::Attribute &given, const NewIrOp &entry) {
  auto known =
      llvm::find_if(entry.ignored, [&](const NewIrIgnored &ignored) { return ignored.name == given.name; });
  if (known == entry.ignored.end()) {
    report("attribute '" + llvm::Twine(given.name) + "' is not known to " + entry.target);
    return false;
  }
  bool namesAxes = known->neutral == NewIrIgnored::allAxes;
  const bool *flag = std::get_if<bool>(&given.value.value);
  if (namesAxes && flag)
    return *flag;
  if (!known->isNeutral(given.value))
    report("attribute '" + llvm::Twine(given.name) + "' has a value that is not supported, expected " +
           (namesAxes                ? "a bool"
            : known->neutral.empty() ? "\"\""
                                     : known->neutral));
  return false;
}

Attribute ModelImporter::convert(const MappedAttribute &attribute, const newir::Literal &literal) {
  auto wrong = [&](const char *expected) {
    report("attribute '" + llvm::Twine(attribute.sourceName) + "' is of kind '" + literal.kind +
           "', expected " + expected);
    return Attribute();
  };
  std::optional<double> value = newir::numberOf(literal);
  const auto *string = std::get_if<std::string>(&literal.value);
  const auto *list = std::get_if<std::vector<newir::Literal>>(&literal.value);
  switch (attribute.kind) {
  case AttributeKind::Bool:
    return value ? builder.getBoolAttr(*value != 0) : wrong("a bool");
  case AttributeKind::Int:
    return value ? builder.getI64IntegerAttr(static_cast<int64_t>(*value)) : wrong("an integer");
  case AttributeKind::Float:
    return value ? builder.getF64FloatAttr(*value) : wrong("a number");
  case AttributeKind::String:
    return string ? builder.getStringAttr(*string) : wrong("a string");
  case AttributeKind::Type:
    // The undefined type means no type.
    return string && !llvm::StringRef(*string).starts_with_insensitive("undefined") ? typeAttribute(*string)
                                                                                    : Attribute();
  case AttributeKind::Ints:
    return list || value ? builder.getDenseI64ArrayAttr(newir::integersOf(literal))
                         : wrong("a list of integers");
  case AttributeKind::Floats: {
    llvm::SmallVector<double> values;
    for (const newir::Literal &element : list ? *list : std::vector<newir::Literal>{literal})
      values.push_back(newir::numberOf(element).value_or(0));
    return builder.getDenseF64ArrayAttr(values);
  }
  case AttributeKind::Strings:
    return wrong("no list of strings");
  }
  return {};
}

void ModelImporter::defineResults(const newir::Operation &op, const NewIrOp &entry, Operation *created) {
  std::map<llvm::StringRef, Values> byName;
  size_t next = 0;
  for (const MappedSlot &result : entry.recordResults) {
    // Without segment sizes, which no op has for its results, ODS allows one result of any number.
    size_t count =
        result.arity == Arity::Required ? 1 : created->getNumResults() - (entry.recordResults.size() - 1);
    Values group(created->getResults().slice(next, count));
    next += count;
    byName[result.spelling] = group;
  }
  size_t count = std::min(op.outputs.size(), entry.results.size());
  for (auto [i, result] : llvm::enumerate(llvm::ArrayRef(entry.results).take_front(count)))
    if (result.empty())
      unused.insert(op.outputs[i].id);
    else
      define(op, i, withDeclaredWidth(op.outputs[i].type, byName[result]));
  dropDims(op);
}

ModelImporter::Values ModelImporter::withDeclaredWidth(const newir::Type &declared, Values values) {
  if (declared.kind != newir::Type::Kind::Tensor || values.size() != 1)
    return values;
  Type found = pd::tensorType(values[0]).getElementType(),
       element = pd::elementTypeOf(&context, declared.dtype);
  // Paddle's inference leaves the float type of an operand where its kernel computes int64 (matrix_rank).
  if (isa<FloatType>(element) && isa<IntegerType>(found))
    element = builder.getI64Type();
  bool isWidth = found != element && isa<IntegerType>(found) && isa<IntegerType>(element) &&
                 !found.isInteger(1) && !element.isInteger(1);
  if (isWidth)
    if (Value wide = castElements(values[0], element))
      values[0] = wide;
  return values;
}

void ModelImporter::dropDims(const newir::Operation &op) {
  const newir::Literal *dropped = op.attribute("decrease_axis");
  if (!dropped || op.outputs.empty() || newir::integersOf(*dropped).empty())
    return;
  Values &value = values[op.outputs[0].id];
  if (value.size() == 1)
    if (std::string reason = whyNotDropped(value[0], newir::integersOf(*dropped)); !reason.empty())
      return report(reason);
  Value squeezed = build([&](pd::TensorBuilder &e) {
    return e.create<pd::SqueezeOp>(value[0], Value(), newir::integersOf(*dropped));
  });
  if (squeezed)
    value = {squeezed};
}

} // namespace proa::import
