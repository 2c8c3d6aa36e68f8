#include "translator/export/Export.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/ResultNames.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "translator/export/ProgramExporter.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace proa::exporter {
namespace {

/// Paddle 2.6.2 writes this number.
constexpr int64_t programVersion = 2006002;

/// An index that counts from the end; nothing for others and for those that only a run knows.
std::optional<int32_t> negativeIndex(pd::ArrayReadOp read) {
  DenseIntElementsAttr index;
  if (!matchPattern(read.getIndex(), m_Constant(&index)) || index.getNumElements() != 1)
    return std::nullopt;
  int64_t position = (*index.value_begin<APInt>()).getSExtValue();
  return position < 0 ? std::optional(static_cast<int32_t>(position)) : std::nullopt;
}

/// One element of an array: read_from_array takes no number that counts from the end.
legacy::Operation sliceOfArray(const std::string &array, int32_t index, const std::string &name) {
  legacy::Operation out;
  out.type = "slice";
  out.inputs = {{"Input", {array}}};
  out.outputs = {{"Out", {name}}};
  int32_t end = index == -1 ? std::numeric_limits<int32_t>::max() : index + 1;
  out.attributes = {{"axes", std::vector<int32_t>{0}},
                    {"starts", std::vector<int32_t>{index}},
                    {"ends", std::vector<int32_t>{end}},
                    {"decrease_axis", std::vector<int32_t>{0}},
                    {"infer_flags", std::vector<int32_t>{1}}};
  return out;
}

} // namespace

Result<legacy::Program> ProgramExporter::run() {
  program.version = programVersion;
  program.blocks.emplace_back();
  block().parent = -1;
  addHolder("feed", legacy::VariableKind::FeedMinibatch);
  addHolder("fetch", legacy::VariableKind::FetchList);
  nameResults();
  for (BlockArgument argument : main.getArguments())
    if (!roleOf(argument, pd::lodOwnerAttribute))
      addArgument(argument);
  size_t begin = block().operations.size();
  addLodArguments();
  size_t end = block().operations.size();
  addOps(main.getBody().front());
  addFetches();
  eraseUnread(begin, end);
  if (!diagnostics.empty())
    return diagnostics;
  return std::move(program);
}

void ProgramExporter::addHolder(const char *name, legacy::VariableKind kind) {
  legacy::Variable variable;
  variable.name = name;
  variable.kind = kind;
  variable.persistable = true;
  taken.insert(name);
  block().variables.push_back(variable);
}

StringAttr ProgramExporter::roleOf(BlockArgument argument, llvm::StringRef role) {
  return main.getArgAttrOfType<StringAttr>(argument.getArgNumber(), role);
}

void ProgramExporter::nameResults() {
  taken.insert(legacy::emptyVariable); // means no variable
  for (BlockArgument argument : main.getArguments())
    for (llvm::StringRef role : {pd::feedAttribute, pd::parameterAttribute})
      if (StringAttr name = roleOf(argument, role))
        taken.insert(name.getValue());
  Operation *terminator = main.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    auto name = main.getResultAttrOfType<StringAttr>(i, pd::fetchAttribute);
    if (!name || main.getResultAttr(i, pd::lodOwnerAttribute) || !taken.insert(name.getValue()).second)
      continue;
    if (isa<OpResult>(value) && !names.count(value) &&
        fetchedLod(name).empty()) // a LoD comes with a variable of its own
      names[value] = name.str();
  }
}

/// Paddle names the variables of the elements of an array by its name and an index.
std::string ProgramExporter::freshName(bool isArray) {
  std::string next;
  do
    next = "tmp_" + std::to_string(counter++) + (isArray ? ".array" : "");
  while (!taken.insert(next).second);
  return next;
}

std::string ProgramExporter::of(Value value) {
  std::string &name = names[value];
  if (!name.empty())
    return name;
  // The variable that the program was imported from, if it is still free.
  if (StringRef variable = pd::resultName(value); !variable.empty() && taken.insert(variable).second)
    return name = variable.str();
  return name = freshName(isa<pd::ArrayType>(value.getType()));
}

