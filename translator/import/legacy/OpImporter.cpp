#include "translator/import/legacy/OpImporter.h"
#include "translator/import/common/CreateOp.h"
#include "translator/import/legacy/ProgramImporter.h"

#include "dialects/pd/ir/Guarded.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "lib/base/support/Numbers.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace proa::import {
namespace {

template <class... F> struct Overloaded : F... {
  using F::operator()...;
};

/// A literal number or bool of any kind as a double / int64.
std::optional<double> numberOf(const legacy::AttributeValue &value) {
  return std::visit(
      Overloaded{[](int32_t v) { return std::optional<double>(v); },
                 [](int64_t v) { return std::optional<double>(static_cast<double>(v)); },
                 [](float v) { return std::optional<double>(v); },
                 [](double v) { return std::optional<double>(v); },
                 [](bool v) { return std::optional<double>(v); },
                 [](const legacy::Scalar &scalar) {
                   return std::visit(
                       Overloaded{[](const legacy::Complex &c) { return std::optional<double>(c.real); },
                                  [](auto v) { return std::optional<double>(static_cast<double>(v)); }},
                       scalar.value);
                 },
                 [](const auto &) { return std::optional<double>(); }},
      value);
}

std::optional<int64_t> integerOf(const legacy::AttributeValue &value) {
  if (const auto *wide = std::get_if<int64_t>(&value))
    return *wide;
  if (const auto *scalar = std::get_if<legacy::Scalar>(&value))
    if (const auto *wide = std::get_if<int64_t>(&scalar->value))
      return *wide;
  auto real = numberOf(value);
  return real ? std::optional<int64_t>(toInteger<int64_t>(*real)) : std::nullopt;
}

template <class To, class From> To converted(From value) {
  if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>)
    return static_cast<To>(toInteger<int64_t>(value));
  else
    return static_cast<To>(value);
}

/// A list of numbers of any kind; a single number is a list of one.
template <class T> std::optional<llvm::SmallVector<T>> listOf(const legacy::AttributeValue &value) {
  auto copy = [](const auto &list) {
    llvm::SmallVector<T> out;
    for (auto item : list)
      out.push_back(converted<T>(item));
    return std::optional(out);
  };
  return std::visit(Overloaded{[&](const std::vector<int32_t> &list) { return copy(list); },
                               [&](const std::vector<int64_t> &list) { return copy(list); },
                               [&](const std::vector<float> &list) { return copy(list); },
                               [&](const std::vector<double> &list) { return copy(list); },
                               [&](const std::vector<bool> &list) { return copy(list); },
                               [&](const std::vector<legacy::Scalar> &list) {
                                 llvm::SmallVector<T> out;
                                 for (const legacy::Scalar &scalar : list)
                                   out.push_back(std::is_integral_v<T> ? converted<T>(*integerOf(scalar))
                                                                       : converted<T>(*numberOf(scalar)));
                                 return std::optional(out);
                               },
                               [&](const auto &single) -> std::optional<llvm::SmallVector<T>> {
                                 auto value = std::is_integral_v<T>
                                                  ? integerOf(legacy::AttributeValue(single))
                                                  : std::nullopt;
                                 if (value)
                                   return llvm::SmallVector<T>{converted<T>(*value)};
                                 if (auto real = numberOf(legacy::AttributeValue(single)))
                                   return llvm::SmallVector<T>{converted<T>(*real)};
                                 return std::nullopt;
                               }},
                    value);
}

/// One element as a number: it serves where a number is asked for and where a list is.
template <class T> legacy::AttributeValue asValue(std::vector<T> elements) {
  return elements.size() == 1 ? legacy::AttributeValue(elements.front())
                              : legacy::AttributeValue(std::move(elements));
}

std::vector<double> numbersOf(DenseElementsAttr elements) {
  std::vector<double> values;
  for (llvm::APFloat value : elements.getValues<llvm::APFloat>()) {
    bool losesInfo = false;
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    values.push_back(value.convertToDouble());
  }
  return values;
}

} // namespace

void OpImporter::report(const llvm::Twine &message) { program.report(message); }
void OpImporter::reportOpen(const llvm::Twine &message) {
  program.ofOpenOperands.push_back(program.diagnostics.size());
  program.report(message);
}

llvm::StringRef OpImporter::target() const { return entry->target; }

bool OpImporter::isOfPaddle3() const { return program.legacyProgram.version >= 3000000; }

//===-- Inputs and outputs ------------------------------------------------------------------------------===//

const legacy::Slot *OpImporter::inputSlot(llvm::StringRef name) const {
  const legacy::Slot *slot = op.input(std::string_view(name));
  asked.insert(slot);
  return slot;
}

const legacy::Slot *OpImporter::outputSlot(llvm::StringRef name) const {
  const legacy::Slot *slot = op.output(std::string_view(name));
  asked.insert(slot);
  return slot;
}

