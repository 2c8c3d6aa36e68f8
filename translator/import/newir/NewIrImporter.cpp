#include "translator/import/newir/NewIrImporter.h"

#include "dialects/pd/Infer.h"
#include "dialects/pd/Types.h"
#include "dialects/pd/control/ArrayOps.h"
#include "dialects/pd/creation/CreationOps.h"
#include "translator/import/AlignedAxes.h"
#include "translator/import/MakeOp.h"
#include "translator/import/newir/NewIrTable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <optional>
#include <set>

using namespace mlir;

namespace proa::import {
namespace {

using Values = llvm::SmallVector<Value>;

class NewIrImporter {
public:
  NewIrImporter(MLIRContext &context, const newir::Model &model, const ImportOptions &options)
      : context(context), model(model), options(options), builder(&context) {
    context.loadDialect<pd::PdDialect, func::FuncDialect, scf::SCFDialect, tensor::TensorDialect>();
  }

  Result<OwningOpRef<ModuleOp>> run() {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      diagnostics += (diagnostics.empty() ? "" : "; ") + diagnostic.str();
      return success();
    });
    makeFunction();
    for (const newir::Operation &op : model.operations)
      importOp(op);
    finishFunction();
    if (!problems.empty())
      return problems;
    return std::move(module);
  }

  static bool hasHandler(llvm::StringRef name) { return handlers().contains(name); }

private:
  //===-- The function
  //--------------------------------------------------------------------------------------------===//

  void makeFunction() {
    module = ModuleOp::create(builder, UnknownLoc::get(&context));
    llvm::SmallVector<Type> types;
    llvm::SmallVector<DictionaryAttr> attributes;
    llvm::SmallVector<int64_t> ids;
    auto add = [&](const newir::Definition &value, const char *role, llvm::StringRef name) {
      if (value.type.kind != newir::Type::Kind::Tensor)
        return problems.add(options.source,
                            "'" + name.str() + "' is of type '" + value.type.name + "', expected a tensor");
      types.push_back(tensorTypeOf(value.type));
      ids.push_back(value.id);
      attributes.push_back(
          builder.getDictionaryAttr(builder.getNamedAttr(role, builder.getStringAttr(name))));
    };
    for (const newir::Operation &op : model.operations)
      if (op.name == "1.data" && op.outputs.size() == 1)
        add(op.outputs[0], "pd.feed", text(op, "name"));
    for (const newir::Parameter &parameter : model.parameters)
      add(parameter.value, "pd.param", parameter.name);
    builder.setInsertionPointToEnd(module->getBody());
    function =
        func::FuncOp::create(builder, UnknownLoc::get(&context), "main", builder.getFunctionType(types, {}));
    function.setAllArgAttrs(attributes);
    Block *body = function.addEntryBlock();
    for (auto [id, argument] : llvm::zip(ids, body->getArguments()))
      values[id] = {argument};
    builder.setInsertionPointToStart(body);
  }

  void finishFunction() {
    Values results;
    llvm::SmallVector<Type> types;
    llvm::SmallVector<DictionaryAttr> attributes;
    size_t next = 0;
    for (auto &[column, fetch] : fetches) {
      // Names of fetches are numbers; a user may give them others.
      std::string name = next < options.fetches.size() ? options.fetches[next] : fetch.first;
      ++next;
      results.push_back(fetch.second);
      types.push_back(fetch.second.getType());
      attributes.push_back(
          builder.getDictionaryAttr(builder.getNamedAttr("pd.fetch", builder.getStringAttr(name))));
    }
    func::ReturnOp::create(builder, UnknownLoc::get(&context), results);
    // State that only ignored operands read (of dropout) is not stored with the weights either.
    llvm::BitVector unused(function.getNumArguments());
    for (BlockArgument argument : function.getArguments())
      if (argument.use_empty() && function.getArgAttr(argument.getArgNumber(), "pd.param"))
        unused.set(argument.getArgNumber());
    (void)function.eraseArguments(unused);
    function.setType(builder.getFunctionType(function.getArgumentTypes(), types));
    function.setAllResultAttrs(attributes);
  }

  RankedTensorType tensorTypeOf(const newir::Type &type) {
    llvm::SmallVector<int64_t> shape;
    for (int64_t dim : type.dims)
      shape.push_back(dim < 0 ? ShapedType::kDynamic : dim);
    return RankedTensorType::get(shape, pd::elementTypeOf(&context, type.dtype));
  }

  //===-- Ops
  //-----------------------------------------------------------------------------------------------------===//

  using Handler = void (NewIrImporter::*)(const newir::Operation &);