std::string ProgramExporter::overwritable(Value input, Operation *op) {
  // Casts are other values in the same variable.
  while (auto cast = input.getDefiningOp<tensor::CastOp>())
    input = cast.getSource();
  std::function<bool(Value)> isReadLater = [&](Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      if (auto cast = dyn_cast<tensor::CastOp>(user))
        return isReadLater(cast.getDest());
      return user != op && !(user->getBlock() == op->getBlock() && user->isBeforeInBlock(op));
    });
  };
  if (asked || (input.getParentBlock() == op->getBlock() && !isReadLater(input)))
    return of(input);
  std::string copy = variableFor(input);
  write(assign(of(input), copy));
  return copy;
}

std::string ProgramExporter::expandedAs(Value tensor, Value like) {
  if (asked) {
    asked->needsOps = true;
    return "";
  }
  legacy::Operation op;
  op.type = "expand_as_v2";
  op.inputs = {{"X", {of(tensor)}}, {"Y", {of(like)}}};
  std::vector<int32_t> dims;
  for (int64_t dim : pd::tensorType(like).getShape())
    dims.push_back(ShapedType::isDynamic(dim) ? -1 : static_cast<int32_t>(dim));
  op.attributes = {{"target_shape", dims}};
  std::string name = temporary(pd::tensorType(like).clone(pd::tensorType(tensor).getElementType()));
  op.outputs = {{"Out", {name}}};
  write(std::move(op));
  return name;
}

std::vector<std::string> ProgramExporter::elementsOf(Value vector) {
  auto type = pd::tensorType(vector);
  std::vector<std::string> elements;
  if (asked)
    asked->needsOps = true;
  for (int32_t i = 0; !asked && i < type.getDimSize(0); ++i) {
    legacy::Operation slice;
    slice.type = "slice";
    slice.inputs = {{"Input", {of(vector)}}};
    slice.attributes = {{"axes", std::vector<int32_t>{0}},
                        {"starts", std::vector<int32_t>{i}},
                        {"ends", std::vector<int32_t>{i + 1}},
                        {"decrease_axis", std::vector<int32_t>()},
                        {"infer_flags", std::vector<int32_t>{1}}};
    elements.push_back(writeTensorOp(std::move(slice), type.getElementType(), {1}));
  }
  return elements;
}

std::string ProgramExporter::temporary(RankedTensorType type) {
  std::string name = freshName();
  declareType(type, name, /*persistable=*/false, /*fed=*/false);
  return name;
}

void ProgramExporter::declareType(Type given, const std::string &name, bool persistable, bool fed) {
  auto array = dyn_cast<pd::ArrayType>(given);
  auto type = array ? array.getElement() : dyn_cast<RankedTensorType>(given);
  auto dtype = type ? pd::dtypeOf(type.getElementType()) : std::nullopt;
  // Paddle 2.6 cannot read later element types.
  bool isLater = dtype && llvm::is_contained({DType::Float8E4M3FN, DType::Float8E5M2, DType::UInt16,
                                              DType::UInt32, DType::UInt64},
                                             *dtype);
  if ((!dtype && !array) || isLater)
    return diagnostics.add("variable '" + name + "'",
                           isLater ? "has the element type " + std::string(nameOf(*dtype)) +
                                         ", which Paddle 2.6 does not have"
                                   : "is not a tensor of an element type that legacy programs have");
  if (!declared.insert(name).second)
    return;
  legacy::Variable variable;
  variable.name = name;
  variable.kind = array ? legacy::VariableKind::DenseTensorArray : legacy::VariableKind::DenseTensor;
  variable.dtype = dtype.value_or(DType::Float32);
  for (int64_t dim : type ? type.getShape() : llvm::ArrayRef<int64_t>())
    variable.dims.push_back(ShapedType::isDynamic(dim) ? -1 : dim);
  variable.persistable = persistable;
  variable.isParameter = persistable;
  variable.needCheckFeed = fed;
  block().variables.push_back(std::move(variable));
}

