#include "translator/import/onnx/NodeImporter.h"

#include "translator/import/common/CreateOp.h"
#include "translator/import/onnx/GraphImporter.h"
#include "translator/import/onnx/hooks/Strings.h"

#include "dialects/pd/ir/Guarded.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/reference/Evaluate.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace proa::import {

llvm::StringRef alternativeIn(llvm::StringRef names, llvm::function_ref<bool(llvm::StringRef)> has) {
  for (llvm::StringRef name : llvm::split(names, '|'))
    if (has(name))
      return name;
  return names.split('|').first;
}

/// The parameter of this name and its index.
static std::optional<size_t> indexIn(std::span<const onnx::SchemaParameter> parameters,
                                     llvm::StringRef names) {
  for (llvm::StringRef name : llvm::split(names, '|'))
    for (size_t i = 0; i < parameters.size(); ++i)
      if (llvm::StringRef(parameters[i].name) == name)
        return i;
  return std::nullopt;
}

static std::pair<size_t, size_t> rangeOf(std::span<const onnx::SchemaParameter> parameters,
                                         llvm::StringRef names, size_t count) {
  std::optional<size_t> index = indexIn(parameters, names);
  if (!index || *index >= count)
    return {0, 0};
  bool isVariadic = parameters[*index].option == onnx::Option::Variadic;
  return {*index, isVariadic ? count : *index + 1};
}

std::pair<size_t, size_t> NodeImporter::inputRange(llvm::StringRef name) const {
  return rangeOf(schema.inputs, name, node.inputs.size());
}

std::pair<size_t, size_t> NodeImporter::outputRange(llvm::StringRef name) const {
  return rangeOf(schema.outputs, name, node.outputs.size());
}

void NodeImporter::askFor(llvm::StringRef names) {
  for (llvm::StringRef name : llvm::split(names, '|'))
    asked.insert(name);
}

bool NodeImporter::isInput(llvm::StringRef name) const { return indexIn(schema.inputs, name).has_value(); }

bool NodeImporter::hasInput(llvm::StringRef name) {
  askFor(name);
  auto [begin, end] = inputRange(name);
  return begin < end && !node.inputs[begin].empty();
}

Value NodeImporter::value(llvm::StringRef name) {
  askFor(name);
  for (llvm::StringRef alternative : llvm::split(name, '|'))
    if (auto overridden = overriddenInputs.find(alternative); overridden != overriddenInputs.end())
      return overridden->second;
  auto [begin, end] = inputRange(name);
  return begin < end && !node.inputs[begin].empty() ? graph.lookup(node.inputs[begin]) : Value();
}

Value NodeImporter::input(llvm::StringRef name) {
  Value found = value(name);
  if (!found || isa<RankedTensorType>(found.getType()))
    return found;
  report("input '" + name + "' is a sequence, expected a tensor");
  stop();
}

Value NodeImporter::requiredInput(llvm::StringRef name) {
  if (Value found = input(name))
    return found;
  report("input '" + name + "' is missing");
  stop();
}

NodeImporter::Values NodeImporter::values(llvm::StringRef name) {
  askFor(name);
  auto [begin, end] = inputRange(name);
  Values values;
  for (size_t i = begin; i < end; ++i)
    values.push_back(node.inputs[i].empty() ? Value() : graph.lookup(node.inputs[i]));
  return values;
}

NodeImporter::Values NodeImporter::inputs(llvm::StringRef name) {
  Values tensors = values(name);
  if (llvm::all_of(tensors, [](Value value) { return !value || !pd::isArray(value); }))
    return tensors;
  report("input '" + name + "' has a sequence, expected tensors");
  stop();
}

Value NodeImporter::array(llvm::StringRef name) {
  Value found = value(name);
  if (found && pd::isArray(found))
    return found;
  report("input '" + name + "' is " + (found ? "a tensor" : "missing") + ", expected a sequence");
  stop();
}

std::optional<Tensor> NodeImporter::known(llvm::StringRef name) {
  Value found = input(name);
  if (!found)
    return std::nullopt;
  if (std::optional<Tensor> tensor = graph.knownTensor(found))
    return tensor;
  reportOpen("input '" + name + "' is computed by the model, expected a constant");
  return std::nullopt;
}

onnx::AttributeValue NodeImporter::attributeValue(llvm::StringRef names) {
  askFor(names);
  for (llvm::StringRef name : llvm::split(names, '|')) {
    if (const onnx::Attribute *given = node.attribute(std::string_view(name)))
      return given->value;
    if (const onnx::SchemaAttribute *declared = schema.attribute(std::string_view(name)))
      return declared->defaultValue();
  }
  return {};
}