  /// Ops that no record describes.
  static const llvm::StringMap<Handler> &handlers() {
    static const llvm::StringMap<Handler> map = {
        {"1.data", &NewIrImporter::importNothing},
        {"1.fetch", &NewIrImporter::importFetch},
        {"1.shadow_output", &NewIrImporter::importFetch},
        {"0.combine", &NewIrImporter::importCombine},
        {"0.split", &NewIrImporter::importElements},
        {"0.slice", &NewIrImporter::importElements},
        {"1.full_int_array", &NewIrImporter::importIntegers},
        {"1.assign_value", &NewIrImporter::importValues},
        {"1.assign_value_", &NewIrImporter::importValues},
        {"1.strided_slice", &NewIrImporter::importStridedSlice},
        {"1.while", &NewIrImporter::importWhile},
        {"1.if", &NewIrImporter::importIf},
        {"1.shape64", &NewIrImporter::importWideShape},
        {"1.create_array", &NewIrImporter::importCreateArray},
        {"1.create_array_like", &NewIrImporter::importCreateArray},
        {"1.array_write_", &NewIrImporter::importArrayWrite},
        {"1.slice_array_dense", &NewIrImporter::importArraySlice},
        {"1.slice_array", &NewIrImporter::importArraySlice},
        {"1.set_value", &NewIrImporter::importSetValue},
        {"1.set_value_", &NewIrImporter::importSetValue},
        {"1.set_value_with_tensor", &NewIrImporter::importSetValue},
        {"1.set_value_with_tensor_", &NewIrImporter::importSetValue}};
    return map;
  }

  void importNothing(const newir::Operation &) {}

  void importOp(const newir::Operation &op) {
    current = &op;
    size_t before = problems.size();
    isBlocked = false;
    auto handler = handlers().find(op.name);
    handler != handlers().end() ? (this->*handler->second)(op) : importByTable(op);
    if (problems.size() == before && !isBlocked)
      return;
    for (const newir::Definition &output : op.outputs)
      poisoned.insert(output.id);
    std::set<int64_t> written;
    for (const std::vector<newir::Block> &region : op.regions)
      for (const newir::Block &block : region)
        findWrittenArrays(block, written);
    for (int64_t array : written) {
      values.erase(array);
      poisoned.insert(array);
    }
  }

  void importFetch(const newir::Operation &op) {
    Values value = op.inputs.empty() ? Values() : operand(op.inputs[0]);
    if (value.size() == 1)
      fetches.emplace(integer(op, "col", static_cast<int64_t>(fetches.size())),
                      std::make_pair(text(op, "name"), value[0]));
  }

  void importCombine(const newir::Operation &op) {
    Values list;
    for (int64_t id : op.inputs)
      llvm::append_range(list, operand(id));
    define(op, 0, list);
  }

