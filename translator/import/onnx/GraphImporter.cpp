#include "translator/import/onnx/GraphImporter.h"

#include "dialects/pd/ir/Guarded.h"
#include "dialects/pd/ir/ResultNames.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "lib/base/support/Suggest.h"
#include "translator/onnx/PartialDomains.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace proa::import {

GraphImporter::GraphImporter(MLIRContext &context, const onnx::Model &model, const ImportOptions &options)
    : context(context), model(model), options(options), builder(&context), parameters(model) {
  context.loadDialect<pd::PdDialect, func::FuncDialect, scf::SCFDialect, tensor::TensorDialect>();
}

Result<OwningOpRef<ModuleOp>> GraphImporter::run() {
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    mlirErrors += (mlirErrors.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  scopes.push_back({{}, {}, {}, &model.graph});
  findNeeded();
  makeFunction();
  importNodes(model.graph);
  current = nullptr;
  finishFunction();
  if (options.feedsMayHelp)
    *options.feedsMayHelp = !diagnostics.empty() && diagnostics.size() == openErrors;
  if (!diagnostics.empty())
    return diagnostics;
  return std::move(module);
}

int64_t GraphImporter::opsetOf(llvm::StringRef domain) const {
  return onnx::opsetOf(model.opsetImports, std::string_view(domain)).value_or(1);
}

void GraphImporter::importInitializers(const onnx::Graph &graph) {
  for (const onnx::TensorValue &initializer : graph.initializers) {
    if (scopes.back().values.contains(initializer.name) ||
        (scopes.size() == 1 && !neededValues.contains(initializer.name)))
      continue;
    if (Value value = importInitializer(initializer))
      define(initializer.name, value);
    else
      scopes.back().poisoned.insert(initializer.name);
  }
}

void GraphImporter::importNodes(const onnx::Graph &graph) {
  llvm::SaveAndRestore<const onnx::Node *> outerNode(current, nullptr);
  llvm::SaveAndRestore outerIndex(currentIndex);
  importInitializers(graph);
  for (const auto &[index, node] : llvm::enumerate(graph.nodes)) {
    if (scopes.size() == 1 && !neededNodes[index])
      continue;
    current = &node;
    currentIndex = index;
    importNode(node);
  }
}

void GraphImporter::importNode(const onnx::Node &node) {
  if (node.expansion.empty())
    return importOp(node);
  if (!attempt([&] { importOp(node); }))
    return;
  for (const std::string &output : node.outputs)
    scopes.back().poisoned.erase(output);
  for (const onnx::Node &inner : node.expansion) {
    current = &inner;
    importNode(inner);
  }
  current = &node;
}

void GraphImporter::importOp(const onnx::Node &node) {
  llvm::SaveAndRestore outerErrors(reportedBefore, diagnostics.size());
  llvm::SaveAndRestore outerBlocked(isBlocked, false);
  llvm::StringRef domain = onnx::canonicalDomain(node.domain);
  int64_t opset = node.opset.value_or(opsetOf(domain));
  const OnnxOp *entry = findOnnxOp(domain, node.type, opset);
  const onnx::Schema *schema = onnx::schemaOf(std::string_view(domain), node.type, opset);
  bool refuses = schema && (!entry || entry->strings == StringUse::Refused) && refusesStrings(node, *schema);
  if (!refuses && entry && schema) {
    if (takesStoredTypes(node, *schema))
      NodeImporter(*this, node, *schema, opset, *entry, builder, location()).run();
    if (!hasReported())
      return keepStoredTypes(node, *schema);
  } else if (!refuses) {
    bool isKnown = schema || (onnx::hasSchemas(domain) && !onnx::hasAllSchemas(domain));
    report("op '" + llvm::Twine(node.type) + "' of " +
           (domain.empty() ? "ONNX" : "domain '" + domain.str() + "'") + " is not " +
           (isKnown ? "supported" : "known") + ", opset " + llvm::Twine(opset));
  }
  for (const std::string &output : node.outputs)
    if (!output.empty() && !scopes.back().values.contains(output))
      scopes.back().poisoned.insert(output);
}

bool GraphImporter::isString(const std::string &name) const {
  for (const Scope &scope : llvm::reverse(scopes)) {
    if (scope.strings.count(name))
      return true;
    if (Value value = scope.values.lookup(name))
      return storedType(value) == onnx::DataType::String;
    if (scope.poisoned.count(name))
      return false;
  }
  return false;
}

/// The parameter that value `i` belongs to; null if the schema has none.
static const onnx::SchemaParameter *parameterOf(std::span<const onnx::SchemaParameter> parameters, size_t i) {
  return parameters.empty() ? nullptr : &parameters[std::min(i, parameters.size() - 1)];
}

/// Whether attributes of a node give it strings as its result: Constant, Cast.
static bool hasStringResult(const onnx::Node &node) {
  auto isTensorOfStrings = [](const onnx::Attribute *attribute) {
    const auto *list = attribute ? std::get_if<std::vector<onnx::TensorValue>>(&attribute->value) : nullptr;
    return list && list->size() == 1 && list->front().type == onnx::DataType::String;
  };
  const onnx::Attribute *to = node.attribute("to");
  const auto *type = to ? std::get_if<int64_t>(&to->value) : nullptr;
  return node.attribute("value_string") || node.attribute("value_strings") ||
         isTensorOfStrings(node.attribute("value")) ||
         (type && *type == static_cast<int64_t>(onnx::DataType::String));
}

bool GraphImporter::refusesStrings(const onnx::Node &node, const onnx::Schema &schema) {
  constexpr llvm::StringLiteral text = "tensor(string)";
  llvm::StringRef typeOfStrings; // of the inputs
  for (size_t i = 0; i < node.inputs.size(); ++i)
    if (const onnx::SchemaParameter *parameter = parameterOf(schema.inputs, i);
        parameter && isString(node.inputs[i]) && typeOfStrings.empty())
      typeOfStrings = parameter->type;
  bool isConstant = hasStringResult(node), makesStrings = isConstant;
  for (size_t o = 0; o < node.outputs.size(); ++o) {
    const onnx::SchemaParameter *parameter = parameterOf(schema.outputs, o);
    llvm::StringRef type = parameter ? llvm::StringRef(parameter->type) : "";
    if (!isConstant && type != text && (typeOfStrings.empty() || type != typeOfStrings))
      continue;
    makesStrings = true;
    scopes.back().strings.insert(node.outputs[o]);
  }
  if (makesStrings || !typeOfStrings.empty())
    report("needs tensors of strings, which the import of this op does not take");
  return makesStrings || !typeOfStrings.empty();
}

bool GraphImporter::takesStoredTypes(const onnx::Node &node, const onnx::Schema &schema) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    Value input = find(node.inputs[i]);
    onnx::DataType stored = input ? storedTypes.lookup(input) : onnx::DataType::Undefined;
    const onnx::SchemaParameter *parameter = parameterOf(schema.inputs, i);
    if (stored == onnx::DataType::Undefined || !parameter)
      continue;
    const onnx::TypeConstraint *constraint = schema.constraint(parameter->type);
    std::string type = "tensor(" + std::string(onnx::nameOf(stored)) + ")";
    if (constraint ? constraint->types().contains(type) : parameter->type == type)
      continue;
    report("input '" + llvm::Twine(llvm::StringRef(parameter->name)) + "' has elements of type '" +
           std::string(onnx::nameOf(stored)) + "', which the op does not take");
    return false;
  }
  return true;
}