llvm::SmallVector<Value> OpImporter::inputs(llvm::StringRef slot) {
  const legacy::Slot *found = inputSlot(slot);
  // The latest override of a slot is the one that holds.
  for (auto &[name, given] : llvm::reverse(inputOverrides))
    if (name == slot)
      return llvm::to_vector(llvm::make_filter_range(given, [](Value value) { return value != nullptr; }));
  return found ? valuesOf(*found) : llvm::SmallVector<Value>();
}

Value OpImporter::valueOrEmptyArray(const std::string &name) {
  Value value = program.lookup(name);
  const legacy::Variable *declared = value ? nullptr : program.variables.find(program.currentBlock, name);
  bool isArray = declared && declared->kind == legacy::VariableKind::DenseTensorArray;
  return isArray ? Value(pd::ArrayCreateOp::create(builder, location)) : value;
}

llvm::SmallVector<Value> OpImporter::valuesOf(const legacy::Slot &slot) {
  llvm::SmallVector<Value> values;
  for (const std::string &name : slot.arguments) {
    if (name == legacy::emptyVariable)
      continue;
    Value value = takesArrays ? valueOrEmptyArray(name) : program.lookup(name);
    if (value && isa<pd::ArrayType>(value.getType()) && !takesArrays)
      program.report("input '" + llvm::Twine(slot.name) + "': variable '" + name +
                     "' is a tensor array, expected a tensor");
    else if (value)
      values.push_back(value);
    else if (program.poisoned.contains(name))
      program.reportConsequence("input '" + llvm::Twine(slot.name) + "': variable '" + name +
                                "' could not be imported");
    else
      program.report("input '" + llvm::Twine(slot.name) + "': variable '" + name +
                     "' is read before anything defines it");
  }
  return values;
}

Value OpImporter::input(llvm::StringRef slot) {
  llvm::SmallVector<Value> values = inputs(slot);
  if (values.size() > 1)
    report("input '" + slot + "' holds " + llvm::Twine(values.size()) + " variables, expected one");
  return values.empty() ? Value() : values.front();
}

bool OpImporter::isParameter(Value value) const { return program.interface.parameterOf(value) != nullptr; }

Value OpImporter::valueBefore(llvm::StringRef outputSlot) const {
  dependsOnOutputs = true;
  const legacy::Slot *found = this->outputSlot(outputSlot);
  return found && found->arguments.size() == 1 ? program.lookup(found->arguments.front()) : Value();
}

bool OpImporter::isSelectedRows(llvm::StringRef slot) const {
  const legacy::Slot *found = inputSlot(slot);
  return found && found->arguments.size() == 1 && program.sparseRows.isSparse(found->arguments.front());
}

Value OpImporter::requiredInput(llvm::StringRef slot) {
  size_t before = program.diagnostics.size();
  Value value = input(slot);
  if (!value && program.diagnostics.size() == before)
    report("input '" + slot + "' is missing");
  return value;
}

Value OpImporter::array(llvm::StringRef slot) {
  const legacy::Slot *found = inputSlot(slot);
  Value value = found && found->arguments.size() == 1 ? valueOrEmptyArray(found->arguments.front()) : Value();
  return value && isa<pd::ArrayType>(value.getType()) ? value : Value();
}

llvm::SmallVector<Value> OpImporter::arrays(llvm::StringRef slot) {
  const legacy::Slot *found = inputSlot(slot);
  llvm::SmallVector<Value> values;
  for (const std::string &name : found ? found->arguments : std::vector<std::string>()) {
    Value value = program.lookup(name);
    if (!value || !isa<pd::ArrayType>(value.getType()))
      return {};
    values.push_back(value);
  }
  return values;
}

void OpImporter::setOutput(llvm::StringRef slot, Value value) {
  if (value)
    setOutputs(slot, {value});
}

void OpImporter::setOutputs(llvm::StringRef slot, llvm::ArrayRef<Value> values) {
  if (capturedOutputs) {
    (*capturedOutputs)[slot.str()].assign(values.begin(), values.end());
    return;
  }
  const legacy::Slot *found = outputSlot(slot);
  if (!found)
    return;
  if (found->arguments.size() > values.size()) {
    report("output '" + slot + "' names " + llvm::Twine(found->arguments.size()) + " variables, the op has " +
           llvm::Twine(values.size()) + " results there");
    return;
  }
  for (auto [name, value] : llvm::zip(found->arguments, values))
    if (value)
      program.define(name, value);
}

