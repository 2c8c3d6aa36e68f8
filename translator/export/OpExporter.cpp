#include "translator/export/OpExporter.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Keywords.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/creation/CreationOps.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace proa::exporter {

using import::AttributeKind;
using import::LegacyOp;
using import::MappedAttribute;
using import::MappedSlot;

Groups operandGroups(Operation *op, const LegacyOp &entry) {
  Groups groups;
  auto segments = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
  if (!segments)
    if (auto inherent = op->getInherentAttr("operandSegmentSizes"))
      segments = dyn_cast_if_present<DenseI32ArrayAttr>(*inherent);
  size_t next = 0, count = op->getNumOperands();
  auto variable =
      llvm::count_if(entry.inputs, [](const MappedSlot &s) { return s.arity != import::Arity::Required; });
  for (auto [i, slot] : llvm::enumerate(entry.inputs)) {
    size_t size = 1;
    if (segments && i < static_cast<size_t>(segments.size()))
      size = segments[i];
    else if (slot.arity == import::Arity::Variadic)
      size = count - std::min(count, next + (entry.inputs.size() - i - 1));
    else if (slot.arity == import::Arity::Optional)
      size = variable == 1 ? count - std::min(count, entry.inputs.size() - 1) : count > next ? 1 : 0;
    llvm::SmallVector<Value> group;
    for (size_t k = 0; k < size && next < count; ++k)
      group.push_back(op->getOperand(next++));
    groups.push_back(group);
  }
  return groups;
}

Groups resultGroups(Operation *op, const LegacyOp &entry) {
  Groups groups;
  ResultRange rest = op->getResults();
  for (const MappedSlot &slot : entry.outputs) {
    size_t size =
        slot.arity == import::Arity::Variadic ? op->getNumResults() - (entry.outputs.size() - 1) : 1;
    size = std::min<size_t>(size, rest.size());
    groups.emplace_back(rest.take_front(size));
    rest = rest.drop_front(size);
  }
  return groups;
}

std::optional<std::vector<int32_t>> constantIntegers(Value value) {
  auto type = pd::tensorType(value);
  DenseIntElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements))) {
    auto values = llvm::map_range(elements.getValues<APInt>(), [](const APInt &scalar) {
      return static_cast<int32_t>(scalar.getSExtValue());
    });
    return std::vector<int32_t>(values.begin(), values.end());
  }
  auto full = value.getDefiningOp<pd::FullOp>();
  if (!full || full.getValueTensor() || !type.hasStaticShape() || !isa<IntegerType>(type.getElementType()))
    return std::nullopt;
  auto scalar = full.getIntegerValue() ? static_cast<int64_t>(*full.getIntegerValue())
                                       : static_cast<int64_t>(full.getValue().convertToDouble());
  return std::vector<int32_t>(static_cast<size_t>(type.getNumElements()), static_cast<int32_t>(scalar));
}

int32_t dtypeCode(Type elementType) { return legacy::numberOf(*pd::dtypeOf(elementType)); }

namespace {

/// The slot of an operand among its alternatives: one that takes a tensor, or a list of them.
std::string slotName(const MappedSlot &slot, bool isList) {
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(slot.spelling).split(names, '|');
  for (llvm::StringRef name : names)
    if (!name.starts_with("@") && name.ends_with("*") == isList)
      return name.rtrim('*').str();
  // A list that is one tensor here may be in a slot for one tensor, and one element in a slot for a list.
  for (llvm::StringRef name : names)
    if (!name.starts_with("@") && isList)
      return name.str();
  return "";
}

std::vector<int64_t> unknownAsMinusOne(llvm::ArrayRef<int64_t> values) {
  auto known = llvm::map_range(values, [](int64_t v) { return ShapedType::isDynamic(v) ? -1 : v; });
  return {known.begin(), known.end()};
}

} // namespace

