#include "translator/export/onnx/NodeExporter.h"

#include "translator/export/OpExporter.h"

#include "dialects/pd/ir/Keywords.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/reference/Evaluate.h"

using namespace mlir;

namespace proa::exporter {

using import::MappedAttribute;
using import::MappedSlot;
using import::OnnxOp;

namespace {

/// The value of an attribute in the kind of ONNX; monostate if it has none there.
onnx::AttributeValue converted(Attribute value, onnx::AttributeKind kind) {
  bool isFloat = kind == onnx::AttributeKind::Float || kind == onnx::AttributeKind::Floats;
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    if (isFloat)
      return static_cast<float>(integer.getInt());
    if (kind == onnx::AttributeKind::Ints)
      return std::vector<int64_t>{integer.getInt()};
    return integer.getType().isInteger(1) ? int64_t(integer.getValue().getBoolValue()) : integer.getInt();
  }
  if (auto real = dyn_cast<FloatAttr>(value))
    return static_cast<float>(real.getValueAsDouble());
  if (auto text = dyn_cast<StringAttr>(value))
    return text.str();
  if (std::optional<llvm::StringRef> keyword = pd::keywordOf(value))
    return keyword->str();
  if (auto type = dyn_cast<TypeAttr>(value))
    if (std::optional<DType> dtype = pd::dtypeOf(type.getValue()))
      return static_cast<int64_t>(onnx::dataTypeOf(*dtype));
  if (auto integers = dyn_cast<DenseI64ArrayAttr>(value))
    return std::vector<int64_t>(integers.asArrayRef());
  if (auto reals = dyn_cast<DenseF64ArrayAttr>(value))
    return std::vector<float>(reals.asArrayRef().begin(), reals.asArrayRef().end());
  return {};
}

onnx::AttributeKind kindOf(const onnx::AttributeValue &value) {
  using Kind = onnx::AttributeKind;
  static constexpr Kind kinds[] = {Kind::Undefined, Kind::Float,        Kind::Int,     Kind::String,
                                   Kind::Floats,    Kind::Ints,         Kind::Strings, Kind::Tensor,
                                   Kind::Graph,     Kind::SparseTensor, Kind::Type};
  return kinds[value.index()];
}

llvm::StringRef textOf(std::string_view view) { return {view.data(), view.size()}; }

const onnx::SchemaParameter *findParameter(std::span<const onnx::SchemaParameter> parameters,
                                           llvm::StringRef name) {
  for (const onnx::SchemaParameter &parameter : parameters)
    if (textOf(parameter.name) == name)
      return &parameter;
  return nullptr;
}

/// The alternative of "A|B" that this version of the op has as an input or attribute; empty: none.
llvm::StringRef nameIn(const onnx::Schema &schema, std::span<const onnx::SchemaParameter> parameters,
                       llvm::StringRef names, bool alsoAttributes) {
  llvm::SmallVector<llvm::StringRef> alternatives;
  names.split(alternatives, '|');
  for (llvm::StringRef name : alternatives)
    if (findParameter(parameters, name) || (alsoAttributes && schema.attribute(name.str())))
      return name;
  return "";
}

/// Legacy groups of operands and results work on the slots alone.
import::LegacyOp slotsOf(const OnnxOp &entry) {
  import::LegacyOp slots;
  slots.inputs = entry.inputs;
  slots.outputs = entry.outputs;
  return slots;
}

/// The values that the attributes of an op have by default.
DictionaryAttr defaultsOf(Operation *op) {
  OperationState state(op->getLoc(), op->getName());
  Operation *plain = Operation::create(state);
  NamedAttrList list;
  op->getName().populateInherentAttrs(plain, list);
  DictionaryAttr defaults = list.getDictionary(op->getContext());
  plain->destroy();
  return defaults;
}

/// Whether each attribute that the mapping leaves out has its default.
bool coversAttributes(Operation *op, const OnnxOp &entry) {
  NamedAttrList own;
  op->getName().populateInherentAttrs(op, own);
  DictionaryAttr defaults = defaultsOf(op);
  for (NamedAttribute attribute : own) {
    llvm::StringRef name = attribute.getName();
    bool isMapped =
        llvm::any_of(entry.attributes, [&](const MappedAttribute &mapped) { return mapped.name == name; }) ||
        llvm::any_of(entry.set, [&](const import::OnnxSet &set) { return set.name == name; });
    if (!isMapped && name != "operandSegmentSizes" && name != "resultSegmentSizes" &&
        attribute.getValue() != defaults.get(name))
      return false;
  }
  return true;
}

bool hasSetValues(Operation *op, const OnnxOp &entry) {
  Builder builder(op->getContext());
  return llvm::all_of(entry.set, [&](const import::OnnxSet &set) {
    std::optional<Attribute> own = op->getInherentAttr(set.name);
    if (!own || !*own)
      return false;
    if (std::optional<llvm::StringRef> keyword = pd::keywordOf(*own))
      return *keyword == set.text;
    return *own == set.value(builder);
  });
}

/// Whether the ONNX op has the operands and the results that are used.
bool coversValues(Operation *op, const OnnxOp &entry, const onnx::Schema &schema) {
  import::LegacyOp slots = slotsOf(entry);
  for (auto [slot, group] : llvm::zip(entry.inputs, operandGroups(op, slots))) {
    llvm::StringRef name = nameIn(schema, schema.inputs, slot.spelling, /*alsoAttributes=*/true);
    if (!group.empty() && name.empty())
      return false;
    if (!group.empty() && !findParameter(schema.inputs, name) && !pd::allKnownElements(group.front()))
      return false;
  }
  for (auto [slot, group] : llvm::zip(entry.outputs, resultGroups(op, slots)))
    if (nameIn(schema, schema.outputs, slot.spelling, /*alsoAttributes=*/false).empty() &&
        llvm::any_of(group, [](Value value) { return !value.use_empty(); }))
      return false;
  return llvm::all_of(entry.attributes, [&](const MappedAttribute &attribute) {
    std::optional<Attribute> own = op->getInherentAttr(attribute.name);
    return !own || !*own || !nameIn(schema, schema.inputs, attribute.sourceName, true).empty();
  });
}

/// "tensor(float)".
std::string onnxText(Type element) {
  std::optional<DType> dtype = pd::dtypeOf(element);
  return dtype ? "tensor(" + std::string(onnx::nameOf(onnx::dataTypeOf(*dtype))) + ")" : "";
}

/// Whether a parameter of the schema takes this element type.
bool takes(const onnx::Schema &schema, const onnx::SchemaParameter &parameter, Type element) {
  const onnx::TypeConstraint *constraint = schema.constraint(parameter.type);
  std::string text = onnxText(element);
  return constraint ? constraint->types().contains(text) : parameter.type == text;
}

/// A type that holds the values of another one and that the parameter takes; null if there is none.
Type widerType(const onnx::Schema &schema, const onnx::SchemaParameter &parameter, Type element) {
  MLIRContext *context = element.getContext();
  llvm::SmallVector<DType> candidates;
  if (element.isInteger(1))
    candidates = {DType::UInt8, DType::Int32, DType::Int64, DType::Float32};
  else if (isa<IntegerType>(element))
    candidates = {DType::Int32, DType::Int64, DType::Float64, DType::Float32};
  else if (isa<FloatType>(element))
    candidates = {DType::Float32, DType::Float64};
  for (DType candidate : candidates) {
    Type type = pd::elementTypeOf(context, candidate);
    if (type != element && type.getIntOrFloatBitWidth() >= element.getIntOrFloatBitWidth() &&
        takes(schema, parameter, type))
      return type;
  }
  return Type();
}

} // namespace