void GraphImporter::keepStoredTypes(const onnx::Node &node, const onnx::Schema &schema) {
  auto isOfOneType = [](const onnx::SchemaParameter *parameter) {
    return parameter && (parameter->option != onnx::Option::Variadic || parameter->isHomogeneous);
  };
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    Value input = find(node.inputs[i]);
    onnx::DataType stored = input ? storedTypes.lookup(input) : onnx::DataType::Undefined;
    const onnx::SchemaParameter *from = parameterOf(schema.inputs, i);
    if (stored == onnx::DataType::Undefined || !isOfOneType(from))
      continue;
    for (size_t o = 0; o < node.outputs.size(); ++o) {
      const onnx::SchemaParameter *to = parameterOf(schema.outputs, o);
      if (isOfOneType(to) && to->type == from->type)
        if (Value output = scopes.back().values.lookup(node.outputs[o]))
          storedTypes.try_emplace(output, stored);
    }
  }
}

Value GraphImporter::lookup(const std::string &name) {
  for (const Scope &scope : llvm::reverse(scopes)) {
    if (Value value = scope.values.lookup(name))
      return value;
    if (scope.poisoned.count(name)) {
      isBlocked = true;
      throw pd::InferenceError();
    }
  }
  report("value '" + llvm::Twine(name) + "' has no tensor");
  throw pd::InferenceError();
}