  /// Elements of a list: all of them, or the one that the attribute names.
  void importElements(const newir::Operation &op) {
    Values list = op.inputs.empty() ? Values() : operand(op.inputs[0]);
    int64_t first = op.name == "0.slice" ? integer(op, "index", 0) : 0;
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      if (first + i >= list.size())
        return report("the list has " + llvm::Twine(list.size()) + " elements");
      define(op, i, {list[first + i]});
    }
  }

  void importIntegers(const newir::Operation &op) {
    const newir::Literal *value = op.attribute("value");
    std::vector<int64_t> numbers = value ? newir::integersOf(*value) : std::vector<int64_t>();
    auto type = RankedTensorType::get({static_cast<int64_t>(numbers.size())}, elementType(op, "dtype"));
    llvm::SmallVector<Attribute> elements;
    if (!type.getElementType().isInteger())
      return report("attribute 'dtype' is no type of integers");
    for (int64_t number : numbers)
      elements.push_back(builder.getIntegerAttr(type.getElementType(), number));
    define(op, 0,
           {pd::ConstantOp::create(builder, location(), type, DenseElementsAttr::get(type, elements))});
  }

  void importValues(const newir::Operation &op) {
    if (Value values = literalValues(op, elementType(op, "dtype")))
      define(op, 0, {values});
  }

  void importWideShape(const newir::Operation &op) {
    Values x = op.inputs.size() == 1 ? operand(op.inputs[0]) : Values();
    if (x.size() != 1)
      return;
    Value shape = make("pd.shape", {x});
    Value wide = shape ? make("pd.cast", {{shape}},
                              {builder.getNamedAttr("dtype", TypeAttr::get(builder.getI64Type()))})
                       : Value();
    if (wide)
      define(op, 0, {wide});
  }

  void importByTable(const newir::Operation &op) {
    llvm::StringRef name = op.name;
    const NewIrOp *entry = name.consume_front("1.") ? findNewIrOp(name) : nullptr;
    if (!entry)
      return report("op '" + llvm::Twine(op.name) + "' is not known");
    size_t before = problems.size();
    std::map<llvm::StringRef, Values> operands;
    llvm::SmallVector<NamedAttribute> attributes;
    collectOperands(op, *entry, operands, attributes);
    collectAttributes(op, *entry, attributes);
    for (llvm::StringRef name : entry->set)
      attributes.push_back(builder.getNamedAttr(name, builder.getBoolAttr(true)));
    llvm::SmallVector<Values> groups;
    for (const LegacySlot &slot : entry->recordOperands) {
      groups.push_back(operands[slot.spelling]);
      if (slot.arity == Arity::Required && groups.back().size() != 1 && !isBlocked)
        report("operand '" + llvm::Twine(slot.spelling) + "' has " + llvm::Twine(groups.back().size()) +
               " values, expected one");
    }
    if (problems.size() != before || isBlocked)
      return;
    Operation *made = makeOp(builder, location(), entry->target, groups, attributes);
    if (!made)
      return report(std::exchange(diagnostics, {}));
    defineResults(op, *entry, made);
  }

  void collectOperands(const newir::Operation &op, const NewIrOp &entry,
                       std::map<llvm::StringRef, Values> &operands,
                       llvm::SmallVectorImpl<NamedAttribute> &attributes) {
    if (op.inputs.size() > entry.operands.size())
      return report(llvm::Twine(op.inputs.size()) + " operands, expected at most " +
                    llvm::Twine(entry.operands.size()));
    for (auto [id, role] : llvm::zip(op.inputs, entry.operands)) {
      if (id == 0 || role.empty())
        continue;
      Values given = operand(id);
      llvm::StringRef name = role;
      if (!name.consume_front("#")) {
        operands[role] = given;
        continue;
      }
      for (const LegacyAttribute &attribute : entry.attributes)
        if (attribute.name == name && given.size() == 1)
          if (Attribute value = constantAttribute(attribute, given[0]))
            attributes.push_back(builder.getNamedAttr(name, value));
    }
  }

  /// An operand that must be constant, as the attribute that it is here.
  Attribute constantAttribute(const LegacyAttribute &attribute, Value value) {
    llvm::SmallVector<double> numbers;
    if (auto constant = value.getDefiningOp<pd::ConstantOp>()) {
      auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
      if (elements && isa<IntegerType>(elements.getElementType()))
        for (const APInt &number : elements.getValues<APInt>())
          numbers.push_back(static_cast<double>(number.getSExtValue()));
    } else if (auto full = value.getDefiningOp<pd::FullOp>();
               full && !full.getValueTensor() && !full.getShapeTensor()) {
      numbers.push_back(full.getValue().convertToDouble());
    } else {
      report("operand '" + llvm::Twine(attribute.name) + "' is computed by the program, expected a constant");
      return {};
    }
    llvm::SmallVector<int64_t> integers(numbers.begin(), numbers.end());
    switch (attribute.kind) {
    case AttributeKind::Ints:
      return builder.getDenseI64ArrayAttr(integers);
    case AttributeKind::Floats:
      return builder.getDenseF64ArrayAttr(numbers);
    case AttributeKind::Int:
      return numbers.empty() ? Attribute() : builder.getI64IntegerAttr(integers[0]);
    case AttributeKind::Float:
      return numbers.empty() ? Attribute() : builder.getF64FloatAttr(numbers[0]);
    default:
      report("operand '" + llvm::Twine(attribute.name) + "' can not become an attribute");
      return {};
    }
  }

  void collectAttributes(const newir::Operation &op, const NewIrOp &entry,
                         llvm::SmallVectorImpl<NamedAttribute> &attributes) {
    for (const newir::Attribute &given : op.attributes) {
      auto known = llvm::find_if(entry.attributes,
                                 [&](const LegacyAttribute &a) { return a.legacyName == given.name; });
      if (known != entry.attributes.end()) {
        if (Attribute value = convert(*known, given.value))
          attributes.push_back(builder.getNamedAttr(known->name, value));
      } else if (!isHintAttribute(given.name) && given.name != "struct_name" && given.name != "place" &&
                 given.name != "stop_gradient" && given.name != "infer_flags" &&
                 given.name != "decrease_axis" && !llvm::is_contained(entry.ignored, given.name)) {
        report("attribute '" + llvm::Twine(given.name) + "' is not known to " + entry.target);
      }
    }
  }

  Attribute convert(const LegacyAttribute &attribute, const newir::Literal &literal) {
    auto wrong = [&](const char *expected) {
      report("attribute '" + llvm::Twine(attribute.legacyName) + "' is of kind '" + literal.kind +
             "', expected " + expected);
      return Attribute();
    };
    std::optional<double> number = newir::numberOf(literal);
    const auto *string = std::get_if<std::string>(&literal.value);
    const auto *list = std::get_if<std::vector<newir::Literal>>(&literal.value);
    switch (attribute.kind) {
    case AttributeKind::Bool:
      return number ? builder.getBoolAttr(*number != 0) : wrong("a bool");
    case AttributeKind::Int:
      return number ? builder.getI64IntegerAttr(static_cast<int64_t>(*number)) : wrong("an integer");
    case AttributeKind::Float:
      return number ? builder.getF64FloatAttr(*number) : wrong("a number");
    case AttributeKind::String:
      return string ? builder.getStringAttr(*string) : wrong("a string");
    case AttributeKind::Type:
      // The undefined type stands for none.
      return string && !llvm::StringRef(*string).starts_with_insensitive("undefined") ? typeAttribute(*string)
                                                                                      : Attribute();
    case AttributeKind::Ints:
      return list || number ? builder.getDenseI64ArrayAttr(newir::integersOf(literal))
                            : wrong("a list of integers");
    case AttributeKind::Floats: {
      llvm::SmallVector<double> numbers;
      for (const newir::Literal &element : list ? *list : std::vector<newir::Literal>{literal})
        numbers.push_back(newir::numberOf(element).value_or(0));
      return builder.getDenseF64ArrayAttr(numbers);
    }
    case AttributeKind::Strings:
      return wrong("no list of strings");
    }
    return {};
  }

  void defineResults(const newir::Operation &op, const NewIrOp &entry, Operation *made) {
    std::map<llvm::StringRef, Values> byName;
    size_t next = 0;
    for (const LegacySlot &result : entry.recordResults) {
      size_t count =
          result.arity == Arity::Variadic ? made->getNumResults() - (entry.recordResults.size() - 1) : 1;
      Values group(made->getResults().slice(next, count));
      next += count;
      byName[result.spelling] = group;
    }
    size_t count = std::min(op.outputs.size(), entry.results.size());
    for (auto [i, result] : llvm::enumerate(llvm::ArrayRef(entry.results).take_front(count)))
      if (!result.empty())
        define(op, i, withDeclaredWidth(op.outputs[i].type, byName[result]));
    dropDims(op);
  }

  /// Integers are as wide as the file says: later versions of some ops give others.
  Values withDeclaredWidth(const newir::Type &declared, Values values) {
    if (declared.kind != newir::Type::Kind::Tensor || values.size() != 1)
      return values;
    Type found = pd::tensorType(values[0]).getElementType(),
         element = pd::elementTypeOf(&context, declared.dtype);
    bool isWidth = found != element && isa<IntegerType>(found) && isa<IntegerType>(element) &&
                   !found.isInteger(1) && !element.isInteger(1);
    if (isWidth)
      if (Value wide = make("pd.cast", {values}, {builder.getNamedAttr("dtype", TypeAttr::get(element))}))
        values[0] = wide;
    return values;
  }

  /// Slices say by an attribute which dimensions of extent 1 they lose.
  void dropDims(const newir::Operation &op) {
    const newir::Literal *dropped = op.attribute("decrease_axis");
    if (!dropped || op.outputs.empty() || newir::integersOf(*dropped).empty())
      return;
    Values &value = values[op.outputs[0].id];
    Operation *made =
        makeOp(builder, location(), "pd.squeeze", {value, {}},
               {builder.getNamedAttr("axis", builder.getDenseI64ArrayAttr(newir::integersOf(*dropped)))});
    if (!made)
      return report(std::exchange(diagnostics, {}));
    value = {made->getResult(0)};
  }

  //===-- Tensor arrays and assignments to parts
  //------------------------------------------------------------------===//

  Value make(llvm::StringRef name, llvm::ArrayRef<Values> operands,
             llvm::ArrayRef<NamedAttribute> attributes = {}) {
    Operation *made = makeOp(builder, location(), name, operands, attributes);
    if (!made)
      report(std::exchange(diagnostics, {}));
    return made ? made->getResult(0) : Value();
  }

  /// An array of the file is one thing that its writes change, in the blocks inside as well: all ids that
  /// stand for it lead to the id of the op that made it, and that one to the latest value.
  int64_t arrayOf(int64_t id) const {
    auto found = arrays.find(id);
    return found == arrays.end() ? id : found->second;
  }

  void importCreateArray(const newir::Operation &op) {
    define(op, 0, {pd::ArrayCreateOp::create(builder, location())});
    if (!op.outputs.empty()) {
      arrays[op.outputs[0].id] = op.outputs[0].id;
      arrayTypes[op.outputs[0].id] = arrayTypeOf(op.outputs[0].type);
    }
  }

  /// The rank and element type that the file says; it says the dims of the first element alone.
  Type arrayTypeOf(const newir::Type &type) {
    llvm::SmallVector<int64_t> dims(type.dims.size(), ShapedType::kDynamic);
    return type.kind == newir::Type::Kind::Array
               ? pd::ArrayType::get(&context,
                                    RankedTensorType::get(dims, pd::elementTypeOf(&context, type.dtype)))
               : pd::ArrayType::get(&context, RankedTensorType());
  }

  void importArrayWrite(const newir::Operation &op) {
    if (op.inputs.size() != 3)
      return report(llvm::Twine(op.inputs.size()) + " operands, expected an array, a tensor and an index");
    int64_t array = arrayOf(op.inputs[0]);
    Values before = operand(array), x = operand(op.inputs[1]), index = operand(op.inputs[2]);
    if (isBlocked || before.empty() || x.empty() || index.empty())
      return;
    Value after = make("pd.array_write", {before, index, x});
    if (!after)
      return;
    values[array] = {after};
    if (!op.outputs.empty())
      arrays[op.outputs[0].id] = array;
  }

  /// One element of an array, or those between two bounds.
  void importArraySlice(const newir::Operation &op) {
    bool isElement = op.name == "1.slice_array_dense";
    if (op.inputs.size() != (isElement ? 2U : 3U))
      return report(llvm::Twine(op.inputs.size()) + " operands, expected " + llvm::Twine(isElement ? 2 : 3));
    llvm::SmallVector<Values> operands;
    for (int64_t id : op.inputs)
      operands.push_back(operand(id));
    Value out = isBlocked ? Value() : make(isElement ? "pd.array_read" : "pd.array_slice", operands);
    if (!out)
      return;
    define(op, 0, {out});
    if (!isElement && !op.outputs.empty()) {
      arrays[op.outputs[0].id] = op.outputs[0].id;
      arrayTypes[op.outputs[0].id] = arrayTypeOf(op.outputs[0].type);
    }
  }

  /// The arrays from outside that a block writes to: control flow has to carry them.
  void findWrittenArrays(const newir::Block &block, std::set<int64_t> &written) const {
    for (const newir::Operation &op : block.operations) {
      if (op.name == "1.array_write_" && !op.inputs.empty())
        if (auto found = arrays.find(op.inputs[0]); found != arrays.end())
          written.insert(found->second);
      for (const std::vector<newir::Block> &region : op.regions)
        for (const newir::Block &inner : region)
          findWrittenArrays(inner, written);
    }
  }

  /// An operand of integers: its constant value as an attribute, or a tensor.
  void addBounds(const newir::Operation &op, size_t number, const char *name,
                 llvm::SmallVectorImpl<Values> &operands, llvm::SmallVectorImpl<NamedAttribute> &attributes) {
    Values given = operand(op.inputs[number]);
    operands.emplace_back();
    if (given.empty())
      return;
    DenseIntElementsAttr known;
    if (!matchPattern(given[0], m_Constant(&known)))
      return void(operands.back() = given);
    llvm::SmallVector<int64_t> numbers;
    for (const APInt &value : known.getValues<APInt>())
      numbers.push_back(value.getSExtValue());
    attributes.push_back(builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(numbers)));
  }

  /// The literal values as a tensor of an element type.
  Value literalValues(const newir::Operation &op, Type element) {
    const newir::Literal *literals = op.attribute("values"), *shape = op.attribute("shape");
    const auto *list = literals ? std::get_if<std::vector<newir::Literal>>(&literals->value) : nullptr;
    Type part = isa<ComplexType>(element) ? cast<ComplexType>(element).getElementType() : element;
    llvm::SmallVector<Attribute> numbers;
    for (const newir::Literal &literal : list ? *list : std::vector<newir::Literal>()) {
      const newir::Literal &scalar = newir::scalarOf(literal);
      const auto *integer = std::get_if<int64_t>(&scalar.value);
      double number = newir::numberOf(scalar).value_or(0);
      if (part.isInteger(1))
        numbers.push_back(builder.getBoolAttr(number != 0));
      else if (isa<IntegerType>(part))
        numbers.push_back(builder.getIntegerAttr(part, integer ? *integer : static_cast<int64_t>(number)));
      else
        numbers.push_back(builder.getFloatAttr(part, number));
    }
    std::vector<int64_t> dims = shape ? newir::integersOf(*shape) : std::vector<int64_t>{1};
    auto type = RankedTensorType::get(dims, part);
    if (numbers.size() != static_cast<size_t>(type.getNumElements())) {
      report("attribute 'values' has " + llvm::Twine(numbers.size()) + " numbers, 'shape' says " +
             llvm::Twine(type.getNumElements()));
      return {};
    }
    Value made = pd::ConstantOp::create(builder, location(), type, DenseElementsAttr::get(type, numbers));
    return part == element
               ? made
               : make("pd.cast", {{made}}, {builder.getNamedAttr("dtype", TypeAttr::get(element))});
  }

  /// Operands: x, starts, ends, strides. Backwards an end that is negative also from the end goes down to the
  /// first element, which pd.slice writes as -1.
  void importStridedSlice(const newir::Operation &op) {
    Values x = op.inputs.size() == 4 ? operand(op.inputs[0]) : Values();
    const newir::Literal *literal = op.attribute("axes");
    if (x.size() != 1 || !literal)
      return isBlocked ? void() : report("expected four operands and the attribute 'axes'");
    llvm::ArrayRef<int64_t> dims = pd::tensorType(x[0]).getShape();
    std::vector<int64_t> axes = newir::integersOf(*literal);
    llvm::SmallVector<Values> operands{x};
    llvm::SmallVector<NamedAttribute> attributes{
        builder.getNamedAttr("axes", builder.getDenseI64ArrayAttr(axes))};
    constexpr const char *bounds[] = {"starts", "ends", "strides"};
    for (auto [i, name] : llvm::enumerate(bounds))
      addBounds(op, 1 + i, name, operands, attributes);
    auto listNamed = [&](llvm::StringRef name) {
      for (NamedAttribute attribute : attributes)
        if (attribute.getName() == name)
          return llvm::SmallVector<int64_t>(cast<DenseI64ArrayAttr>(attribute.getValue()).asArrayRef());
      return llvm::SmallVector<int64_t>();
    };
    llvm::SmallVector<int64_t> ends = listNamed("ends"), strides = listNamed("strides");
    for (size_t i = 0; i < std::min({ends.size(), strides.size(), axes.size()}); ++i) {
      int64_t axis = axes[i] < 0 ? axes[i] + static_cast<int64_t>(dims.size()) : axes[i];
      if (strides[i] >= 0 || ends[i] >= 0 || axis < 0 || axis >= static_cast<int64_t>(dims.size()))
        continue;
      if (ShapedType::isDynamic(dims[axis]) && ends[i] > std::numeric_limits<int32_t>::min())
        return report("an end counted from the end of an open dimension, backwards, is not supported");
      ends[i] = ShapedType::isDynamic(dims[axis]) ? -1 : std::max<int64_t>(ends[i] + dims[axis], -1);
    }
    for (NamedAttribute &attribute : attributes)
      if (attribute.getName() == "ends")
        attribute = builder.getNamedAttr("ends", builder.getDenseI64ArrayAttr(ends));
    if (Value out = isBlocked ? Value() : make("pd.slice", operands, attributes))
      define(op, 0, {out});
  }

  /// Operands: x, the values where they are a tensor, starts, ends, steps.
  void importSetValue(const newir::Operation &op) {
    bool hasTensor = llvm::StringRef(op.name).contains("with_tensor");
    if (op.inputs.size() != (hasTensor ? 5U : 4U))
      return report(llvm::Twine(op.inputs.size()) + " operands, expected " + llvm::Twine(hasTensor ? 5 : 4));
    Values x = operand(op.inputs[0]);
    if (x.size() != 1)
      return;
    auto type = cast<RankedTensorType>(x[0].getType());
    Values given = hasTensor ? operand(op.inputs[1]) : Values{literalValues(op, type.getElementType())};
    if (given.size() != 1 || !given[0])
      return;
    auto axesNamed = [&](const char *name) {
      const newir::Literal *literal = op.attribute(name);
      return literal ? newir::integersOf(*literal) : std::vector<int64_t>();
    };
    Value value = given[0];
    if (pd::tensorType(value).getElementType() != type.getElementType())
      value =
          make("pd.cast", {{value}}, {builder.getNamedAttr("dtype", TypeAttr::get(type.getElementType()))});
    if (value)
      value = alignedValue(value, type.getRank(), axesNamed("decrease_axes"), axesNamed("none_axes"));
    if (!value)
      return;
    llvm::SmallVector<Values> operands{x, {value}};
    llvm::SmallVector<NamedAttribute> attributes{
        builder.getNamedAttr("axes", builder.getDenseI64ArrayAttr(axesNamed("axes")))};
    size_t first = hasTensor ? 2 : 1;
    constexpr const char *bounds[] = {"starts", "ends", "steps"};
    for (auto [i, name] : llvm::enumerate(bounds))
      addBounds(op, first + i, name, operands, attributes);
    if (!isBlocked)
      if (Value out = make("pd.set_value", operands, attributes))
        define(op, 0, {out});
  }

  Value alignedValue(Value value, int64_t rank, llvm::ArrayRef<int64_t> decreased,
                     llvm::ArrayRef<int64_t> none) {
    AlignedAxes axes = alignedAxes(pd::tensorType(value).getRank(), rank, decreased, none);
    auto named = [&](llvm::ArrayRef<int64_t> list) {
      return builder.getNamedAttr("axis", builder.getDenseI64ArrayAttr(list));
    };
    if (!axes.dropped.empty())
      value = make("pd.squeeze", {{value}, {}}, {named(axes.dropped)});
    return value && !axes.inserted.empty() ? make("pd.unsqueeze", {{value}, {}}, {named(axes.inserted)})
                                           : value;
  }

  //===-- Control flow
  //--------------------------------------------------------------------------------------------===//

  /// A one-element tensor as the i1 that scf asks for.
  Value condition(Value tensor) {
    Operation *scalar = makeOp(builder, location(), "pd.reshape", {{tensor}, {}},
                               {builder.getNamedAttr("shape", builder.getDenseI64ArrayAttr({}))});
    return scalar ? tensor::ExtractOp::create(builder, location(), scalar->getResult(0)).getResult()
                  : Value();
  }

  /// The operands of the yield that ends a block, after importing the block at the insertion point.
  Values importBlock(const newir::Block &block) {
    Values yielded;
    const newir::Operation *outer = current;
    for (const newir::Operation &op : block.operations) {
      if (op.name != "2.yield") {
        importOp(op);
        continue;
      }
      current = &op;
      for (int64_t id : op.inputs)
        llvm::append_range(yielded, operand(id));
    }
    current = outer;
    return yielded;
  }

  Value castTo(Value value, Type type) {
    if (isa<pd::ArrayType>(type))
      return pd::widened(builder, location(), value, type);
    return value.getType() == type ? value : Value(tensor::CastOp::create(builder, location(), type, value));
  }

  /// Operands: the condition, then the values that the loop carries; the block yields the same.
  void importWhile(const newir::Operation &op) {
    if (op.inputs.empty() || op.regions.size() != 1 || op.regions[0].size() != 1 ||
        op.regions[0][0].arguments.size() + 1 != op.inputs.size())
      return report("expected one block with an argument for each operand after the condition");
    const newir::Block &block = op.regions[0][0];
    Values inits;
    llvm::SmallVector<Type> types;
    for (int64_t id : op.inputs)
      llvm::append_range(inits, operand(id));
    if (inits.size() != op.inputs.size() || isBlocked)
      return;
    types.push_back(inits[0].getType());
    for (const newir::Definition &argument : block.arguments) {
      bool isArray = argument.type.kind == newir::Type::Kind::Array;
      types.push_back(isArray ? arrayTypeOf(argument.type) : Type(tensorTypeOf(argument.type)));
      if (isArray)
        arrays[argument.id] = argument.id;
    }
    std::set<int64_t> written;
    findWrittenArrays(block, written);
    for (int64_t array : written) {
      llvm::append_range(inits, operand(array));
      types.push_back(arrayTypes[array]);
    }
    for (auto [init, type] : llvm::zip(inits, types))
      init = castTo(init, type);
    auto loop = scf::WhileOp::create(builder, location(), types, inits);
    OpBuilder::InsertionGuard guard(builder);
    llvm::SmallVector<Location> locations(types.size(), location());
    Block *before = builder.createBlock(&loop.getBefore(), {}, types, locations);
    if (Value test = condition(before->getArgument(0)))
      scf::ConditionOp::create(builder, location(), test, before->getArguments());
    Block *after = builder.createBlock(&loop.getAfter(), {}, types, locations);
    for (auto [argument, value] : llvm::zip(block.arguments, after->getArguments().drop_front()))
      values[argument.id] = {value};
    size_t firstArray = types.size() - written.size();
    for (auto [array, value] : llvm::zip(written, after->getArguments().drop_front(firstArray)))
      values[array] = {value};
    size_t known = problems.size();
    Values yielded = importBlock(block);
    for (int64_t array : written)
      llvm::append_range(yielded, operand(array));
    // What is wrong inside has been said; the loop stays without an end and is never used.
    if (problems.size() != known)
      return;
    if (yielded.size() != types.size())
      return report("the block yields " + llvm::Twine(yielded.size()) + " values, expected " +
                    llvm::Twine(types.size()));
    for (auto [value, type] : llvm::zip(yielded, types))
      value = castTo(value, type);
    scf::YieldOp::create(builder, location(), yielded);
    for (size_t i = 0; i < op.outputs.size(); ++i)
      define(op, i, {loop.getResult(i + 1)});
    for (auto [array, value] : llvm::zip(written, loop.getResults().drop_front(firstArray)))
      values[array] = {value};
    // An array that the loop carries is the one from before it, changed.
    for (auto [i, output] : llvm::enumerate(op.outputs))
      if (i + 1 < op.inputs.size() && output.type.kind == newir::Type::Kind::Array) {
        int64_t array = arrays[output.id] = arrayOf(op.inputs[i + 1]);
        values[array] = {loop.getResult(i + 1)};
        arrayTypes[array] = loop.getResult(i + 1).getType();
      }
  }

  void importIf(const newir::Operation &op) {
    Values given = op.inputs.size() == 1 ? operand(op.inputs[0]) : Values();
    Value test = given.size() == 1 ? condition(given[0]) : Value();
    if (isBlocked)
      return;
    if (!test || op.regions.size() != 2 || op.regions[0].size() != 1 || op.regions[1].size() != 1)
      return report("expected a condition and two regions of one block");
    llvm::SmallVector<Type> types;
    for (const newir::Definition &output : op.outputs)
      types.push_back(tensorTypeOf(output.type));
    std::set<int64_t> written;
    for (const std::vector<newir::Block> &region : op.regions)
      findWrittenArrays(region[0], written);
    std::vector<Values> outside;
    for (int64_t array : written) {
      types.push_back(arrayTypes[array]);
      outside.push_back(values[array]);
    }
    auto branch = scf::IfOp::create(builder, location(), types, test, /*withElseRegion=*/true);
    for (int arm = 0; arm < 2; ++arm) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(&(arm == 0 ? branch.getThenRegion() : branch.getElseRegion()).front());
      size_t before = problems.size();
      Values yielded = importBlock(op.regions[arm][0]);
      for (auto [array, value] : llvm::zip(written, outside)) {
        llvm::append_range(yielded, values[array]);
        values[array] = value;
      }
      if (problems.size() != before)
        return;
      if (yielded.size() != types.size())
        return report("an arm yields " + llvm::Twine(yielded.size()) + " values, expected " +
                      llvm::Twine(types.size()));
      for (auto [value, type] : llvm::zip(yielded, types))
        value = castTo(value, type);
      scf::YieldOp::create(builder, location(), yielded);
    }
    for (size_t i = 0; i < op.outputs.size(); ++i)
      define(op, i, {branch.getResult(i)});
    for (auto [array, value] : llvm::zip(written, branch.getResults().drop_front(op.outputs.size())))
      values[array] = {value};
  }

  //===-- Values and literals
  //-------------------------------------------------------------------------------------===//

  Values operand(int64_t id) {
    auto found = values.find(arrayOf(id));
    if (found != values.end())
      return found->second;
    isBlocked |= poisoned.count(id) != 0;
    if (!poisoned.count(id))
      report("value %" + llvm::Twine(id) + " is read before anything defines it");
    return {};
  }

  void define(const newir::Operation &op, size_t output, Values value) {
    if (output < op.outputs.size())
      values[op.outputs[output].id] = std::move(value);
  }

  std::string text(const newir::Operation &op, const char *name) {
    const newir::Literal *literal = op.attribute(name);
    const auto *string = literal ? std::get_if<std::string>(&literal->value) : nullptr;
    return string ? *string : "";
  }

  int64_t integer(const newir::Operation &op, const char *name, int64_t otherwise) {
    const newir::Literal *literal = op.attribute(name);
    std::optional<double> number = literal ? newir::numberOf(*literal) : std::nullopt;
    return number ? static_cast<int64_t>(*number) : otherwise;
  }

  Attribute typeAttribute(llvm::StringRef name) {
    if (auto dtype = dtypeFromName(name.str()))
      return TypeAttr::get(pd::elementTypeOf(&context, *dtype));
    report("'" + name + "' is no element type");
    return {};
  }

  Type elementType(const newir::Operation &op, const char *name) {
    std::string dtype = text(op, name);
    auto attribute = dyn_cast_if_present<TypeAttr>(typeAttribute(dtype));
    return attribute ? attribute.getValue() : builder.getI64Type();
  }

  Location location() {
    return current ? Location(NameLoc::get(builder.getStringAttr(current->path))) : UnknownLoc::get(&context);
  }

  void report(const llvm::Twine &message) {
    problems.add(options.source + ": " +
                     (current ? current->path + " (" + current->name + ")" : std::string()),
                 message.str());
  }

  MLIRContext &context;
  const newir::Model &model;
  const ImportOptions &options;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  Problems problems;
  std::string diagnostics;
  const newir::Operation *current = nullptr;
  /// What each id of the file stands for; lists hold several values.
  std::map<int64_t, Values> values;
  /// By the id of an array the one that it began with; and its type as far as the file says it.
  std::map<int64_t, int64_t> arrays;
  std::map<int64_t, Type> arrayTypes;
  /// Values of ops that could not be imported; an op that reads one is blocked, and reports nothing of its
  /// own.
  std::set<int64_t> poisoned;
  bool isBlocked = false;
  std::multimap<int64_t, std::pair<std::string, Value>> fetches;
};

} // namespace

bool isKnownInNewIr(llvm::StringRef name) {
  llvm::StringRef inDialect = name;
  return NewIrImporter::hasHandler(name) || (inDialect.consume_front("1.") && findNewIrOp(inDialect));
}

Result<OwningOpRef<ModuleOp>> importNewIr(MLIRContext &context, const newir::Model &model,
                                          const ImportOptions &options) {
  return NewIrImporter(context, model, options).run();
}

} // namespace proa::import