void ProgramExporter::addArgument(BlockArgument argument) {
  StringAttr feed = roleOf(argument, pd::feedAttribute), parameter = roleOf(argument, pd::parameterAttribute);
  if (!feed && !parameter)
    return diagnostics.add("argument " + std::to_string(argument.getArgNumber()) + " of main",
                           "expected the attribute pd.feed or pd.param");
  std::string name = (feed ? feed : parameter).str();
  names[argument] = name;
  declare(argument, name, /*persistable=*/!feed, /*fed=*/static_cast<bool>(feed));
  if (!feed)
    return;
  legacy::Operation op;
  op.type = "feed";
  op.inputs.push_back({"X", {"feed"}});
  op.outputs.push_back({"Out", {name}});
  op.attributes.push_back({"col", static_cast<int32_t>(feeds++)});
  write(std::move(op));
}

void ProgramExporter::addOps(Block &body) {
  for (Operation &op : body.without_terminator())
    addOp(op);
}

void ProgramExporter::addOp(Operation &op) {
  // A cast only says more or less of the type of the same value; the bool of a condition is a tensor.
  if (isa<tensor::CastOp, tensor::ExtractOp, pd::ArrayCastOp>(op)) {
    names[op.getResult(0)] = of(op.getOperand(0));
    return;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return addIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return addWhile(loop);
  if (isa<pd::ArrayCreateOp, pd::ArrayWriteOp, pd::ArrayReadOp, pd::ArrayReadOrOp, pd::ArrayAddOp>(op))
    return addArrayOp(op);
  if (auto gradient = dyn_cast<pd::VjpOp>(op))
    return addGradient(gradient);
  if (!addWeightGradient(op) && !addBeamSearchDecode(op) && !addFormula(op) &&
      (hasLegacyOp(&op) || !addDecomposition(op)))
    addTable(op);
}

void ProgramExporter::addTable(Operation &op) {
  auto addDiagnostics = [&](const Diagnostics &all) {
    for (const Diagnostic &found : all)
      diagnostics.add(op.getName().getStringRef().str() +
                          (op.getNumResults() ? " -> " + of(op.getResult(0)) : ""),
                      found.message);
  };
  if (isa<pd::ConstantOp>(op)) {
    Result<std::vector<legacy::Operation>> constant = exportConstant(&op, *this);
    if (!constant)
      return addDiagnostics(constant.diagnostics());
    declare(op.getResult(0), of(op.getResult(0)));
    for (legacy::Operation &operation : *constant)
      write(std::move(operation));
    return;
  }
  Result<legacy::Operation> exported = exportOp(&op, *this);
  if (!exported)
    return addDiagnostics(exported.diagnostics());
  for (Value result : op.getResults())
    declare(result, of(result));
  for (const legacy::Slot &slot : exported->outputs)
    if (slot.name == "XShape")
      declare(op.getOperand(0), slot.arguments.front());
  write(std::move(*exported));
  writeLods();
}

legacy::Operation ProgramExporter::assign(const std::string &from, const std::string &to) {
  legacy::Operation op;
  op.type = "assign";
  op.inputs.push_back({"X", {from}});
  op.outputs.push_back({"Out", {to}});
  return op;
}

/// Legacy arrays change where they are: an array that is read again after a write is copied before it.
void ProgramExporter::addArrayOp(Operation &op) {
  auto writing = dyn_cast<pd::ArrayWriteOp>(op);
  if (!writing) {
    std::string name = of(op.getResult(0));
    declare(op.getResult(0), name);
    if (isa<pd::ArrayCreateOp>(op))
      return;
    if (auto read = dyn_cast<pd::ArrayReadOp>(op))
      if (auto fromEnd = negativeIndex(read))
        return write(sliceOfArray(of(read.getArray()), *fromEnd, name));
    legacy::Operation out;
    bool isSum = isa<pd::ArrayAddOp>(op);
    out.type = isSum ? "sum" : "read_from_array";
    if (isSum)
      out.inputs = {{"X", {of(op.getOperand(0)), of(op.getOperand(1))}}};
    else // Paddle requires the slot even if it is empty
      out.inputs = {{"X", {of(op.getOperand(0))}}, {"I", {of(op.getOperand(1))}}, {"X_W", {}}};
    if (isa<pd::ArrayReadOrOp>(op))
      out.inputs.back().arguments.push_back(of(op.getOperand(2)));
    out.outputs = {{"Out", {name}}};
    return write(std::move(out));
  }
  Value array = writing.getArray();
  auto isLater = [&](Operation *user) {
    return user != &op && !(user->getBlock() == op.getBlock() && user->isBeforeInBlock(&op));
  };
  auto isRead = [&](Value value) { return llvm::any_of(value.getUsers(), isLater); };
  bool shared = isRead(array);
  for (Value source = array; auto cast = source.getDefiningOp<pd::ArrayCastOp>(); source = cast.getArray())
    shared |= llvm::any_of(cast.getArray().getUsers(),
                           [&](Operation *user) { return user != cast && isLater(user); });
  std::string name = of(array);
  if (shared) {
    name = freshName(/*isArray=*/true);
    declare(writing.getOut(), name);
    if (!isEmptyArray(array))
      write(assign(of(array), name));
  }
  names[writing.getOut()] = name;
  legacy::Operation out;
  out.type = "write_to_array";
  auto levels = writtenLods.find(writing);
  out.inputs = {
      {"X", {levels == writtenLods.end() ? of(writing.getX()) : withLod(writing.getX(), levels->second)}},
      {"I", {of(writing.getIndex())}}};
  out.outputs = {{"Out", {name}}};
  write(std::move(out));
}

bool ProgramExporter::isUnreturnedFeed(llvm::StringRef name) {
  for (BlockArgument argument : main.getArguments())
    if (StringAttr feed = roleOf(argument, pd::feedAttribute); feed && feed.getValue() == name)
      return !llvm::is_contained(main.getBody().front().getTerminator()->getOperands(), Value(argument));
  return false;
}

void ProgramExporter::addFetches() {
  Operation *terminator = main.getBody().front().getTerminator();
  int32_t column = 0;
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    auto fetch = main.getResultAttrOfType<StringAttr>(i, pd::fetchAttribute);
    auto state = main.getResultAttrOfType<StringAttr>(i, pd::stateAttribute);
    if (main.getResultAttr(i, pd::lodOwnerAttribute))
      continue;
    std::string name = of(value);
    if (state && name != state.getValue()) {
      declareType(value.getType(), state.str(), /*persistable=*/true, /*fed=*/false);
      write(assign(name, state.str()));
    }
    if (!fetch)
      continue;
    // A feed that the program changes has the last value under its name, unless the first one is returned as
    // well.
    bool isHidden = declared.contains(fetch.getValue()) && !isUnreturnedFeed(fetch.getValue());
    taken.insert(fetch.getValue());
    std::vector<Value> levels = fetchedLod(fetch);
    if (name != fetch.getValue() && !isHidden) {
      declare(value, fetch.str());
      if (levels.empty())
        write(assign(name, fetch.str()));
      else
        resetLod(name, levels, fetch.str());
      name = fetch.str();
    }
    legacy::Operation op;
    op.type = "fetch";
    op.inputs.push_back({"X", {name}});
    op.outputs.push_back({"Out", {"fetch"}});
    op.attributes.push_back({"col", column++});
    write(std::move(op));
  }
}

Result<legacy::Program> exportProgram(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal() || !main.getBody().hasOneBlock())
    return errorAt("", "the module has no function 'main' of one block");
  return ProgramExporter(main).run();
}

} // namespace proa::exporter