bool NodeImporter::hasAttribute(llvm::StringRef names) {
  askFor(names);
  return hasInput(names) || llvm::any_of(llvm::split(names, '|'), [&](llvm::StringRef name) {
           return node.attribute(std::string_view(name)) != nullptr;
         });
}

int64_t NodeImporter::intAttribute(llvm::StringRef name, int64_t otherwise) {
  if (isInput(name)) {
    std::optional<Tensor> tensor = known(name);
    return tensor && tensor->size() == 1 ? pd::loadScalar(*tensor, 0).integer : otherwise;
  }
  onnx::AttributeValue value = attributeValue(name);
  const auto *scalar = std::get_if<int64_t>(&value);
  return scalar ? *scalar : otherwise;
}

double NodeImporter::floatAttribute(llvm::StringRef name, double otherwise) {
  llvm::SmallVector<double> list = floatsAttribute(name);
  return list.size() == 1 ? list[0] : otherwise;
}

std::string NodeImporter::stringAttribute(llvm::StringRef name, llvm::StringRef otherwise) {
  onnx::AttributeValue value = attributeValue(name);
  const auto *text = std::get_if<std::string>(&value);
  return text ? *text : otherwise.str();
}

std::vector<std::string> NodeImporter::stringsAttribute(llvm::StringRef name) {
  onnx::AttributeValue value = attributeValue(name);
  const auto *list = std::get_if<std::vector<std::string>>(&value);
  return list ? *list : std::vector<std::string>();
}

std::optional<llvm::SmallVector<int64_t>> NodeImporter::optionalInts(llvm::StringRef name) {
  if (isInput(name)) {
    std::optional<Tensor> tensor = known(name);
    if (!tensor) {
      if (hasInput(name))
        stop();
      return std::nullopt;
    }
    llvm::SmallVector<int64_t> list;
    for (int64_t i = 0; i < tensor->size(); ++i)
      list.push_back(pd::loadScalar(*tensor, i).integer);
    return list;
  }
  onnx::AttributeValue value = attributeValue(name);
  if (const auto *scalar = std::get_if<int64_t>(&value))
    return llvm::SmallVector<int64_t>{*scalar};
  if (const auto *list = std::get_if<std::vector<int64_t>>(&value))
    return llvm::SmallVector<int64_t>(list->begin(), list->end());
  return std::nullopt;
}

llvm::SmallVector<int64_t> NodeImporter::intsAttribute(llvm::StringRef name,
                                                       llvm::ArrayRef<int64_t> otherwise) {
  return optionalInts(name).value_or(llvm::SmallVector<int64_t>(otherwise));
}

llvm::SmallVector<double> NodeImporter::floatsAttribute(llvm::StringRef name,
                                                        llvm::ArrayRef<double> otherwise) {
  if (isInput(name)) {
    std::optional<Tensor> tensor = known(name);
    if (!tensor) {
      if (hasInput(name))
        stop();
      return llvm::SmallVector<double>(otherwise);
    }
    llvm::SmallVector<double> list;
    for (int64_t i = 0; i < tensor->size(); ++i)
      list.push_back(pd::loadScalar(*tensor, i).real());
    return list;
  }
  onnx::AttributeValue value = attributeValue(name);
  if (const auto *scalar = std::get_if<float>(&value))
    return {*scalar};
  if (const auto *list = std::get_if<std::vector<float>>(&value))
    return llvm::SmallVector<double>(list->begin(), list->end());
  return llvm::SmallVector<double>(otherwise);
}

Type NodeImporter::typeAttribute(llvm::StringRef name, std::optional<onnx::DataType> otherwise) {
  onnx::AttributeValue value = attributeValue(name);
  const auto *scalar = std::get_if<int64_t>(&value);
  if ((!scalar || *scalar == 0) && !otherwise)
    return {};
  auto type = scalar && *scalar != 0 ? static_cast<onnx::DataType>(*scalar) : *otherwise;
  if (auto dtype = onnx::storageOf(type))
    return pd::elementTypeOf(builder.getContext(), *dtype);
  report("attribute '" + name + "' is " + std::to_string(scalar ? *scalar : 0) +
         (type == onnx::DataType::String ? ", strings, which proa does not compute with"
                                         : ", which is not the number of an element type"));
  return {};
}