Value GraphImporter::find(llvm::StringRef name) const {
  for (const Scope &scope : llvm::reverse(scopes))
    if (Value value = scope.values.lookup(name))
      return value;
  return {};
}

void GraphImporter::define(const std::string &name, Value value) {
  bool isFed = scopes.size() == 1 && current && fedInside.count(name);
  if (isFed)
    return;
  scopes.back().values[name] = value;
  if (auto result = dyn_cast_if_present<OpResult>(value))
    pd::setResultName(result, name, location());
}

std::optional<Tensor> GraphImporter::knownTensor(Value value) {
  if (const Tensor *tensor = parameterTensors.lookup(value))
    return tensor->size() <= onnx::longestKnown ? std::optional(*tensor) : std::nullopt;
  return pd::knownTensor(value);
}

GraphImporter::Values GraphImporter::importBody(const onnx::Graph &graph, llvm::ArrayRef<Value> inputs) {
  scopes.push_back({{}, {}, {}, &graph});
  llvm::scope_exit popScope([&] { scopes.pop_back(); });
  for (auto [input, value] : llvm::zip(graph.inputs, inputs))
    define(input.name, value);
  size_t before = diagnostics.size();
  importNodes(graph);
  if (diagnostics.size() != before)
    return {};
  Values outputs;
  for (const onnx::ValueInfo &output : graph.outputs)
    outputs.push_back(lookup(output.name));
  return outputs;
}

std::optional<ImportFailure> GraphImporter::attempt(llvm::function_ref<void()> import) {
  size_t before = diagnostics.size(), openBefore = openErrors;
  bool wasBlocked = isBlocked;
  LogicalResult imported = pd::guarded([&]() -> LogicalResult {
    import();
    return success();
  });
  if (diagnostics.size() == before && succeeded(imported))
    return std::nullopt;
  ImportFailure failure;
  Diagnostics kept;
  for (size_t i = 0; i < diagnostics.size(); ++i)
    (i < before ? kept : failure.errors).add(diagnostics[i]);
  diagnostics = std::move(kept);
  failure.open = openErrors - openBefore;
  openErrors = openBefore;
  if (!failure.errors.empty())
    isBlocked = wasBlocked;
  return failure;
}

GraphImporter::Values GraphImporter::importBranch(const onnx::Graph &graph, Diagnostics &failures) {
  Values values;
  std::optional<ImportFailure> failure = attempt([&] { values = importBody(graph, {}); });
  if (!failure)
    return values;
  bool isOpen = failure->open > 0 && !options.deferAll;
  if (failure->errors.empty() || isOpen) {
    reportFailures(*failure);
    throw pd::InferenceError();
  }
  failures = std::move(failure->errors);
  return {};
}