std::vector<std::string> NodeExporter::of(ValueRange values) const {
  std::vector<Name> names;
  for (Value value : values)
    names.push_back(of(value));
  return names;
}

std::string NodeExporter::ints(llvm::ArrayRef<int64_t> values) {
  Tensor tensor(DType::Int64, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.as<int64_t>());
  return graph.addConstant(tensor);
}

std::string NodeExporter::numbers(llvm::ArrayRef<double> values, Type element) {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, element);
  llvm::SmallVector<Attribute> elements;
  for (double value : values)
    elements.push_back(isa<FloatType>(element)
                           ? Attribute(FloatAttr::get(element, value))
                           : Attribute(IntegerAttr::get(element, static_cast<int64_t>(value))));
  return graph.addConstant(pd::tensorFromAttribute(DenseElementsAttr::get(type, elements)));
}

std::string NodeExporter::scalar(double value, Type element) {
  auto type = RankedTensorType::get({}, element);
  Attribute attribute = isa<FloatType>(element)
                            ? Attribute(FloatAttr::get(element, value))
                            : Attribute(IntegerAttr::get(element, static_cast<int64_t>(value)));
  return graph.addConstant(pd::tensorFromAttribute(DenseElementsAttr::get(type, attribute)));
}

std::string NodeExporter::node(llvm::StringRef type, std::vector<Name> inputs,
                               std::vector<Named> attributes) {
  return nodes(type, std::move(inputs), std::move(attributes), 1).front();
}

