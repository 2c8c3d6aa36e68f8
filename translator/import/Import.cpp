#include "translator/import/Import.h"
#include "translator/import/FusedParts.h"
#include "translator/import/GradientSlots.h"
#include "translator/import/InterfaceFinder.h"
#include "translator/import/ProgramImporter.h"
#include "translator/import/Recomputed.h"
#include "translator/import/newir/NewIrImporter.h"

#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/reference/Evaluate.h"
#include "lib/support/Suggest.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/Sequence.h"

#include <algorithm>
#include <map>

using namespace mlir;

namespace proa::import {
namespace {

/// The variables of block 0 that a user may have meant.
std::string suggestion(const legacy::Program &program, const std::string &name) {
  std::vector<std::string> names;
  for (const legacy::Variable &variable : program.blocks[0].variables)
    names.push_back(variable.name);
  return didYouMean(name, names);
}

int64_t columnOf(const legacy::Operation &op) {
  const legacy::Attribute *column = op.attribute("col");
  if (!column)
    return 0;
  if (const auto *value = std::get_if<int32_t>(&column->value))
    return *value;
  const auto *value = std::get_if<int64_t>(&column->value);
  return value ? *value : 0;
}

/// Floats steer where they are a single number: a value to pad with, a threshold.
bool maySteer(const Tensor &tensor) {
  constexpr int64_t longest = 64;
  bool isWhole = tensor.dtype() <= DType::Int64;
  return tensor.dims().size() <= 1 && tensor.size() <= (isWhole ? longest : 1);
}

} // namespace

std::map<std::string, Tensor> steering(const std::map<std::string, Tensor> &feeds) {
  std::map<std::string, Tensor> found;
  for (const auto &[name, tensor] : feeds)
    if (maySteer(tensor))
      found[name] = tensor;
  return found;
}

ProgramImporter::ProgramImporter(MLIRContext &context, const legacy::Program &program,
                                 const ImportOptions &options)
    : context(context), legacyProgram(program), options(options), variables(program), builder(&context),
      scope(variables), lods(scope), controlFlow(*this) {
  context.loadDialect<pd::PdDialect, func::FuncDialect, scf::SCFDialect, tensor::TensorDialect>();
}

Result<OwningOpRef<ModuleOp>> ProgramImporter::run() {
  if (legacyProgram.blocks.empty())
    return problem(options.source, "the program has no blocks");
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    diagnostics += (diagnostics.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  findInterface();
  warnOfDroppedStates();
  makeFunction();
  for (const legacy::Block &block : legacyProgram.blocks) {
    hasSelectedRows |= llvm::any_of(block.variables, [](const legacy::Variable &variable) {
      return variable.kind == legacy::VariableKind::SelectedRows;
    });
    for (const legacy::Operation &op : block.operations)
      if (findForwardOp(op.type)) {
        hasGradients = true;
        hasHigherGradients |= gradientOrder(op.type) > 1;
      }
  }
  findReplacedGradients();
  Names wanted(fetches.begin(), fetches.end());
  controlFlow.importBlock(0, wanted);
  finishSharedParameters();
  currentOp = nullptr;
  finishFunction();
  if (options.feedsMayHelp)
    *options.feedsMayHelp = !problems.empty() && llvm::all_of(llvm::seq(problems.size()), [&](size_t i) {
      return llvm::is_contained(consequences, i) || llvm::is_contained(ofOpenOperands, i);
    });
  if (!problems.empty())
    return withoutConsequences();
  cast<func::FuncOp>(module->getBody()->front()).setAllArgAttrs(attributesOf(context, arguments));
  return std::move(module);
}

Result<Interface> ProgramImporter::interface() {
  if (legacyProgram.blocks.empty())
    return problem(options.source, "the program has no blocks");
  findInterface();
  Interface found{{}, {}, fetches, {states.begin(), states.end()}};
  for (const std::string &name : feeds)
    if (RankedTensorType type = typeOf(name, options.source))
      found.feeds.emplace_back(name, type);
  for (const legacy::Variable *parameter : parameters)
    if (RankedTensorType type = typeOf(*parameter, options.source))
      found.parameters.emplace_back(parameter->name, type);
  return problems.empty() ? Result<Interface>(std::move(found)) : Result<Interface>(problems);
}

void ProgramImporter::findFeedsAndFetches() {
  std::multimap<int64_t, std::string> fed, fetched;
  for (const legacy::Operation &op : legacyProgram.blocks[0].operations) {
    const legacy::Slot *slot = isFeed(op) ? op.output("Out") : isFetch(op) ? op.input("X") : nullptr;
    if (slot)
      for (const std::string &name : slot->arguments)
        (isFeed(op) ? fed : fetched).emplace(columnOf(op), name);
  }
  for (auto &[column, name] : fed)
    feeds.push_back(name);
  for (auto &[column, name] : fetched)
    fetches.push_back(name);
  part = Subgraph(legacyProgram, feeds, fetches, options.feeds, options.fetches);
  if (!options.fetches.empty())
    fetches = options.fetches;
  if (!options.feeds.empty())
    feeds = options.feeds;
  else if (!part.isWhole())
    llvm::erase_if(feeds, [&](const std::string &name) { return !part.reads(name); });
}

void ProgramImporter::warnOfDroppedStates() {
  if (llvm::ArrayRef<std::string> dropped = part.droppedStates(); !dropped.empty())
    warn("pruned-state", dropped.front(),
         "only what the fetches need is imported: " + llvm::Twine(dropped.size()) +
             " persistable variables keep their values, '" + dropped.front() + "' first");
}

void ProgramImporter::restoreCutFeeds(const legacy::Operation &op) {
  for (const legacy::Slot &slot : op.outputs)
    for (const std::string &name : slot.arguments) {
      auto feed = part.cutFeeds().contains(name) ? llvm::find(feeds, name) : feeds.end();
      if (feed != feeds.end())
        scope.set(name, function.getArgument(static_cast<unsigned>(feed - feeds.begin())));
    }
}

void ProgramImporter::findInterface() {
  findFeedsAndFetches();
  InterfaceFinder finder(legacyProgram, variables, part);
  for (const std::string &name : feeds)
    finder.feed(name);
  // What a sub-block reads of block 0 is not always among the inputs of the op that runs it.
  for (size_t block = 1; block < legacyProgram.blocks.size(); ++block)
    finder.addBlock(static_cast<int32_t>(block));
  finder.addBlock(0);
  for (const std::string &name : fetches)
    finder.fetch(name);
  // A program without feed ops says by need_check_feed what it is fed.
  if (feeds.empty())
    for (const legacy::Variable &variable : legacyProgram.blocks[0].variables)
      if (variable.needCheckFeed && !finder.isWritten(variable) && part.reads(variable.name))
        feeds.push_back(variable.name);
  parameters = finder.parameters();
  for (const legacy::Variable *variable : finder.states())
    states.push_back(variable->name);
}

RankedTensorType ProgramImporter::typeOf(const std::string &name, const std::string &where) {
  if (const legacy::Variable *variable = variables.find(0, name))
    return typeOf(*variable, where);
  problems.add(where, "variable '" + name + "' is not declared in block 0" + suggestion(legacyProgram, name));
  return {};
}

RankedTensorType ProgramImporter::typeOf(const legacy::Variable &variable, const std::string &where) {
  if (variable.kind != legacy::VariableKind::DenseTensor || !variable.dtype) {
    problems.add(where,
                 "variable '" + variable.name + "' is no dense tensor with an element type that proa has");
    return {};
  }
  llvm::SmallVector<int64_t> shape;
  for (int64_t dim : variable.dims)
    shape.push_back(dim < 0 ? ShapedType::kDynamic : dim);
  return RankedTensorType::get(shape, pd::elementTypeOf(&context, *variable.dtype));
}

RankedTensorType ProgramImporter::withKnownDims(const std::string &name, RankedTensorType type) const {
  auto known = options.feedDims.find(name);
  if (known == options.feedDims.end() || static_cast<int64_t>(known->second.size()) != type.getRank())
    return type;
  llvm::SmallVector<int64_t> shape(type.getShape());
  for (auto [dim, given] : llvm::zip(shape, known->second))
    if (ShapedType::isDynamic(dim) && given >= 0)
      dim = given;
  return type.clone(shape);
}

RankedTensorType ProgramImporter::typeOf(const Argument &argument) {
  if (!argument.lodOwner.empty())
    return RankedTensorType::get({ShapedType::kDynamic}, builder.getI64Type());
  if (argument.parameter)
    return typeOf(*argument.parameter, options.source);
  auto known = feedTypes.find(argument.name);
  RankedTensorType type = known == feedTypes.end() ? typeOf(argument.name, options.source) : known->second;
  return type ? withKnownDims(argument.name, type) : type;
}

std::vector<Argument> ProgramImporter::declareArguments() {
  std::vector<Argument> arguments;
  arguments.reserve(feeds.size() + parameters.size());
  for (const std::string &name : feeds)
    arguments.push_back({name, "pd.feed", {}});
  for (const legacy::Variable *parameter : parameters)
    arguments.push_back({parameter->name, "pd.param", {}, parameter});
  for (const std::string &name : feeds) {
    auto given = options.lodLevels.find(name);
    const legacy::Variable *variable = variables.find(0, name);
    int count = given != options.lodLevels.end() ? given->second : variable ? variable->lodLevel : 0;
    lods.isActive |= count > 0;
    for (int level = 0; level < count; ++level)
      arguments.push_back({lodName(name, level), "pd.feed", name});
  }
  return arguments;
}

const legacy::Variable *ProgramImporter::parameterOf(Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  bool isOfFunction = argument && isa_and_present<func::FuncOp>(argument.getOwner()->getParentOp());
  return isOfFunction ? arguments[argument.getArgNumber()].parameter : nullptr;
}

void ProgramImporter::makeFunction() {
  module = ModuleOp::create(builder, UnknownLoc::get(&context));
  arguments = declareArguments();
  llvm::SmallVector<Type> types;
  for (const Argument &argument : arguments) {
    Type type = typeOf(argument);
    if (!type)
      poisoned.insert(argument.name);
    types.push_back(type ? type : builder.getNoneType()); // of a program that is refused
  }
  builder.setInsertionPointToEnd(module->getBody());
  function =
      func::FuncOp::create(builder, UnknownLoc::get(&context), "main", builder.getFunctionType(types, {}));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  for (auto [declared, argument] : llvm::zip(arguments, body->getArguments())) {
    const std::string &name = declared.name;
    if (isa<NoneType>(argument.getType()))
      continue;
    if (declared.parameter && !declared.parameter->declaredAs.empty())
      warn("stored-type", name,
           "variable '" + name + "' is declared as " + declared.parameter->declaredAs +
               ", and the weights hold " + describe(*declared.parameter->dtype, declared.parameter->dims) +
               ", which is used");
    VariableNumber number =
        declared.parameter ? variables.numberOf(*declared.parameter) : variables.numberOf(name);
    scope.set(name, number, argument);
    auto known = options.feedValues.find(name);
    if (known == options.feedValues.end())
      continue;
    auto elements = pd::attributeFromTensor(&context, known->second);
    if (elements.getType() == argument.getType())
      scope.set(name, number,
                pd::ConstantOp::create(builder, UnknownLoc::get(&context), argument.getType(), elements));
  }
  shareParameters();
}

void ProgramImporter::importOp(size_t index, const legacy::Operation &op) {
  currentIndex = index;
  currentOp = &op;
  if (isFeed(op) || isFetch(op))
    return;
  const LegacyOp *entry = findLegacyOp(op);
  size_t before = problems.size();
  if (controlFlow.hasPending())
    controlFlow.finishPendingBefore(op);
  if (!sharedBuffers.empty())
    readShared(op);
  LodTracker::Source lod = lods.source(op, entry);
  SlotValues rows = hasSelectedRows ? inputRows(op) : SlotValues();
  if (isConditionalBlock(op)) {
    controlFlow.importConditionalBlock(op);
  } else if (op.type == "select_input") {
    controlFlow.importSelectInput(op);
  } else if (op.type == "select_output") {
    controlFlow.importSelectOutput(op);
  } else if (op.type == "while") {
    controlFlow.importWhile(op);
  } else if (op.type == "recurrent") {
    controlFlow.importRecurrent(op);
  } else if (op.type == "pylayer") {
    controlFlow.importPyLayer(op);
  } else if (op.type == "pylayer_grad") {
    controlFlow.importPyLayerGradient(op);
  } else if (op.type == "conditional_block_grad" || op.type == "while_grad" || op.type == "recurrent_grad") {
    controlFlow.importBlockGradient(op);
  } else if (!entry && findForwardOp(op.type)) {
    importGradient(op);
  } else if (!entry) {
    report("op '" + op.type + "' is not known");
  } else {
    if (hasGradients)
      recordProducer(op);
    importKnownOp(op, *entry);
  }
  if (problems.size() == before) {
    if (hasSelectedRows)
      shareRows(op, rows);
    lods.share(op, entry, lod);
    writeShared(op);
    return replaceGradients(op);
  }
  for (const legacy::Slot &slot : op.outputs)
    for (const std::string &name : slot.arguments)
      poisoned.insert(name);
}

void ProgramImporter::importByEntry(OpImporter &importer) {
  importer.takesArrays = importer.entry->takesArrays;
  if (isRecomputed(importer.op))
    keepApart(importer);
  importWithFusedParts(importer);
}

void ProgramImporter::importWithFusedParts(OpImporter &importer) {
  importer.runGuarded([&] { importFusedParts(importer); });
}

void ProgramImporter::importFusedParts(OpImporter &importer) {
  size_t before = problems.size();
  FusedParts fused(importer, *importer.entry);
  if (problems.size() != before)
    return;
  auto importOp = [&] {
    if (!importer.entry->hook)
      return importer.importByTable();
    importer.entry->hook(importer);
    if (problems.size() == before)
      importer.reportUnread();
  };
  if (fused.empty())
    return importOp();
  fused.applyToInputs();
  Results results;
  {
    auto *outer = std::exchange(importer.capturedOutputs, &results);
    llvm::scope_exit restore([&] { importer.capturedOutputs = outer; });
    if (problems.size() == before)
      importOp();
  }
  auto first = results.find(importer.entry->outputs.begin()->spelling.str());
  if (problems.size() != before || first == results.end())
    return;
  first->second.front() = fused.applyToResult(first->second.front());
  for (auto &[slot, values] : results)
    importer.setOutputs(slot, values);
}

void ProgramImporter::define(const std::string &name, VariableNumber number, Value value) {
  if (name == legacy::emptyVariable)
    return;
  if (defined)
    defined->emplace_back(&name, value);
  scope.set(name, number, value);
  lods.clear(name);
  if (hasSelectedRows)
    setRows(name, Value());
  if (!poisoned.empty())
    poisoned.erase(name);
  if (!options.onDiagnostic)
    return;
  const legacy::Variable *declared = variables.find(currentBlock, number);
  if (!declared || !declared->dtype || declared->kind != legacy::VariableKind::DenseTensor)
    return;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return;
  auto inferred = pd::dtypeOf(type.getElementType());
  bool same = inferred == declared->dtype && type.getRank() == static_cast<int64_t>(declared->dims.size());
  for (int64_t d = 0; same && d < type.getRank(); ++d)
    same = type.isDynamicDim(d) || declared->dims[d] < 0 || type.getDimSize(d) == declared->dims[d];
  if (same)
    return;
  std::vector<int64_t> dims(type.getShape());
  for (int64_t &dim : dims)
    if (ShapedType::isDynamic(dim))
      dim = -1;
  warn("declared-type", name,
       "variable '" + name + "' is declared as " + describe(*declared->dtype, declared->dims) +
           " and inferred as " + describe(inferred.value_or(DType::Float32), dims));
}

/// The next run takes the new value of a parameter where this one took the stored one, whose shape may not be
/// the declared one: [] for [1].
void ProgramImporter::keepStoredShape(const std::string &name, Value value) {
  auto argument = llvm::find_if(arguments, [&](const Argument &declared) {
    return declared.parameter && declared.parameter->name == name && !declared.parameter->declaredAs.empty();
  });
  if (argument == arguments.end() || !isa<RankedTensorType>(value.getType()))
    return;
  size_t number = static_cast<size_t>(argument - arguments.begin());
  auto stored = cast<RankedTensorType>(function.getArgument(number).getType()),
       given = cast<RankedTensorType>(value.getType());
  bool differs = stored.hasStaticShape() && given.hasStaticShape() && stored.getShape() != given.getShape() &&
                 stored.getNumElements() == given.getNumElements();
  if (differs)
    scope.set(name, pd::ReshapeOp::create(builder, UnknownLoc::get(&context), given.clone(stored.getShape()),
                                          value, Value(), builder.getDenseI64ArrayAttr(stored.getShape())));
}

void ProgramImporter::finishFunction() {
  llvm::SmallVector<Value> results;
  llvm::SmallVector<Type> types;
  llvm::SmallVector<DictionaryAttr> attributes;
  auto addResult = [&](Value value, llvm::ArrayRef<NamedAttribute> roles) {
    results.push_back(value);
    types.push_back(value.getType());
    attributes.push_back(builder.getDictionaryAttr(roles));
  };
  auto named = [&](const char *role, const std::string &name) {
    return builder.getNamedAttr(role, builder.getStringAttr(name));
  };
  auto add = [&](const std::string &name, const char *role) {
    Value value = lookup(name);
    if (!value) {
      if (!poisoned.contains(name) || problems.empty())
        problems.add(options.source, "fetched variable '" + name + "' is not defined by the program" +
                                         suggestion(legacyProgram, name));
      return;
    }
    if (!isa<RankedTensorType>(value.getType()))
      return problems.add(options.source,
                          "fetched variable '" + name + "' is a tensor array, expected a tensor");
    addResult(value, named(role, name));
  };
  for (const std::string &name : fetches)
    add(name, "pd.fetch");
  for (const std::string &name : fetches) {
    VariableLod lod = lods.of(name);
    for (auto [level, value] : llvm::enumerate(lod.levels))
      addResult(value, {named("pd.fetch", lodName(name, level)), named("pd.lod_of", name)});
    if (lod.isAmbiguous)
      warn("fetched-lod", name,
           "fetched variable '" + name +
               "' has a LoD on some ways through the program's control flow only; it is fetched without");
  }
  auto isOwnArgument = [&](Value value, const std::string &name) {
    const legacy::Variable *parameter = parameterOf(value);
    return parameter && parameter->name == name;
  };
  for (const std::string &name : states)
    if (Value value = lookup(name); value && !isOwnArgument(value, name)) {
      keepStoredShape(name, value);
      add(name, "pd.state");
      if (!lods.levels(name).empty())
        warn("state-lod", name, "the new value of '" + name + "' has a LoD, which is not kept between runs");
    }
  func::ReturnOp::create(builder, UnknownLoc::get(&context), results);
  function.setType(builder.getFunctionType(function.getArgumentTypes(), types));
  function.setAllResultAttrs(attributes);
}

Location ProgramImporter::locationOf(size_t index, const legacy::Operation &op) {
  Location line = UnknownLoc::get(&context);
  if (!options.locations)
    return line;
  if (auto source = op.sourceLine())
    line = FileLineColLoc::get(&context, source->file, source->line, 0);
  for (const legacy::Slot &slot : op.outputs)
    if (!slot.arguments.empty())
      return NameLoc::get(builder.getStringAttr(slot.arguments.front()), line);
  return line;
}

Diagnostic ProgramImporter::atCurrentOp() const {
  Diagnostic place;
  place.file = options.source;
  if (!currentOp)
    return place;
  place.block = currentBlock;
  place.op = static_cast<int64_t>(currentIndex);
  place.opType = currentOp->type;
  for (const legacy::Slot &slot : currentOp->outputs)
    if (!slot.arguments.empty()) {
      place.output = slot.arguments.front();
      break;
    }
  if (auto source = currentOp->sourceLine()) {
    place.pythonFile = source->file;
    place.pythonLine = source->line;
  }
  return place;
}

void ProgramImporter::report(const llvm::Twine &message) {
  problems.add(atCurrentOp().where(), message.str());
}

void ProgramImporter::reportConsequence(const llvm::Twine &message) {
  consequences.push_back(problems.size());
  report(message);
}

Problems ProgramImporter::withoutConsequences() const {
  Problems causes;
  auto next = consequences.begin();
  for (size_t i = 0; i < problems.size(); ++i) {
    if (next != consequences.end() && *next == i)
      ++next;
    else
      causes.add(problems[i].where, problems[i].message);
  }
  return causes.empty() ? problems : causes;
}

void ProgramImporter::warn(const char *code, llvm::StringRef variable, const llvm::Twine &message) {
  if (!options.onDiagnostic)
    return;
  Diagnostic warning = atCurrentOp();
  warning.code = code;
  warning.variable = variable.str();
  warning.message = message.str();
  if (heldWarnings)
    heldWarnings->push_back(std::move(warning));
  else
    options.onDiagnostic(warning);
}

void ProgramImporter::releaseWarnings() {
  std::vector<Diagnostic> warnings = heldWarnings ? std::move(*heldWarnings) : std::vector<Diagnostic>();
  heldWarnings.reset();
  if (options.onDiagnostic)
    for (const Diagnostic &warning : warnings)
      options.onDiagnostic(warning);
}

void ProgramImporter::reportRefused(llvm::ArrayRef<llvm::SmallVector<Value>> operands) {
  auto isOpen = [](Value operand) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    return type && (!type.hasStaticShape() || (type.getElementType().isIntOrIndex() && type.getRank() <= 1 &&
                                               !pd::allKnownElements(operand)));
  };
  if (llvm::any_of(operands, [&](const auto &group) { return llvm::any_of(group, isOpen); }))
    ofOpenOperands.push_back(problems.size());
  report(takeDiagnostics());
}

std::string ProgramImporter::takeDiagnostics() { return std::exchange(diagnostics, {}); }

Result<OwningOpRef<ModuleOp>> importProgram(MLIRContext &context, const legacy::Program &program,
                                            const ImportOptions &options) {
  if (program.newIr)
    return importNewIr(context, *program.newIr, options);
  ProgramImporter first(context, program, options);
  first.heldWarnings.emplace();
  auto imported = first.run();
  if (first.feedTypes.empty()) {
    first.releaseWarnings();
    return imported;
  }
  ProgramImporter second(context, program, options);
  second.feedTypes = std::move(first.feedTypes);
  return second.run();
}

Result<Interface> declaredInterface(MLIRContext &context, const legacy::Program &program,
                                    const ImportOptions &options) {
  return ProgramImporter(context, program, options).interface();
}

} // namespace proa::import