std::vector<int64_t> clamped(llvm::ArrayRef<int64_t> values) {
  std::vector<int64_t> out = unknownAsMinusOne(values);
  for (int64_t &value : out)
    value =
        std::clamp<int64_t>(value, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
  return out;
}

Result<legacy::Operation> OpExporter::run() {
  if (ExportHook hook = findExportHook(op, entry.type))
    hook(*this);
  else
    exportByTable();
  if (!diagnostics.empty())
    return diagnostics;
  return out;
}

void OpExporter::exportByTable() {
  exportInputs();
  exportOutputs();
  exportAttributes();
}

void OpExporter::exportAttributes() {
  for (const MappedAttribute &attribute : entry.attributes)
    addAttribute(attribute);
  for (const import::LegacyConstant &constant : entry.constants)
    setAttribute(constant.name, constant.value());
}

llvm::ArrayRef<Value> OpExporter::valuesIn(llvm::StringRef inputSlot) const {
  auto found = tensors.find(inputSlot);
  return found == tensors.end() ? llvm::ArrayRef<Value>() : llvm::ArrayRef<Value>(found->second);
}

void OpExporter::setAttribute(llvm::StringRef name, legacy::AttributeValue value) {
  for (legacy::Attribute &known : out.attributes.own())
    if (known.name == name) {
      known.value = std::move(value);
      return;
    }
  out.attributes.push_back({name.str(), std::move(value)});
}

/// Whether a slot has one name, without a mark.
static bool isPlainName(llvm::StringRef spelling) {
  return spelling.find_first_of("@*|?") == llvm::StringRef::npos;
}

void OpExporter::exportInputs() {
  for (auto [slot, group] : llvm::zip(entry.inputs, operandGroups(op, entry))) {
    if (group.empty() && slot.arity == import::Arity::Variadic && isPlainName(slot.spelling))
      out.inputs.push_back(
          {slot.spelling.str(), {}}); // Paddle requires the slot of a list even if it is empty
    if (group.empty() || addLod(slot, group))
      continue;
    bool isList = slot.arity == import::Arity::Variadic || usesLists;
    std::string name = slotName(slot, isList || group.size() > 1);
    if (name.empty() && (addConstantAttribute(slot, group) || addElements(slot, group)))
      continue;
    if (name.empty()) {
      diagnostics.add(
          "",
          ("operand '" + slot.spelling + "' has no input of '" + entry.type + "' that takes a tensor").str());
      continue;
    }
    legacy::Slot input{name, {}};
    for (Value value : group)
      input.arguments.push_back(names.of(value));
    out.inputs.push_back(std::move(input));
    tensors[name] = group;
  }
}

/// A vector for a slot that takes a list of its elements alone.
bool OpExporter::addElements(const MappedSlot &slot, llvm::ArrayRef<Value> group) {
  llvm::StringRef name = slot.spelling;
  if (group.size() != 1 || !name.consume_back("*") || name.contains('|') ||
      pd::tensorType(group[0]).getRank() != 1 || pd::tensorType(group[0]).isDynamicDim(0))
    return false;
  out.inputs.push_back({name.str(), names.elementsOf(group[0])});
  return true;
}

/// "X@LOD": the offsets become the LoD of the tensor in X, or of a tensor without other use. The same slot
/// again is the next inner level.
bool OpExporter::addLod(const MappedSlot &slot, llvm::ArrayRef<Value> offsets) {
  llvm::StringRef name = slot.spelling;
  if (!name.consume_back("@LOD?") && !name.consume_back("@LOD"))
    return false;
  name = name.rtrim('*');
  llvm::ArrayRef<Value> given = tensors[name];
  bool isNested = llvm::count_if(entry.inputs, [&](const MappedSlot &other) {
                    return other.spelling == slot.spelling;
                  }) > 1;
  if (isNested) {
    levels.append(offsets.begin(), offsets.end());
    if (&slot + 1 != entry.inputs.end() && (&slot + 1)->spelling == slot.spelling)
      return true;
  }
  legacy::Slot *input = nullptr;
  for (legacy::Slot &known : out.inputs)
    if (known.name == name)
      input = &known;
  if (!input)
    input = &out.inputs.emplace_back(legacy::Slot{name.str(), {}});
  input->arguments.clear();
  if (isNested) {
    input->arguments.push_back(names.withLod(given.empty() ? Value() : given.front(), levels));
    return true;
  }
  for (auto [i, level] : llvm::enumerate(offsets))
    input->arguments.push_back(names.withLod(i < given.size() ? given[i] : Value(), level));
  return true;
}

/// An operand that the legacy op has as an attribute alone, "@ksize": a constant is written there.
bool OpExporter::addConstantAttribute(const MappedSlot &slot, llvm::ArrayRef<Value> group) {
  llvm::StringRef name = llvm::StringRef(slot.spelling).rsplit('|').second;
  name = name.empty() ? llvm::StringRef(slot.spelling) : name;
  if (group.size() != 1 || !name.consume_front("@"))
    return false;
  std::optional<std::vector<int32_t>> values = constantIntegers(group[0]);
  if (!values)
    return false;
  constantAttributes.insert(name);
  bool isNumber = llvm::any_of(entry.attributes, [&](const MappedAttribute &attribute) {
    return attribute.sourceName == name && attribute.kind == AttributeKind::Int;
  });
  if (isNumber || pd::tensorType(group[0]).getRank() == 0)
    setAttribute(name.str(), values->front());
  else
    setAttribute(name.str(), *values);
  return true;
}

/// The variable of the input that an output overwrites, "Mean" for "MeanOut"; empty: none.
std::string OpExporter::sharedVariable(llvm::StringRef outputSlot, size_t index) {
  llvm::StringRef slot = outputSlot;
  if (auto known = shared.find(outputSlot); known != shared.end())
    slot = known->second;
  else if (!slot.consume_back("Out") || slot.empty())
    return "";
  for (legacy::Slot &input : out.inputs)
    if (llvm::StringRef(input.name) == slot && index < input.arguments.size() && tensors[slot].size() > index)
      return input.arguments[index] = names.overwritable(tensors[slot][index], op);
  return "";
}

void OpExporter::exportOutputs() {
  for (auto [slot, group] : llvm::zip(entry.outputs, resultGroups(op, entry))) {
    if (llvm::StringRef owner = slot.spelling; owner.consume_back("@LOD")) {
      owner = owner.split('|').first; // all of them have it
      const legacy::Slot *found = out.output(std::string_view(owner.data(), owner.size()));
      if (found && found->arguments.size() == 1 && !group.empty())
        names.bindLod(group.front(), found->arguments.front());
      continue;
    }
    legacy::Slot output{slot.spelling.str(), {}};
    for (auto [k, result] : llvm::enumerate(group)) {
      if (std::string variable = sharedVariable(slot.spelling, k); !variable.empty())
        names.bind(result, variable);
      output.arguments.push_back(names.of(result));
    }
    if (!slot.spelling.empty())
      out.outputs.push_back(std::move(output));
  }
  for (llvm::StringRef slot : entry.scratch)
    out.outputs.push_back({slot.str(), {names.temporary(scratchType())}});
  // Paddle's views require a variable for the old shape, which nothing reads.
  if (entry.ignores("XShape"))
    out.outputs.push_back({"XShape", {names.of(op->getResult(0)) + ".xshape"}});
}

/// A tensor type of dynamic dims: Paddle's kernels resize their scratch outputs.
RankedTensorType OpExporter::scratchType() {
  auto type = pd::tensorType(op->getNumResults() > 0 ? op->getResult(0) : op->getOperand(0));
  return RankedTensorType::get({ShapedType::kDynamic}, type.getElementType());
}

void OpExporter::addAttribute(const MappedAttribute &attribute) {
  auto found = op->getInherentAttr(attribute.name);
  Attribute value = found ? *found : Attribute();
  std::string name = attribute.sourceName.str();
  if (!value || constantAttributes.contains(name))
    return;
  if (auto flag = dyn_cast<BoolAttr>(value))
    setAttribute(name, flag.getValue());
  else if (auto integer = dyn_cast<IntegerAttr>(value))
    addInteger(attribute, integer.getInt());
  else if (auto real = dyn_cast<FloatAttr>(value))
    setAttribute(name, static_cast<float>(real.getValueAsDouble()));
  else if (auto text = dyn_cast<StringAttr>(value))
    setAttribute(name, text.str());
  else if (std::optional<llvm::StringRef> keyword = pd::keywordOf(value))
    setAttribute(name, keyword->str());
  else if (auto type = dyn_cast<TypeAttr>(value))
    setAttribute(name, dtypeCode(type.getValue()));
  else if (auto integers = dyn_cast<DenseI64ArrayAttr>(value); integers && attribute.isWide)
    setAttribute(name, unknownAsMinusOne(integers.asArrayRef()));
  else if (integers)
    setAttribute(name, vectorOf<int32_t>(clamped(integers.asArrayRef())));
  else if (auto reals = dyn_cast<DenseF64ArrayAttr>(value))
    setAttribute(name, vectorOf<float>(reals.asArrayRef()));
  else
    diagnostics.add("", ("attribute '" + attribute.name + "' cannot be written as a legacy attribute").str());
}

void OpExporter::addInteger(const MappedAttribute &attribute, int64_t value) {
  if (value == static_cast<int32_t>(value) && !attribute.isWide)
    setAttribute(attribute.sourceName.str(), static_cast<int32_t>(value));
  else
    setAttribute(attribute.sourceName.str(), value);
}

} // namespace proa::exporter