Value OpImporter::variableOfAttribute(llvm::StringRef name) {
  const legacy::Attribute *attribute = this->attribute(name);
  if (!attribute || !attribute->isVariable())
    return {};
  std::vector<std::string> names;
  if (const auto *single = std::get_if<legacy::VariableName>(&attribute->value))
    names.push_back(single->name);
  else
    names = std::get<legacy::VariableNames>(attribute->value).names;
  llvm::SmallVector<Value> values;
  for (const std::string &variable : names) {
    Value value = program.lookup(variable);
    if (!value) {
      report("attribute '" + name + "': variable '" + variable + "' is read before anything defines it");
      return {};
    }
    values.push_back(value);
  }
  if (std::holds_alternative<legacy::VariableName>(attribute->value))
    return values.front();
  return stackScalars(values);
}

Value OpImporter::stackScalars(llvm::ArrayRef<Value> values) {
  llvm::SmallVector<Value> pieces;
  for (Value value : values) {
    pd::Expression piece = tensors().cast(wrap(value), builder.getI64Type());
    bool isVector = piece.rank() == 1 && piece.type().getDimSize(0) == 1;
    pieces.push_back(isVector ? piece : tensors().reshape(piece, {1}));
  }
  if (pieces.size() < 2)
    return pieces.empty() ? Value() : pieces.front();
  return tensors().create<pd::ConcatOp>(pieces, Value(), 0);
}

void OpImporter::overrideInput(llvm::StringRef slot, Value value) { overrideInputs(slot, {value}); }

void OpImporter::overrideInputs(llvm::StringRef slot, llvm::ArrayRef<Value> values) {
  inputOverrides.emplace_back(slot.str(), llvm::SmallVector<Value>(values));
}

void OpImporter::overrideAttribute(llvm::StringRef name, Attribute value) {
  attributeOverrides.emplace_back(name.str(), value);
}

//===-- Attributes --------------------------------------------------------------------------------------===//

const legacy::Attribute *OpImporter::attribute(llvm::StringRef name) const {
  const legacy::Attribute *found = op.attribute(std::string_view(name));
  asked.insert(found);
  return found;
}

bool OpImporter::hasAttribute(llvm::StringRef name) const { return attribute(name) != nullptr; }

bool OpImporter::isOperand(llvm::StringRef attribute) const {
  for (const MappedSlot &slot : entry->inputs)
    for (llvm::StringRef spelling : llvm::split(slot.spelling, '|'))
      if (spelling.consume_front("@") && spelling == attribute)
        return true;
  return false;
}

const legacy::Attribute *OpImporter::literal(llvm::StringRef name) {
  const legacy::Attribute *attribute = this->attribute(name);
  if (!attribute || !attribute->isVariable())
    return attribute;
  if (entry && isOperand(name))
    return nullptr;
  auto [known, isNew] = resolved.try_emplace(name.str());
  if (isNew)
    if (Value variable = variableOfAttribute(name)) {
      DenseElementsAttr elements;
      if (auto integers = pd::allKnownElements(variable))
        known->second = {name.str(), asValue(std::vector<int64_t>(integers->begin(), integers->end()))};
      else if (matchPattern(variable, m_Constant(&elements)) && isa<FloatType>(elements.getElementType()))
        known->second = {name.str(), asValue(numbersOf(elements))};
      else
        reportOpen("attribute '" + name +
                   "' is computed when the program runs, expected one that is known before");
    }
  return known->second ? &*known->second : nullptr;
}

int64_t OpImporter::intAttribute(llvm::StringRef name, int64_t otherwise) {
  const legacy::Attribute *attribute = literal(name);
  if (!attribute)
    return otherwise;
  if (auto value = integerOf(attribute->value))
    return *value;
  report("attribute '" + name + "' is not an integer");
  return otherwise;
}

double OpImporter::floatAttribute(llvm::StringRef name, double otherwise) {
  const legacy::Attribute *attribute = literal(name);
  if (!attribute)
    return otherwise;
  if (auto value = numberOf(attribute->value))
    return *value;
  report("attribute '" + name + "' is not a number");
  return otherwise;
}

bool OpImporter::boolAttribute(llvm::StringRef name, bool otherwise) {
  return intAttribute(name, otherwise) != 0;
}

std::string OpImporter::stringAttribute(llvm::StringRef name, llvm::StringRef otherwise) {
  const legacy::Attribute *attribute = literal(name);
  if (!attribute)
    return otherwise.str();
  if (const auto *value = std::get_if<std::string>(&attribute->value))
    return *value;
  report("attribute '" + name + "' is not a string");
  return otherwise.str();
}

llvm::SmallVector<int64_t> OpImporter::intsAttribute(llvm::StringRef name,
                                                     llvm::ArrayRef<int64_t> otherwise) {
  const legacy::Attribute *attribute = literal(name);
  if (!attribute)
    return llvm::SmallVector<int64_t>(otherwise);
  if (auto value = listOf<int64_t>(attribute->value))
    return *value;
  report("attribute '" + name + "' is not a list of integers");
  return llvm::SmallVector<int64_t>(otherwise);
}