/// The nodes before `end` through which `result` depends on the given names; empty if it does not.
static std::vector<size_t> nodesBetween(const onnx::Graph &graph, size_t end,
                                        const llvm::StringMap<Value> &given, const std::string &result) {
  llvm::StringSet<> changed, needed;
  changed.insert_range(given.keys());
  needed.insert(result);
  std::vector<std::pair<size_t, llvm::StringSet<>>> dependent;
  for (size_t i = 0; i < end; ++i) {
    llvm::StringSet<> read;
    addReadNames(graph.nodes[i], read);
    if (llvm::none_of(read.keys(), [&](llvm::StringRef name) { return changed.contains(name); }))
      continue;
    changed.insert_range(graph.nodes[i].outputs);
    dependent.emplace_back(i, std::move(read));
  }
  std::vector<size_t> nodes;
  for (const auto &[i, read] : llvm::reverse(dependent)) {
    bool isNeeded = llvm::any_of(graph.nodes[i].outputs, [&](const std::string &output) {
      return !output.empty() && needed.contains(output) && !given.contains(output);
    });
    if (!isNeeded)
      continue;
    nodes.push_back(i);
    needed.insert_range(read.keys());
  }
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

Value GraphImporter::importAgain(const llvm::StringMap<Value> &given, const std::string &result) {
  const onnx::Graph &graph = *scopes.back().graph;
  std::vector<size_t> nodes = nodesBetween(graph, currentIndex, given, result);
  if (nodes.empty()) {
    report("value '" + llvm::Twine(result) + "' does not follow from its inputs by the nodes before it");
    throw pd::InferenceError();
  }
  scopes.push_back({{}, {}, {}, &graph});
  llvm::scope_exit popScope([&] { scopes.pop_back(); });
  llvm::SaveAndRestore outerNode(current);
  llvm::SaveAndRestore outerIndex(currentIndex);
  for (const auto &[name, value] : given)
    scopes.back().values[name] = value;
  for (size_t i : nodes) {
    current = &graph.nodes[i];
    currentIndex = i;
    importNode(graph.nodes[i]);
    for (const auto &[name, value] : given) // which the node may compute too
      scopes.back().values[name] = value;
  }
  return lookup(result);
}

llvm::StringMap<Value> GraphImporter::importWith(const llvm::StringMap<Value> &given,
                                                 llvm::function_ref<void()> import) {
  scopes.push_back({{}, {}, {}, scopes.back().graph});
  llvm::scope_exit popScope([&] { scopes.pop_back(); });
  for (const auto &[name, value] : given)
    scopes.back().values[name] = value;
  import();
  return std::move(scopes.back().values);
}

void GraphImporter::keepKind(Value from, Value to) {
  if (onnx::DataType stored = storedTypes.lookup(from); stored != onnx::DataType::Undefined)
    storedTypes[to] = stored;
  if (auto kind = arrayKinds.find(from); kind != arrayKinds.end() && pd::isArray(to))
    arrayKinds[to] = kind->second;
}

void GraphImporter::forget(Region &region) {
  auto forgetAll = [&](ValueRange values) {
    for (Value value : values) {
      storedTypes.erase(value);
      arrayKinds.erase(value);
    }
  };
  region.walk([&](Block *block) { forgetAll(block->getArguments()); });
  region.walk([&](Operation *op) { forgetAll(op->getResults()); });
}

Location GraphImporter::location() {
  if (!current || !options.locations)
    return UnknownLoc::get(&context);
  for (const std::string &output : current->outputs)
    if (!output.empty())
      return NameLoc::get(builder.getStringAttr(output));
  return NameLoc::get(builder.getStringAttr(current->name));
}

void GraphImporter::report(const llvm::Twine &message, bool isOpen) {
  std::string where = options.source;
  onnx::Location graph{nullptr, "graph", scopes.back().graph->name};
  if (current)
    where += ": " +
             onnx::Location{&graph, "node", current->name, static_cast<int64_t>(currentIndex), current->type}
                 .text();
  else if (scopes.size() > 1)
    where += ": " + graph.text();
  openErrors += isOpen;
  diagnostics.add(where, message.str());
}

void GraphImporter::reportRefused(bool isOpen) {
  if (hasReported())
    return mlirErrors.clear();
  report(mlirErrors.empty() ? "its operands do not fit" : std::exchange(mlirErrors, {}), isOpen);
}

bool isKnownInOnnx(llvm::StringRef domain, llvm::StringRef type, int64_t opset) {
  return findOnnxOp(onnx::canonicalDomain(std::string_view(domain)), type, opset) != nullptr;
}

Result<Interface> declaredInterface(MLIRContext &context, const onnx::Model &model,
                                    const ImportOptions &options) {
  return GraphImporter(context, model, options).declaredInterface();
}

Result<OwningOpRef<ModuleOp>> importOnnx(MLIRContext &context, const onnx::Model &model,
                                         const ImportOptions &options) {
  return GraphImporter(context, model, options).run();
}

} // namespace proa::import