std::vector<std::string> NodeExporter::nodes(llvm::StringRef type, std::vector<Name> inputs,
                                             std::vector<Named> attributes, size_t outputs) {
  onnx::Node out;
  out.type = type.str();
  out.inputs = std::move(inputs);
  const onnx::Schema *schema = onnx::standardSchemaOf(out.type, getOpset());
  if (!schema) {
    report("needs the ONNX op " + type + ", which opset " + llvm::Twine(getOpset()) + " lacks");
    return std::vector<Name>(outputs);
  }
  for (Named &attribute : attributes) {
    if (!schema->attribute(attribute.name.str())) {
      const onnx::SchemaParameter *parameter = findParameter(schema->inputs, attribute.name);
      auto *values = std::get_if<std::vector<int64_t>>(&attribute.value);
      auto *value = std::get_if<int64_t>(&attribute.value);
      if (parameter && (values || value)) {
        size_t index = parameter - schema->inputs.data();
        out.inputs.resize(std::max(out.inputs.size(), index + 1));
        out.inputs[index] = values ? ints(*values) : ints({*value});
        continue;
      }
      report("the ONNX op " + type + " of opset " + llvm::Twine(getOpset()) + " has no attribute '" +
             attribute.name + "'");
      continue;
    }
    onnx::Attribute written;
    written.name = attribute.name.str();
    written.kind = kindOf(attribute.value);
    written.value = std::move(attribute.value);
    out.attributes.push_back(std::move(written));
  }
  while (!out.inputs.empty() && out.inputs.back().empty())
    out.inputs.pop_back();
  for (size_t i = 0; i < outputs; ++i)
    out.outputs.push_back(graph.freshName());
  std::vector<Name> names = out.outputs;
  graph.addNode(std::move(out));
  return names;
}

std::string NodeExporter::cast(Name value, Type element) {
  return node("Cast", {std::move(value)},
              {{"to", static_cast<int64_t>(onnx::dataTypeOf(*pd::dtypeOf(element)))}});
}

std::string NodeExporter::reshape(Name value, llvm::ArrayRef<int64_t> shape) {
  return node("Reshape", {std::move(value), ints(shape)});
}

std::string NodeExporter::unsqueeze(Name value, llvm::ArrayRef<int64_t> axes) {
  return axes.empty() ? value : node("Unsqueeze", {std::move(value), ints(axes)});
}

std::string NodeExporter::squeeze(Name value, llvm::ArrayRef<int64_t> axes) {
  return axes.empty() ? value : node("Squeeze", {std::move(value), ints(axes)});
}

std::vector<std::string> NodeExporter::compute(Formula formula) {
  Operation *before = op->getPrevNode();
  OpBuilder builder(op);
  pd::TensorBuilder tensors(builder, op);
  auto values = pd::guarded([&]() -> FailureOr<llvm::SmallVector<Value>> { return formula(tensors); });
  if (succeeded(values))
    return graph.writeCreated(*op, before, *values);
  report("the types of its ONNX form cannot be inferred");
  return std::vector<Name>(op->getNumResults() + 2);
}

void NodeExporter::exportAs(Formula formula) {
  for (auto [result, name] : llvm::zip(op->getResults(), compute(formula)))
    graph.bind(result, name);
}

bool NodeExporter::widen(llvm::ArrayRef<DType> from, DType to) {
  auto isNarrow = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    std::optional<DType> dtype = type ? pd::dtypeOf(type.getElementType()) : std::nullopt;
    return dtype && llvm::is_contained(from, *dtype);
  };
  if (llvm::none_of(op->getOperands(), isNarrow))
    return false;
  Type wide = pd::elementTypeOf(op->getContext(), to);
  exportAs([&](pd::TensorBuilder &e) {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      if (isNarrow(operand) && !mapping.contains(operand))
        mapping.map(operand, e.create<pd::CastOp>(operand, wide));
    Operation *copy = e.getBuilder().clone(*op, mapping);
    llvm::SmallVector<Value> results;
    for (auto [result, own] : llvm::zip(copy->getResults(), op->getResults())) {
      bool isWidened = isNarrow(own);
      if (isWidened)
        result.setType(mlir::cast<RankedTensorType>(own.getType()).clone(wide));
      results.push_back(isWidened ? e.create<pd::CastOp>(result, pd::tensorType(own).getElementType())
                                  : Value(result));
    }
    return results;
  });
  return true;
}

