//! The interface of the function: feeds, parameters and fetches of the model, or of a subgraph of it
//! between other values. Such a value is named by its id in the file, "%12".
#include "translator/import/common/FeedValues.h"
#include "translator/import/newir/ModelImporter.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "lib/base/support/Suggest.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace proa::import {

/// The id in "%12"; nothing for other names.
static std::optional<int64_t> idIn(llvm::StringRef name) {
  int64_t id = 0;
  if (!name.consume_front("%") || name.getAsInteger(10, id))
    return std::nullopt;
  return id;
}

static const newir::Definition *findDefinition(const std::vector<newir::Operation> &operations, int64_t id) {
  for (const newir::Operation &op : operations)
    for (const newir::Definition &output : op.outputs)
      if (output.id == id)
        return &output;
  return nullptr;
}

void ModelImporter::makeFunction() {
  module = ModuleOp::create(builder, UnknownLoc::get(&context));
  llvm::SmallVector<Type> types;
  llvm::SmallVector<DictionaryAttr> attributes;
  llvm::SmallVector<int64_t> ids;
  auto add = [&](const newir::Definition &value, llvm::StringRef role, llvm::StringRef name) {
    if (value.type.kind != newir::Type::Kind::Tensor)
      return diagnostics.add(options.source,
                             "'" + name.str() + "' is of type '" + value.type.name + "', expected a tensor");
    RankedTensorType type = tensorTypeOf(value.type);
    types.push_back(role == pd::feedAttribute ? withKnownDims(options, name.str(), type) : type);
    ids.push_back(value.id);
    attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(role, builder.getStringAttr(name))));
    argumentNames.push_back(name.str());
  };
  for (const newir::Operation &op : model.operations)
    if (op.name == "1.data" && op.outputs.size() == 1)
      add(op.outputs[0], pd::feedAttribute, text(op, "name"));
  size_t feedCount = types.size();
  for (const newir::Parameter &parameter : model.parameters) {
    bool isFed = llvm::is_contained(options.feeds, parameter.name);
    add(parameter.value, isFed ? pd::feedAttribute : pd::parameterAttribute, parameter.name);
    if (!isFed)
      variableOf[parameter.value.id] = parameter.name;
  }
  size_t own = types.size();
  for (const std::string &name : options.feeds) {
    std::optional<int64_t> id = idIn(name);
    const newir::Definition *value = id ? findDefinition(model.operations, *id) : nullptr;
    if (value && !llvm::is_contained(ids, *id))
      add(*value, pd::feedAttribute, name);
    else if (!llvm::is_contained(argumentNames, name))
      refuseName("feed", name);
  }
  isSubgraph =
      types.size() > own || (!options.feeds.empty() && llvm::any_of(llvm::seq(feedCount), [&](size_t i) {
        return !llvm::is_contained(options.feeds, argumentNames[i]);
      }));
  interfaceErrors = diagnostics;
  builder.setInsertionPointToEnd(module->getBody());
  function =
      func::FuncOp::create(builder, UnknownLoc::get(&context), "main", builder.getFunctionType(types, {}));
  function.setAllArgAttrs(attributes);
  Block *body = function.addEntryBlock();
  // GCC 12 assigns an empty value where a list in braces is assigned to a conditional expression.
  auto set = [&](size_t i, Value value) {
    Values &position = i < own ? values[ids[i]] : fed[ids[i]];
    position = {value};
  };
  for (size_t i = 0; i < ids.size(); ++i)
    set(i, body->getArgument(static_cast<unsigned>(i)));
  builder.setInsertionPointToStart(body);
  for (size_t i = 0; i < ids.size(); ++i) {
    auto known = options.feedValues.find(argumentNames[i]);
    if (known == options.feedValues.end())
      continue;
    if (Value constant = constantOf(known->second, cast<RankedTensorType>(types[i]), builder))
      set(i, constant);
  }
}