const onnx::TensorValue *NodeImporter::tensorAttribute(llvm::StringRef name) {
  askFor(name);
  const onnx::Attribute *given = node.attribute(std::string_view(name));
  const auto *list = given ? std::get_if<std::vector<onnx::TensorValue>>(&given->value) : nullptr;
  return list && list->size() == 1 ? &list->front() : nullptr;
}

const onnx::Graph *NodeImporter::graphAttribute(llvm::StringRef name) {
  askFor(name);
  const onnx::Attribute *given = node.attribute(std::string_view(name));
  return given && given->graphs().size() == 1 ? &given->graphs().front() : nullptr;
}

bool NodeImporter::needsOutput(llvm::StringRef name) const {
  auto [begin, end] = outputRange(name);
  return begin < end && !node.outputs[begin].empty() && graph.isNeeded(node.outputs[begin]);
}

void NodeImporter::setOutput(llvm::StringRef name, Value value) {
  if (value && needsOutput(name))
    graph.define(node.outputs[outputRange(name).first], value);
}

void NodeImporter::setOutputs(llvm::StringRef name, llvm::ArrayRef<Value> values) {
  auto [begin, end] = outputRange(name);
  for (size_t i = begin; i < end && i - begin < values.size(); ++i)
    if (values[i - begin])
      graph.define(node.outputs[i], values[i - begin]);
}

pd::TensorBuilder &NodeImporter::tensors() {
  if (!tensorBuilder) {
    OpBuilder detached(builder.getContext());
    anchor = UnrealizedConversionCastOp::create(detached, location, TypeRange(), ValueRange()).getOperation();
    tensorBuilder.emplace(builder, *anchor);
  }
  return *tensorBuilder;
}

pd::Expression NodeImporter::operand(llvm::StringRef name) { return wrap(requiredInput(name)); }

pd::Expression NodeImporter::integers(llvm::ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, builder.getI64Type());
  return create<pd::ConstantOp>(type, DenseElementsAttr::get(type, values));
}

pd::Expression NodeImporter::numbers(llvm::ArrayRef<double> values, Type element) {
  Tensor tensor(*pd::dtypeOf(element), {static_cast<int64_t>(values.size())});
  for (auto [i, value] : llvm::enumerate(values))
    pd::storeScalar(tensor, static_cast<int64_t>(i), pd::HostScalar::of(value));
  return wrap(constant(tensor));
}

Value NodeImporter::constant(const Tensor &tensor) {
  auto elements = pd::attributeFromTensor(builder.getContext(), tensor);
  return pd::ConstantOp::create(builder, location, elements.getType(), elements);
}

NodeImporter::Values NodeImporter::createByName(llvm::StringRef name, llvm::ArrayRef<Values> operands,
                                                llvm::ArrayRef<NamedAttribute> attributes) {
  Operation *created = import::createOp(builder, location, name, operands, attributes);
  if (!created) {
    graph.reportRefused(mayDependOnFeeds(operands));
    return {};
  }
  return Values(created->getResults());
}

void NodeImporter::report(const llvm::Twine &message) { graph.report(message); }

void NodeImporter::reportOpen(const llvm::Twine &message) { graph.report(message, true); }

void NodeImporter::stop() { throw pd::InferenceError(); }

Attribute NodeImporter::convert(const MappedAttribute &attribute) {
  llvm::StringRef name = attribute.sourceName;
  switch (attribute.kind) {
  case AttributeKind::Bool:
    return builder.getBoolAttr(intAttribute(name) != 0);
  case AttributeKind::Int:
    return builder.getI64IntegerAttr(intAttribute(name));
  case AttributeKind::Float:
    return builder.getF64FloatAttr(floatAttribute(name));
  case AttributeKind::String:
    return builder.getStringAttr(stringAttribute(name));
  case AttributeKind::Type:
    if (Type type = typeAttribute(name))
      return TypeAttr::get(type);
    return {};
  case AttributeKind::Ints:
    return builder.getDenseI64ArrayAttr(intsAttribute(name));
  case AttributeKind::Floats:
    return builder.getDenseF64ArrayAttr(floatsAttribute(name));
  case AttributeKind::Strings: {
    std::vector<std::string> strings = stringsAttribute(name);
    return builder.getStrArrayAttr(llvm::SmallVector<llvm::StringRef>(strings.begin(), strings.end()));
  }
  }
  return {};
}