llvm::SmallVector<double> OpImporter::floatsAttribute(llvm::StringRef name,
                                                      llvm::ArrayRef<double> otherwise) {
  const legacy::Attribute *attribute = literal(name);
  if (!attribute)
    return llvm::SmallVector<double>(otherwise);
  if (auto value = listOf<double>(attribute->value))
    return *value;
  report("attribute '" + name + "' is not a list of numbers");
  return llvm::SmallVector<double>(otherwise);
}

llvm::SmallVector<std::string> OpImporter::stringsAttribute(llvm::StringRef name) {
  const legacy::Attribute *attribute = literal(name);
  if (!attribute)
    return {};
  if (const auto *value = std::get_if<std::vector<std::string>>(&attribute->value))
    return llvm::SmallVector<std::string>(value->begin(), value->end());
  report("attribute '" + name + "' is not a list of strings");
  return {};
}

void OpImporter::reportKeyword(llvm::StringRef name, llvm::StringRef keyword,
                               llvm::function_ref<llvm::StringRef(uint32_t)> keywordOf) {
  std::string keywords;
  for (uint32_t i = 0; !keywordOf(i).empty(); ++i)
    keywords += (i == 0 ? "" : ", ") + keywordOf(i).str();
  report("attribute '" + name + "' is '" + keyword + "', expected one of: " + keywords);
}

Type OpImporter::typeAttribute(llvm::StringRef name, int64_t otherwise) {
  int64_t code = intAttribute(name, otherwise);
  if (auto dtype = legacy::dtypeFromCode(code))
    return pd::elementTypeOf(builder.getContext(), *dtype);
  report("attribute '" + name + "' is " + llvm::Twine(code) + ", which is not an element type");
  return {};
}

//===-- Making ops --------------------------------------------------------------------------------------===//

pd::TensorBuilder &OpImporter::tensors() {
  if (!tensorBuilder) {
    OpBuilder detached(builder.getContext());
    anchor = UnrealizedConversionCastOp::create(detached, location, TypeRange(), ValueRange()).getOperation();
    tensorBuilder.emplace(builder, *anchor);
  }
  return *tensorBuilder;
}

void OpImporter::runGuarded(llvm::function_ref<void()> build) {
  Block *block = builder.getInsertionBlock();
  bool isFirst = builder.getInsertionPoint() == block->begin();
  Operation *before = isFirst ? nullptr : &*std::prev(builder.getInsertionPoint());
  size_t errorsBefore = program.diagnostics.size(), mlirErrorsBefore = program.mlirErrors.size();
  LogicalResult built = pd::guarded([&]() -> LogicalResult {
    build();
    return success();
  });
  auto created = llvm::make_range(before ? std::next(before->getIterator()) : block->begin(),
                                  builder.getInsertionPoint());
  if (failed(built) || program.mlirErrors.size() > mlirErrorsBefore) {
    // It is not known which op failed: its operands are among these.
    llvm::SmallVector<Value> values;
    for (const legacy::Slot &slot : op.inputs)
      for (const std::string &name : slot.arguments)
        if (Value value = program.lookup(name))
          values.push_back(value);
    for (Operation &op : created)
      llvm::append_range(values, op.getResults());
    return program.reportRefused({values});
  }
  if (!tensorBuilder || program.diagnostics.size() != errorsBefore)
    return;
  // The declarative constraints: operand types, attribute kinds.
  for (Operation &op : created)
    if (failed(op.getName().verifyInvariants(&op)))
      return program.reportRefused({llvm::SmallVector<Value>(op.getOperands())});
}

Value OpImporter::build(llvm::function_ref<Value(pd::TensorBuilder &)> formula) {
  size_t before = program.diagnostics.size();
  Value result;
  runGuarded([&] { result = formula(tensors()); });
  return program.diagnostics.size() == before ? result : Value();
}

llvm::SmallVector<Value> OpImporter::createByName(llvm::StringRef name,
                                                  llvm::ArrayRef<llvm::SmallVector<Value>> operands,
                                                  llvm::ArrayRef<NamedAttribute> attributes) {
  // An operand that could not be created was reported before.
  for (const auto &group : operands)
    if (llvm::is_contained(group, Value()))
      return {};
  Operation *created = import::createOp(builder, location, name, operands, attributes);
  if (!created) {
    program.reportRefused(operands);
    return {};
  }
  return llvm::SmallVector<Value>(created->getResults());
}

Value OpImporter::constant(ElementsAttr value) {
  return pd::ConstantOp::create(builder, location, value.getShapedType(), value);
}

Value OpImporter::constantInts(llvm::ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, builder.getI64Type());
  return constant(DenseElementsAttr::get(type, values));
}

} // namespace proa::import