Result<Interface> ModelImporter::declaredInterface() {
  Interface interface;
  std::map<int64_t, std::string> variables;
  std::map<int64_t, std::string> own;
  for (const newir::Parameter &parameter : model.parameters) {
    bool isFed = llvm::is_contained(options.feeds, parameter.name);
    (isFed ? interface.feeds : interface.parameters)
        .emplace_back(parameter.name, tensorTypeOf(parameter.value.type));
    if (!isFed)
      variables[parameter.value.id] = parameter.name;
  }
  for (const newir::Operation &op : model.operations) {
    if (op.name == "1.data" && op.outputs.size() == 1)
      interface.feeds.emplace_back(text(op, "name"), tensorTypeOf(op.outputs[0].type));
    if (op.name == "1.fetch")
      own.emplace(integer(op, "col", static_cast<int64_t>(own.size())), text(op, "name"));
  }
  for (const std::string &name : options.feeds)
    if (llvm::none_of(interface.feeds, [&](const auto &feed) { return feed.first == name; }))
      return errorAt(options.source, "'" + name +
                                         "' is not a feed of the program, whose other values may be fed "
                                         "only if all of it can be imported with dynamic dims");
  interface.fetches = options.fetches;
  if (interface.fetches.empty())
    for (const auto &[column, name] : own)
      interface.fetches.push_back(name);
  std::set<std::string> changed;
  findChanged(model.operations, variables, changed);
  interface.states.assign(changed.begin(), changed.end());
  return interface;
}

void ModelImporter::replaceFed(const newir::Operation &op) {
  for (const newir::Definition &output : op.outputs)
    if (auto given = fed.find(output.id); given != fed.end()) {
      values[output.id] = given->second;
      poisoned.erase(output.id);
    }
}

void ModelImporter::refuseName(const char *kind, const std::string &name) {
  if (std::optional<int64_t> id = idIn(name)) {
    auto isParameter = [&](const newir::Parameter &parameter) { return parameter.value.id == *id; };
    auto parameter = llvm::find_if(model.parameters, isParameter);
    for (const newir::Operation &op : model.operations)
      if (op.name == "1.data" && op.outputs.size() == 1 && op.outputs[0].id == *id)
        return diagnostics.add(options.source, name + " is the feed '" + text(op, "name") + "'");
    return diagnostics.add(options.source, parameter != model.parameters.end()
                                               ? name + " is the parameter '" + parameter->name + "'"
                                               : "no op outside of control flow computes a tensor " + name);
  }
  std::vector<std::string> known = argumentNames;
  for (auto &[column, fetch] : fetches)
    known.push_back(fetch.first);
  diagnostics.add(options.source, "the program has no " + std::string(kind) + " '" + name + "'" +
                                      didYouMean(name, known) +
                                      "; other values are named by their ids in the file, such as '%1'");
}

Value ModelImporter::valueNamed(const std::string &name) {
  for (auto &[column, fetch] : fetches)
    if (fetch.first == name)
      return fetch.second;
  if (auto known = llvm::find(argumentNames, name); known != argumentNames.end())
    return function.getArgument(static_cast<unsigned>(known - argumentNames.begin()));
  std::optional<int64_t> id = idIn(name);
  auto found = id ? values.find(*id) : values.end();
  bool isTensor =
      found != values.end() && found->second.size() == 1 && isa<RankedTensorType>(found->second[0].getType());
  return isTensor ? found->second[0] : Value();
}

static void addOperands(const std::vector<newir::Operation> &operations, std::set<int64_t> &ids) {
  for (const newir::Operation &op : operations) {
    ids.insert(op.inputs.begin(), op.inputs.end());
    for (const std::vector<newir::Block> &region : op.regions)
      for (const newir::Block &block : region)
        addOperands(block.operations, ids);
  }
}

/// The results of ops none of whose results an op reads. Ops that change operands in place ("sgd_") update
/// state.
std::vector<std::pair<std::string, Value>> ModelImporter::unreadResults() {
  std::set<int64_t> read;
  addOperands(model.operations, read);
  std::vector<std::pair<std::string, Value>> unread;
  std::vector<std::string> names;
  for (const newir::Operation &op : model.operations) {
    if (llvm::StringRef(op.name).ends_with("_") ||
        llvm::any_of(op.outputs, [&](const newir::Definition &output) { return read.contains(output.id); }))
      continue;
    for (const newir::Definition &output : op.outputs)
      if (std::string name = "%" + std::to_string(output.id); Value value = valueNamed(name)) {
        unread.emplace_back(name, value);
        names.push_back(name);
      }
  }
  if (!unread.empty() && options.onDiagnostic)
    options.onDiagnostic({.severity = Diagnostic::Severity::Warning,
                          .location = options.source,
                          .message = unreadValuesText(names),
                          .code = "no-fetch",
                          .variable = names.front()});
  return unread;
}