void NodeImporter::importByTable() {
  llvm::SmallVector<Values> operands;
  for (const MappedSlot &slot : entry.inputs) {
    Values group = slot.arity == Arity::Variadic ? inputs(slot.spelling) : Values{input(slot.spelling)};
    llvm::erase(group, Value());
    if (group.empty() && slot.arity == Arity::Required) {
      report("input '" + slot.spelling + "' is missing");
      stop();
    }
    operands.push_back(std::move(group));
  }
  llvm::SmallVector<NamedAttribute> attributes = added;
  auto isAdded = [&](llvm::StringRef name) {
    return llvm::any_of(added, [&](NamedAttribute attribute) { return attribute.getName() == name; });
  };
  for (const MappedAttribute &attribute : entry.attributes) {
    if (isAdded(attribute.name)) {
      askFor(attribute.sourceName);
      continue;
    }
    bool isGiven = isInput(attribute.sourceName)
                       ? hasInput(attribute.sourceName)
                       : !std::holds_alternative<std::monostate>(attributeValue(attribute.sourceName));
    if (Attribute value = isGiven ? convert(attribute) : Attribute())
      attributes.push_back(named(attribute.name, value));
    else if (attribute.required && !graph.hasReported())
      report("attribute '" + attribute.sourceName + "' is missing");
  }
  for (const OnnxSet &set : entry.set)
    if (!isAdded(set.name))
      attributes.push_back(named(set.name, set.value(builder)));
  if (graph.hasReported())
    return;
  Operation *created = import::createOp(builder, location, entry.target, operands, attributes);
  if (!created)
    return graph.reportRefused(mayDependOnFeeds(operands));
  defineResults(created);
}

void NodeImporter::defineResults(Operation *created) {
  size_t next = 0;
  for (const MappedSlot &slot : entry.outputs) {
    size_t count = slot.arity == Arity::Required ? 1 : created->getNumResults() - (entry.outputs.size() - 1);
    if (!slot.spelling.empty())
      slot.arity == Arity::Required
          ? setOutput(slot.spelling, created->getResult(next))
          : setOutputs(slot.spelling, Values(created->getResults().slice(next, count)));
    next += count;
  }
}

/// The value as text, as the field `ignored` has it; nothing for a list or a graph.
static std::optional<std::string> textOf(const onnx::AttributeValue &value) {
  if (const auto *scalar = std::get_if<int64_t>(&value))
    return std::to_string(*scalar);
  if (const auto *text = std::get_if<std::string>(&value))
    return *text;
  return std::nullopt;
}

static bool isNeutral(const onnx::AttributeValue &value, llvm::StringRef neutral) {
  double expected = 0;
  if (const auto *scalar = std::get_if<float>(&value))
    return !neutral.getAsDouble(expected) && *scalar == static_cast<float>(expected);
  std::optional<std::string> text = textOf(value);
  return text && neutral == *text;
}

void NodeImporter::reportIgnored() {
  for (const OnnxIgnored &ignored : entry.ignored) {
    asked.insert(ignored.name);
    const onnx::Attribute *given = node.attribute(std::string_view(ignored.name));
    if (given && ignored.neutral != "any" && !isNeutral(given->value, ignored.neutral))
      report("attribute '" + ignored.name + "' has a value that is not supported, expected " +
             ignored.neutral);
  }
}

void NodeImporter::reportUnread() {
  for (const onnx::Attribute &given : node.attributes) {
    const onnx::SchemaAttribute *declared = schema.attribute(given.name);
    if (!asked.contains(given.name) && !(declared && given.value == declared->defaultValue()))
      report("attribute '" + llvm::Twine(given.name) + "' is not known to the import of this op");
  }
  for (size_t i = 0; i < node.inputs.size() && !schema.inputs.empty(); ++i) {
    const onnx::SchemaParameter &parameter = schema.inputs[std::min(i, schema.inputs.size() - 1)];
    if (!node.inputs[i].empty() && !asked.contains(std::string_view(parameter.name)))
      return report("input '" + llvm::Twine(llvm::StringRef(parameter.name)) +
                    "' is not known to the import of this op");
  }
}

void NodeImporter::run() {
  LogicalResult built = pd::guarded([&]() -> LogicalResult {
    reportIgnored();
    auto import = [&] { entry.hook ? entry.hook(*this) : importByTable(); };
    if (entry.strings != StringUse::Moved || !importMovedStrings(*this, schema, import))
      import();
    return success();
  });
  if (failed(built)) {
    // It is not known which op failed.
    Values values;
    for (const std::string &name : node.inputs)
      if (Value value = graph.find(name))
        values.push_back(value);
    graph.reportRefused(mayDependOnFeeds({values}));
  }
  if (!graph.hasReported())
    reportUnread();
}

} // namespace proa::import
