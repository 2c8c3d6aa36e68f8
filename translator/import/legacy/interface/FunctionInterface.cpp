#include "translator/import/legacy/interface/FunctionInterface.h"

#include "translator/import/common/FeedValues.h"
#include "translator/import/legacy/ProgramImporter.h"
#include "translator/import/legacy/interface/InterfaceFinder.h"
#include "translator/import/legacy/interface/UnreadValues.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/reference/Evaluate.h"
#include "lib/base/support/Suggest.h"

#include <map>

using namespace mlir;

namespace proa::import {
namespace {

/// Suggests variables of block 0 with a similar name.
std::string suggestion(const legacy::Program &program, const std::string &name) {
  std::vector<std::string> names;
  for (const legacy::Variable &variable : program.blocks[0].variables)
    names.push_back(variable.name);
  return didYouMean(name, names);
}

/// Says why a fetched variable has no value.
std::string whyUndefined(const legacy::Program &program, const std::string &name) {
  for (const legacy::Operation &op : program.blocks[0].operations)
    for (const legacy::Slot &slot : op.outputs)
      if (llvm::is_contained(slot.arguments, name))
        return "has no value: the output '" + slot.name + "' of '" + op.type + "' is not computed";
  for (const legacy::Variable &variable : program.blocks[0].variables)
    if (variable.name == name)
      return "has no value: it is declared, but no op of block 0 defines it";
  return "is not defined by the program" + suggestion(program, name);
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

} // namespace

Result<Interface> FunctionInterface::declared() {
  Interface found{{}, {}, fetches, {states.begin(), states.end()}};
  for (const std::string &name : feeds)
    if (RankedTensorType type = typeOf(name, program.options.source))
      found.feeds.emplace_back(name, type);
  for (const legacy::Variable *parameter : parameters)
    if (RankedTensorType type = typeOf(*parameter, program.options.source))
      found.parameters.emplace_back(parameter->name, type);
  return program.diagnostics.empty() ? Result<Interface>(std::move(found))
                                     : Result<Interface>(program.diagnostics);
}

void FunctionInterface::findFeedsAndFetches() {
  std::multimap<int64_t, std::string> fed, fetched;
  for (const legacy::Operation &op : program.legacyProgram.blocks[0].operations) {
    const legacy::Slot *slot = isFeed(op) ? op.output("Out") : isFetch(op) ? op.input("X") : nullptr;
    if (slot)
      for (const std::string &name : slot->arguments)
        (isFeed(op) ? fed : fetched).emplace(columnOf(op), name);
  }
  for (auto &[column, name] : fed)
    feeds.push_back(name);
  for (auto &[column, name] : fetched)
    fetches.push_back(name);
  fetchesUnread = fetches.empty() && program.options.fetches.empty();
  subgraph = Subgraph(program.legacyProgram, feeds, fetches, program.options.feeds, program.options.fetches);
  if (!program.options.fetches.empty())
    fetches = program.options.fetches;
  if (!program.options.feeds.empty())
    feeds = program.options.feeds;
  else if (!subgraph.isWhole())
    llvm::erase_if(feeds, [&](const std::string &name) { return !subgraph.reads(name); });
  if (fetchesUnread)
    fetches = unreadValues(program.legacyProgram);
}

/// Some outputs of legacy ops are not imported, because only Paddle's kernels use them.
void FunctionInterface::keepComputedFetches() {
  llvm::erase_if(fetches, [&](const std::string &name) {
    Value value = program.lookup(name);
    return !program.poisoned.contains(name) && (!value || !isa<RankedTensorType>(value.getType()));
  });
  if (!fetches.empty())
    program.warn("no-fetch", fetches.front(), unreadValuesText(fetches));
}

void FunctionInterface::warnOfDroppedStates() {
  if (llvm::ArrayRef<std::string> dropped = subgraph.droppedStates(); !dropped.empty())
    program.warn("pruned-state", dropped.front(),
                 "only what the fetches need is imported: " + llvm::Twine(dropped.size()) +
                     " persistable variables keep their values, '" + dropped.front() + "' first");
}

void FunctionInterface::restoreCutFeeds(const legacy::Operation &op) {
  for (const legacy::Slot &slot : op.outputs)
    for (const std::string &name : slot.arguments) {
      auto feed = subgraph.cutFeeds().contains(name) ? llvm::find(feeds, name) : feeds.end();
      if (feed != feeds.end())
        program.scope.set(name, function.getArgument(static_cast<unsigned>(feed - feeds.begin())));
    }
}

void FunctionInterface::find() {
  findFeedsAndFetches();
  InterfaceFinder finder(program.legacyProgram, program.variables, subgraph);
  for (const std::string &name : feeds)
    finder.feed(name);
  // An op that runs a block does not always list the variables of block 0 that the block reads.
  for (size_t block = 1; block < program.legacyProgram.blocks.size(); ++block)
    finder.addBlock(static_cast<int32_t>(block));
  finder.addBlock(0);
  for (const std::string &name : fetches)
    finder.fetch(name);
  // need_check_feed marks the feeds of a program without feed ops.
  if (feeds.empty())
    for (const legacy::Variable &variable : program.legacyProgram.blocks[0].variables)
      if (variable.needCheckFeed && !finder.isWritten(variable) && subgraph.reads(variable.name))
        feeds.push_back(variable.name);
  parameters = finder.parameters();
  for (const legacy::Variable *variable : finder.states())
    states.push_back(variable->name);
}

RankedTensorType FunctionInterface::typeOf(const std::string &name, const std::string &where) {
  if (const legacy::Variable *variable = program.variables.find(0, name))
    return typeOf(*variable, where);
  program.diagnostics.add(where, "variable '" + name + "' is not declared in block 0" +
                                     suggestion(program.legacyProgram, name));
  return {};
}

RankedTensorType FunctionInterface::typeOf(const legacy::Variable &variable, const std::string &where) {
  if (variable.kind != legacy::VariableKind::DenseTensor || !variable.dtype) {
    program.diagnostics.add(where, "variable '" + variable.name +
                                       "' is not a dense tensor with an element type that proa has");
    return {};
  }
  llvm::SmallVector<int64_t> shape;
  for (int64_t dim : variable.dims)
    shape.push_back(dim < 0 ? ShapedType::kDynamic : dim);
  return RankedTensorType::get(shape, pd::elementTypeOf(&program.context, *variable.dtype));
}

RankedTensorType FunctionInterface::typeOf(const Argument &argument) {
  if (!argument.lodOwner.empty())
    return RankedTensorType::get({ShapedType::kDynamic}, program.builder.getI64Type());
  if (argument.parameter)
    return typeOf(*argument.parameter, program.options.source);
  auto known = feedTypes.find(argument.name);
  RankedTensorType type =
      known == feedTypes.end() ? typeOf(argument.name, program.options.source) : known->second;
  return type ? withKnownDims(program.options, argument.name, type) : type;
}

std::vector<Argument> FunctionInterface::declareArguments() {
  std::vector<Argument> arguments;
  arguments.reserve(feeds.size() + parameters.size());
  for (const std::string &name : feeds)
    arguments.push_back({name, pd::feedAttribute, {}});
  for (const legacy::Variable *parameter : parameters)
    arguments.push_back({parameter->name, pd::parameterAttribute, {}, parameter});
  for (const std::string &name : feeds) {
    auto given = program.options.lodLevels.find(name);
    const legacy::Variable *variable = program.variables.find(0, name);
    int count = given != program.options.lodLevels.end() ? given->second : variable ? variable->lodLevel : 0;
    program.lods.isActive |= count > 0;
    for (int level = 0; level < count; ++level)
      arguments.push_back({lodName(name, level), pd::feedAttribute, name});
  }
  return arguments;
}

const legacy::Variable *FunctionInterface::parameterOf(Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  bool isOfFunction = argument && isa_and_present<func::FuncOp>(argument.getOwner()->getParentOp());
  return isOfFunction ? arguments[argument.getArgNumber()].parameter : nullptr;
}

const Tensor *FunctionInterface::knownValue(const Argument &argument) const {
  const auto &values = argument.parameter ? program.options.parameterValues : program.options.feedValues;
  auto known = values.find(argument.name);
  bool changes = argument.parameter && llvm::is_contained(states, argument.name);
  bool isShared = llvm::any_of(program.options.sharedParameters, [&](const legacy::SharedStorage &storage) {
    return storage.buffer == argument.name || llvm::is_contained(storage.members, argument.name);
  });
  return known == values.end() || changes || isShared ? nullptr : &known->second;
}

void FunctionInterface::createFunction() {
  program.module = ModuleOp::create(program.builder, UnknownLoc::get(&program.context));
  arguments = declareArguments();
  llvm::SmallVector<Type> types;
  for (const Argument &argument : arguments) {
    Type type = typeOf(argument);
    if (!type)
      program.poisoned.insert(argument.name);
    types.push_back(type ? type : program.builder.getNoneType()); // the program is refused
  }
  program.builder.setInsertionPointToEnd(program.module->getBody());
  function = func::FuncOp::create(program.builder, UnknownLoc::get(&program.context), "main",
                                  program.builder.getFunctionType(types, {}));
  Block *body = function.addEntryBlock();
  program.builder.setInsertionPointToStart(body);
  for (auto [declared, argument] : llvm::zip(arguments, body->getArguments())) {
    const std::string &name = declared.name;
    if (isa<NoneType>(argument.getType()))
      continue;
    if (declared.parameter && !declared.parameter->declaredAs.empty())
      program.warn("stored-type", name,
                   "variable '" + name + "' is declared as " + declared.parameter->declaredAs +
                       ", and the weights hold " +
                       describe(*declared.parameter->dtype, declared.parameter->dims) + ", which is used");
    VariableId id =
        declared.parameter ? program.variables.idOf(*declared.parameter) : program.variables.idOf(name);
    program.scope.set(name, id, argument);
    const Tensor *known = knownValue(declared);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (Value constant = known && type ? constantOf(*known, type, program.builder) : Value())
      program.scope.set(name, id, constant);
  }
  program.sharedBuffers.addParameters();
}

/// The new value of a parameter gets the shape of the stored one, which may differ from the declared shape
/// ([] for [1]): the next run reads it.
void FunctionInterface::keepStoredShape(const std::string &name, Value value) {
  auto argument = llvm::find_if(arguments, [&](const Argument &declared) {
    return declared.parameter && declared.parameter->name == name && !declared.parameter->declaredAs.empty();
  });
  if (argument == arguments.end() || !isa<RankedTensorType>(value.getType()))
    return;
  size_t index = static_cast<size_t>(argument - arguments.begin());
  auto stored = cast<RankedTensorType>(function.getArgument(index).getType()),
       given = cast<RankedTensorType>(value.getType());
  bool differs = stored.hasStaticShape() && given.hasStaticShape() && stored.getShape() != given.getShape() &&
                 stored.getNumElements() == given.getNumElements();
  if (differs)
    program.scope.set(name, pd::ReshapeOp::create(program.builder, UnknownLoc::get(&program.context),
                                                  given.clone(stored.getShape()), value, Value(),
                                                  program.builder.getDenseI64ArrayAttr(stored.getShape())));
}

std::vector<std::string> FunctionInterface::computedVariables() {
  llvm::StringSet<> known;
  known.insert_range(fetches);
  std::vector<std::string> names;
  for (const legacy::Operation &op : program.legacyProgram.blocks[0].operations)
    for (const legacy::Slot &slot : op.outputs)
      for (const std::string &name : slot.arguments) {
        auto result = dyn_cast_or_null<OpResult>(program.lookup(name));
        if (result && isa<RankedTensorType>(result.getType()) && known.insert(name).second)
          names.push_back(name);
      }
  return names;
}

void FunctionInterface::finish() {
  llvm::SmallVector<Value> results;
  llvm::SmallVector<Type> types;
  llvm::SmallVector<DictionaryAttr> attributes;
  auto addResult = [&](Value value, llvm::ArrayRef<NamedAttribute> roles) {
    results.push_back(value);
    types.push_back(value.getType());
    attributes.push_back(program.builder.getDictionaryAttr(roles));
  };
  auto named = [&](llvm::StringRef role, const std::string &name) {
    return program.builder.getNamedAttr(role, program.builder.getStringAttr(name));
  };
  auto add = [&](const std::string &name, llvm::StringRef role) {
    Value value = program.lookup(name);
    if (!value) {
      if (!program.poisoned.contains(name) || program.diagnostics.empty())
        program.diagnostics.add(program.options.source, "fetched variable '" + name + "' " +
                                                            whyUndefined(program.legacyProgram, name));
      return;
    }
    if (!isa<RankedTensorType>(value.getType()))
      return program.diagnostics.add(program.options.source,
                                     "fetched variable '" + name + "' is a tensor array, expected a tensor");
    addResult(value, named(role, name));
  };
  if (fetchesUnread)
    keepComputedFetches();
  for (const std::string &name : fetches)
    add(name, pd::fetchAttribute);
  if (program.options.fetchesAll)
    for (const std::string &name : computedVariables())
      add(name, pd::fetchAttribute);
  for (const std::string &name : fetches) {
    VariableLod lod = program.lods.of(name);
    for (auto [level, value] : llvm::enumerate(lod.levels))
      addResult(value, {named(pd::fetchAttribute, lodName(name, level)), named(pd::lodOwnerAttribute, name)});
    if (lod.isAmbiguous)
      program.warn(
          "fetched-lod", name,
          "fetched variable '" + name +
              "' has a LoD on some ways through the program's control flow only; it is fetched without");
  }
  auto isOwnArgument = [&](Value value, const std::string &name) {
    const legacy::Variable *parameter = parameterOf(value);
    return parameter && parameter->name == name;
  };
  for (const std::string &name : states)
    if (Value value = program.lookup(name); value && !isOwnArgument(value, name)) {
      keepStoredShape(name, value);
      add(name, pd::stateAttribute);
      if (!program.lods.levels(name).empty())
        program.warn("state-lod", name,
                     "the new value of '" + name + "' has a LoD, which is not kept between runs");
    }
  func::ReturnOp::create(program.builder, UnknownLoc::get(&program.context), results);
  function.setType(program.builder.getFunctionType(function.getArgumentTypes(), types));
  function.setAllResultAttrs(attributes);
  function.setAllArgAttrs(attributesOf(program.context, arguments));
}

} // namespace proa::import
