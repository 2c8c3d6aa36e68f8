#include "translator/import/newir/NewIrImporter.h"

#include "dialects/pd/Infer.h"
#include "dialects/pd/creation/Creation.h"
#include "translator/import/MakeOp.h"
#include "translator/import/newir/NewIrTable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/BitVector.h"

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

private:
  //===-- The function --------------------------------------------------------------------------------------------===//

  void makeFunction() {
    module = ModuleOp::create(builder, UnknownLoc::get(&context));
    llvm::SmallVector<Type> types;
    llvm::SmallVector<DictionaryAttr> attributes;
    llvm::SmallVector<int64_t> ids;
    auto add = [&](const newir::Definition &value, const char *role, llvm::StringRef name) {
      if (value.type.kind != newir::Type::Kind::Tensor)
        return problems.add(options.source, "'" + name.str() + "' is of type '" + value.type.name + "', expected a tensor");
      types.push_back(tensorTypeOf(value.type));
      ids.push_back(value.id);
      attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(role, builder.getStringAttr(name))));
    };
    for (const newir::Operation &op : model.operations)
      if (op.name == "1.data" && op.outputs.size() == 1)
        add(op.outputs[0], "pd.feed", text(op, "name"));
    for (const newir::Parameter &parameter : model.parameters)
      add(parameter.value, "pd.param", parameter.name);
    builder.setInsertionPointToEnd(module->getBody());
    function = func::FuncOp::create(builder, UnknownLoc::get(&context), "main", builder.getFunctionType(types, {}));
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
      attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr("pd.fetch", builder.getStringAttr(name))));
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

  //===-- Ops -----------------------------------------------------------------------------------------------------===//

  void importOp(const newir::Operation &op) {
    if (op.name == "1.data")
      return;
    current = &op;
    size_t before = problems.size();
    isBlocked = false;
    if (op.name == "1.fetch" || op.name == "1.shadow_output")
      importFetch(op);
    else if (op.name == "0.combine")
      importCombine(op);
    else if (op.name == "0.split" || op.name == "0.slice")
      importElements(op);
    else if (op.name == "1.full_int_array")
      importIntegers(op);
    else if (op.name == "1.while")
      importWhile(op);
    else if (op.name == "1.if")
      importIf(op);
    else
      importByTable(op);
    if (problems.size() != before || isBlocked)
      for (const newir::Definition &output : op.outputs)
        poisoned.insert(output.id);
  }

  void importFetch(const newir::Operation &op) {
    Values value = op.inputs.empty() ? Values() : operand(op.inputs[0]);
    if (value.size() == 1)
      fetches.emplace(integer(op, "col", static_cast<int64_t>(fetches.size())), std::make_pair(text(op, "name"), value[0]));
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
    std::vector<int64_t> numbers = value ? integers(*value) : std::vector<int64_t>();
    auto type = RankedTensorType::get({static_cast<int64_t>(numbers.size())}, elementType(op, "dtype"));
    llvm::SmallVector<Attribute> elements;
    if (!type.getElementType().isInteger())
      return report("attribute 'dtype' is no type of integers");
    for (int64_t number : numbers)
      elements.push_back(builder.getIntegerAttr(type.getElementType(), number));
    define(op, 0, {pd::ConstantOp::create(builder, location(), type, DenseElementsAttr::get(type, elements))});
  }

  void importByTable(const newir::Operation &op) {
    llvm::StringRef name = op.name;
    const NewIrOp *entry = name.consume_front("1.") ? findNewIrOp(name) : nullptr;
    if (!entry)
      return report("op '" + llvm::Twine(op.name) + "' is not known");
    size_t before = problems.size();
    std::map<std::string, Values> operands;
    llvm::SmallVector<NamedAttribute> attributes;
    collectOperands(op, *entry, operands, attributes);
    collectAttributes(op, *entry, attributes);
    llvm::SmallVector<Values> groups;
    for (const LegacySlot &slot : entry->recordOperands) {
      groups.push_back(operands[slot.spelling]);
      if (slot.arity == Arity::Required && groups.back().size() != 1 && !isBlocked)
        report("operand '" + llvm::Twine(slot.spelling) + "' has " + llvm::Twine(groups.back().size()) + " values, expected one");
    }
    if (problems.size() != before || isBlocked)
      return;
    Operation *made = makeOp(builder, location(), entry->target, groups, attributes);
    if (!made)
      return report(std::exchange(diagnostics, {}));
    defineResults(op, *entry, made);
  }

  void collectOperands(const newir::Operation &op, const NewIrOp &entry, std::map<std::string, Values> &operands,
                       llvm::SmallVectorImpl<NamedAttribute> &attributes) {
    if (op.inputs.size() > entry.operands.size())
      return report(llvm::Twine(op.inputs.size()) + " operands, expected at most " + llvm::Twine(entry.operands.size()));
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
    } else if (auto full = value.getDefiningOp<pd::FullOp>(); full && !full.getValueTensor() && !full.getShapeTensor()) {
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

  void collectAttributes(const newir::Operation &op, const NewIrOp &entry, llvm::SmallVectorImpl<NamedAttribute> &attributes) {
    for (const newir::Attribute &given : op.attributes) {
      auto known = llvm::find_if(entry.attributes, [&](const LegacyAttribute &a) { return a.legacyName == given.name; });
      if (known != entry.attributes.end()) {
        if (Attribute value = convert(*known, given.value))
          attributes.push_back(builder.getNamedAttr(known->name, value));
      } else if (!isHintAttribute(given.name) && given.name != "struct_name" && given.name != "place" &&
                 given.name != "stop_gradient" && given.name != "infer_flags" && given.name != "decrease_axis" &&
                 !llvm::is_contained(entry.ignored, given.name)) {
        report("attribute '" + llvm::Twine(given.name) + "' is not known to " + entry.target);
      }
    }
  }

  Attribute convert(const LegacyAttribute &attribute, const newir::Literal &literal) {
    auto wrong = [&](const char *expected) {
      report("attribute '" + llvm::Twine(attribute.legacyName) + "' is of kind '" + literal.kind + "', expected " + expected);
      return Attribute();
    };
    std::optional<double> number = numberOf(literal);
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
      return string && *string != "undefined" ? typeAttribute(*string) : Attribute();
    case AttributeKind::Ints:
      return list || number ? builder.getDenseI64ArrayAttr(integers(literal)) : wrong("a list of integers");
    case AttributeKind::Floats: {
      llvm::SmallVector<double> numbers;
      for (const newir::Literal &element : list ? *list : std::vector<newir::Literal>{literal})
        numbers.push_back(numberOf(element).value_or(0));
      return builder.getDenseF64ArrayAttr(numbers);
    }
    case AttributeKind::Strings:
      return wrong("no list of strings");
    }
    return {};
  }

  void defineResults(const newir::Operation &op, const NewIrOp &entry, Operation *made) {
    std::map<std::string, Values> byName;
    size_t next = 0;
    for (const LegacySlot &result : entry.recordResults) {
      size_t count = result.arity == Arity::Variadic ? made->getNumResults() - (entry.recordResults.size() - 1) : 1;
      Values group(made->getResults().slice(next, count));
      next += count;
      byName[result.spelling] = group;
    }
    for (size_t i = 0; i < op.outputs.size() && i < entry.results.size(); ++i)
      if (!entry.results[i].empty())
        define(op, i, byName[entry.results[i]]);
    dropDims(op);
  }

  /// Slices say by an attribute which dimensions of extent 1 they lose.
  void dropDims(const newir::Operation &op) {
    const newir::Literal *dropped = op.attribute("decrease_axis");
    if (!dropped || op.outputs.empty() || integers(*dropped).empty())
      return;
    Values &value = values[op.outputs[0].id];
    Operation *made = makeOp(builder, location(), "pd.squeeze", {value, {}},
                             {builder.getNamedAttr("axis", builder.getDenseI64ArrayAttr(integers(*dropped)))});
    if (!made)
      return report(std::exchange(diagnostics, {}));
    value = {made->getResult(0)};
  }

  //===-- Control flow --------------------------------------------------------------------------------------------===//

  /// A one-element tensor as the i1 that scf asks for.
  Value condition(Value tensor) {
    Operation *scalar = makeOp(builder, location(), "pd.reshape", {{tensor}, {}},
                               {builder.getNamedAttr("shape", builder.getDenseI64ArrayAttr({}))});
    return scalar ? tensor::ExtractOp::create(builder, location(), scalar->getResult(0)).getResult() : Value();
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
    for (const newir::Definition &argument : block.arguments)
      types.push_back(tensorTypeOf(argument.type));
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
    size_t known = problems.size();
    Values yielded = importBlock(block);
    // What is wrong inside has been said; the loop stays without an end and is never used.
    if (problems.size() != known)
      return;
    if (yielded.size() != types.size())
      return report("the block yields " + llvm::Twine(yielded.size()) + " values, expected " + llvm::Twine(types.size()));
    for (auto [value, type] : llvm::zip(yielded, types))
      value = castTo(value, type);
    scf::YieldOp::create(builder, location(), yielded);
    for (size_t i = 0; i < op.outputs.size(); ++i)
      define(op, i, {loop.getResult(i + 1)});
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
    auto branch = scf::IfOp::create(builder, location(), types, test, /*withElseRegion=*/true);
    for (int arm = 0; arm < 2; ++arm) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(&(arm == 0 ? branch.getThenRegion() : branch.getElseRegion()).front());
      size_t before = problems.size();
      Values yielded = importBlock(op.regions[arm][0]);
      if (problems.size() != before)
        return;
      if (yielded.size() != types.size())
        return report("an arm yields " + llvm::Twine(yielded.size()) + " values, expected " + llvm::Twine(types.size()));
      for (auto [value, type] : llvm::zip(yielded, types))
        value = castTo(value, type);
      scf::YieldOp::create(builder, location(), yielded);
    }
    for (size_t i = 0; i < op.outputs.size(); ++i)
      define(op, i, {branch.getResult(i)});
  }

  //===-- Values and literals -------------------------------------------------------------------------------------===//

  Values operand(int64_t id) {
    auto found = values.find(id);
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

  static std::optional<double> numberOf(const newir::Literal &literal) {
    if (const auto *flag = std::get_if<bool>(&literal.value))
      return *flag;
    if (const auto *integer = std::get_if<int64_t>(&literal.value))
      return static_cast<double>(*integer);
    if (const auto *real = std::get_if<double>(&literal.value))
      return *real;
    // "1.a_scalar": the name of its type, then the value.
    const auto *list = std::get_if<std::vector<newir::Literal>>(&literal.value);
    return list && literal.kind == "1.a_scalar" && list->size() == 2 ? numberOf((*list)[1]) : std::nullopt;
  }

  static std::vector<int64_t> integers(const newir::Literal &literal) {
    std::vector<int64_t> out;
    if (const auto *list = std::get_if<std::vector<newir::Literal>>(&literal.value))
      for (const newir::Literal &element : *list)
        out.push_back(static_cast<int64_t>(numberOf(element).value_or(0)));
    else if (auto number = numberOf(literal))
      out.push_back(static_cast<int64_t>(*number));
    return out;
  }

  std::string text(const newir::Operation &op, const char *name) {
    const newir::Literal *literal = op.attribute(name);
    const auto *string = literal ? std::get_if<std::string>(&literal->value) : nullptr;
    return string ? *string : "";
  }

  int64_t integer(const newir::Operation &op, const char *name, int64_t otherwise) {
    const newir::Literal *literal = op.attribute(name);
    std::optional<double> number = literal ? numberOf(*literal) : std::nullopt;
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
    problems.add(options.source + ": " + (current ? current->path + " (" + current->name + ")" : std::string()), message.str());
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
  /// Values of ops that could not be imported; an op that reads one is blocked, and reports nothing of its own.
  std::set<int64_t> poisoned;
  bool isBlocked = false;
  std::multimap<int64_t, std::pair<std::string, Value>> fetches;
};

} // namespace

Result<OwningOpRef<ModuleOp>> importNewIr(MLIRContext &context, const newir::Model &model, const ImportOptions &options) {
  return NewIrImporter(context, model, options).run();
}

} // namespace proa::import