/// Writes the op in wider types if the schema does not take the types of its operands.
bool NodeExporter::castUnsupported(const onnx::Schema &schema) {
  import::LegacyOp slots = slotsOf(entry);
  for (auto [slot, group] : llvm::zip(entry.inputs, operandGroups(op, slots))) {
    const onnx::SchemaParameter *parameter =
        findParameter(schema.inputs, nameIn(schema, schema.inputs, slot.spelling, false));
    if (!parameter || group.empty() || !isa<RankedTensorType>(group.front().getType()))
      continue;
    Type element = pd::tensorType(group.front()).getElementType();
    if (takes(schema, *parameter, element))
      continue;
    Type wide = widerType(schema, *parameter, element);
    // Logical ops take bools only, and pd any number: whether it is not zero.
    if (Type boolean = IntegerType::get(op->getContext(), 1); !wide && takes(schema, *parameter, boolean))
      wide = boolean;
    if (!wide) {
      report("the ONNX op " + entry.type + " of opset " + llvm::Twine(getOpset()) + " does not take " +
             onnxText(element));
      return true;
    }
    return widen({*pd::dtypeOf(element)}, *pd::dtypeOf(wide));
  }
  return false;
}

void NodeExporter::addOperands(const onnx::Schema &schema, std::vector<Name> &inputs,
                               std::vector<Named> &attributes) {
  import::LegacyOp slots = slotsOf(entry);
  for (auto [slot, group] : llvm::zip(entry.inputs, operandGroups(op, slots))) {
    llvm::StringRef name = nameIn(schema, schema.inputs, slot.spelling, /*alsoAttributes=*/true);
    if (group.empty())
      continue;
    const onnx::SchemaParameter *parameter = findParameter(schema.inputs, name);
    if (!parameter) {
      llvm::SmallVector<int64_t> values = *pd::allKnownElements(group.front());
      attributes.push_back({name, std::vector<int64_t>(values.begin(), values.end())});
      continue;
    }
    size_t index = parameter - schema.inputs.data();
    inputs.resize(std::max(inputs.size(), index + group.size()));
    for (auto [i, value] : llvm::enumerate(group))
      inputs[index + i] = of(value);
  }
}

void NodeExporter::addAttributes(const onnx::Schema &schema, std::vector<Named> &attributes) {
  for (const MappedAttribute &attribute : entry.attributes) {
    std::optional<Attribute> own = op->getInherentAttr(attribute.name);
    if (!own || !*own)
      continue;
    llvm::StringRef name = nameIn(schema, schema.inputs, attribute.sourceName, true);
    const onnx::SchemaAttribute *target = schema.attribute(name.str());
    onnx::AttributeValue value = converted(*own, target ? target->kind : onnx::AttributeKind::Ints);
    if (value.index() == 0)
      report("attribute '" + attribute.name + "' cannot be written as the attribute '" + name + "' of ONNX");
    else
      attributes.push_back({name, std::move(value)});
  }
}

void NodeExporter::exportByTable() {
  const onnx::Schema &schema = *onnx::schemaOf(entry.domain.str(), entry.type.str(), getOpset());
  if (castUnsupported(schema))
    return;
  std::vector<Name> inputs;
  std::vector<Named> attributes;
  addOperands(schema, inputs, attributes);
  addAttributes(schema, attributes);
  import::LegacyOp slots = slotsOf(entry);
  std::vector<std::pair<size_t, Value>> results;
  size_t count = 0;
  for (auto [slot, group] : llvm::zip(entry.outputs, resultGroups(op, slots))) {
    const onnx::SchemaParameter *parameter =
        findParameter(schema.outputs, nameIn(schema, schema.outputs, slot.spelling, false));
    size_t index = parameter ? parameter - schema.outputs.data() : 0;
    for (auto [i, result] : llvm::enumerate(group)) {
      bool isNeeded = parameter && (parameter->option != onnx::Option::Optional || !result.use_empty());
      if (!isNeeded)
        continue;
      results.emplace_back(index + i, result);
      count = std::max(count, index + i + 1);
    }
  }
  std::vector<Name> outputs = nodes(entry.type, std::move(inputs), std::move(attributes), count);
  for (auto [index, result] : results)
    graph.bind(result, outputs[index]);
}

void NodeExporter::run() {
  if (OnnxExportHook hook = findOnnxExportHook(op, entry))
    hook(*this);
  else
    exportByTable();
}

bool isWritable(Operation *op, const OnnxOp &entry, int64_t opset) {
  if (opset < entry.since || (entry.until != 0 && opset > entry.until) ||
      !isExpressibleInOnnx(op, entry, opset))
    return false;
  if (findOnnxExportHook(op, entry))
    return hasSetValues(op, entry) &&
           (entry.type.empty() || !entry.domain.empty() || onnx::standardSchemaOf(entry.type.str(), opset));
  const onnx::Schema *schema =
      entry.domain.empty() ? onnx::standardSchemaOf(entry.type.str(), opset) : nullptr;
  return schema && !schema->isDeprecated && hasSetValues(op, entry) && coversAttributes(op, entry) &&
         coversValues(op, entry, *schema);
}

} // namespace proa::exporter