std::vector<std::pair<std::string, Value>> ModelImporter::chooseFetches() {
  std::vector<std::pair<std::string, Value>> chosen;
  for (auto &[column, fetch] : fetches)
    chosen.push_back(fetch);
  if (options.fetches.empty()) {
    bool hasFetchOp = llvm::any_of(model.operations, [](const auto &op) { return op.name == "1.fetch"; });
    return hasFetchOp ? chosen : unreadResults();
  }
  auto isKnown = [&](const std::string &name) { return idIn(name) || valueNamed(name); };
  // Names of fetches are numbers; a user may give them others.
  if (!llvm::all_of(options.fetches, isKnown) && options.fetches.size() == chosen.size()) {
    for (auto [fetch, name] : llvm::zip(chosen, options.fetches))
      fetch.first = name;
    return chosen;
  }
  std::vector<std::pair<std::string, Value>> named;
  bool hasOtherErrors = diagnostics.size() > interfaceErrors.size();
  for (const std::string &name : options.fetches) {
    if (Value value = valueNamed(name))
      named.emplace_back(name, value);
    else if (!hasOtherErrors) // else an op before it could not be imported
      refuseName("fetch", name);
  }
  // Fetches that could not be imported are not among the chosen ones.
  auto isFetch = [](const newir::Operation &op) { return op.name == "1.fetch"; };
  isSubgraph |= llvm::count_if(model.operations, isFetch) > static_cast<ptrdiff_t>(chosen.size()) ||
                llvm::any_of(chosen, [&](const auto &own) { return !llvm::is_contained(named, own); });
  if (isSubgraph && named.size() == options.fetches.size()) // errors in the rest do not matter
    diagnostics = interfaceErrors;
  return named;
}

void ModelImporter::addComputedValues(std::vector<std::pair<std::string, Value>> &chosen) {
  llvm::DenseSet<Value> known;
  for (const auto &[name, value] : chosen)
    known.insert(value);
  for (const newir::Operation &op : model.operations)
    for (const newir::Definition &output : op.outputs) {
      std::string name = "%" + std::to_string(output.id);
      if (auto result = dyn_cast_or_null<OpResult>(valueNamed(name)); result && known.insert(result).second)
        chosen.emplace_back(name, result);
    }
}

void ModelImporter::finishFunction() {
  Values results;
  llvm::SmallVector<Type> types;
  llvm::SmallVector<DictionaryAttr> attributes;
  auto add = [&](llvm::StringRef role, const std::string &name, Value value) {
    results.push_back(value);
    types.push_back(value.getType());
    attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(role, builder.getStringAttr(name))));
  };
  std::vector<std::pair<std::string, Value>> chosen = chooseFetches();
  if (options.fetchesAll)
    addComputedValues(chosen);
  for (auto &[name, value] : chosen)
    add(pd::fetchAttribute, name, value);
  if (isSubgraph)
    dropStates();
  for (auto &[name, value] : states)
    add(pd::stateAttribute, name, value);
  func::ReturnOp::create(builder, UnknownLoc::get(&context), results);
  if (isSubgraph)
    eraseUnneeded();
  // State that only ignored operands read (of dropout) is not stored with the weights either.
  llvm::BitVector unused(function.getNumArguments());
  for (BlockArgument argument : function.getArguments())
    if (argument.use_empty() && !isAskedFor(argument))
      unused.set(argument.getArgNumber());
  (void)function.eraseArguments(unused);
  function.setType(builder.getFunctionType(function.getArgumentTypes(), types));
  function.setAllResultAttrs(attributes);
}

void ModelImporter::dropStates() {
  if (!states.empty() && options.onDiagnostic)
    options.onDiagnostic(
        {.severity = Diagnostic::Severity::Warning,
         .location = options.source,
         .message = "only what the fetches need is imported: " + std::to_string(states.size()) +
                    " persistable variables keep their values, '" + states.begin()->first + "' first",
         .code = "pruned-state",
         .variable = states.begin()->first});
  states.clear();
}

bool ModelImporter::isAskedFor(BlockArgument argument) {
  auto feed = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), pd::feedAttribute);
  return feed && (!isSubgraph || llvm::is_contained(options.feeds, feed.getValue()));
}

void ModelImporter::eraseUnneeded() {
  Block &body = function.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::drop_begin(llvm::reverse(body))))
    if (op.use_empty())
      op.erase();
  for (BlockArgument argument : body.getArguments()) {
    auto feed = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), pd::feedAttribute);
    if (feed && !options.feeds.empty() && !isAskedFor(argument) && !argument.use_empty())
      diagnostics.add(options.source, "feed '" + feed.str() + "' is not fed, but the fetches need it");
  }
}

} // namespace proa::import
