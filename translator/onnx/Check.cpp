#include "translator/onnx/Check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_set>

namespace proa::onnx {
namespace {

/// The names that are defined in a graph so far, in the graphs around it.
struct NameScope {
  const NameScope *parent = nullptr;
  std::unordered_set<std::string_view> names = {};

  bool has(std::string_view name) const {
    for (const NameScope *scope = this; scope; scope = scope->parent)
      if (scope->names.contains(name))
        return true;
    return false;
  }
};

class ModelChecker {
public:
  ModelChecker(const Model &model, FileReport &report) : model(model), report(report) {}

  void check() {
    checkHeader();
    NameScope scope;
    opsets = &model.opsetImports;
    checkGraph(model.graph, nullptr, scope, /*isMain=*/true);
    for (const TrainingInfo &info : model.trainingInfos)
      checkTraining(info, scope);
    for (const Function &function : model.functions)
      checkFunction(function);
    checkCalls(model, report);
  }

private:
  void fail(const Location &at, std::string message) { report.add(at.text(), std::move(message)); }

  void checkHeader() {
    if (model.irVersion <= 0)
      report.add("", "the model has no ir_version");
    else if (model.irVersion > newestIrVersion)
      report.add("",
                 fmt::format("found ir_version {}, expected {} at most", model.irVersion, newestIrVersion));
    if (model.irVersion >= 3 && model.opsetImports.empty())
      report.add("", "the model has no opset_import, which ir_version 3 and later require");
    if (model.irVersion > 0 && model.irVersion < 3 && !model.opsetImports.empty())
      report.add("", "the model has opset_import, which begins with ir_version 3");
    checkImports(Location{nullptr, "opset_import"}, model.opsetImports);
    std::set<std::string_view> keys;
    for (const auto &[key, value] : model.metadata)
      if (!keys.insert(key).second)
        report.add("", fmt::format("metadata_props has the key '{}' twice", key));
  }

  void checkImports(const Location &at, const std::vector<OpsetImport> &imports) {
    std::map<std::string_view, int64_t> versions;
    for (const OpsetImport &import : imports) {
      if (import.version < 1 || import.version > INT32_MAX)
        fail(at, fmt::format("the version of domain '{}' is {}, expected 1 or more", import.domain,
                             import.version));
      auto [first, isNew] = versions.emplace(canonicalDomain(import.domain), import.version);
      if (!isNew && first->second != import.version)
        fail(at, fmt::format("the domain '{}' is imported in the versions {} and {}, expected one",
                             import.domain, first->second, import.version));
    }
  }

  void checkGraph(const Graph &graph, const Location *parent, NameScope &scope, bool isMain = false) {
    Location at{parent, "graph", graph.name};
    if (graph.name.empty())
      fail(at, "the graph has no name");
    for (const ValueInfo &info : graph.inputs) {
      checkInfo(info, Location{&at, "input", info.name}, isMain, /*needsShape=*/true);
      if (!scope.names.insert(info.name).second)
        fail(at, fmt::format("the input '{}' is defined twice", info.name));
    }
    for (const ValueInfo &info : graph.outputs)
      checkInfo(info, Location{&at, "output", info.name}, isMain, /*needsShape=*/false);
    checkInitializers(graph, at, scope);
    checkNodes(graph.nodes, at, scope);
    for (const ValueInfo &info : graph.outputs)
      if (!info.name.empty() && !scope.names.contains(info.name))
        fail(at, fmt::format("the output '{}' is not defined in the graph", info.name));
  }

  /// Inputs and outputs of subgraphs need no type. The shapes of outputs follow from the nodes: unlike
  /// onnx.checker, runtimes ask for none.
  void checkInfo(const ValueInfo &info, const Location &at, bool isMain, bool needsShape) {
    if (info.name.empty())
      fail(at, "the value has no name");
    if (!isMain)
      return;
    if (!info.type || info.type->kind == Type::Kind::None)
      return fail(at, "the value has no type");
    const Type &type = *info.type;
    switch (type.kind) {
    case Type::Kind::Tensor:
    case Type::Kind::SparseTensor:
      if (type.elementType == DataType::Undefined)
        fail(at, "the tensor has no element type");
      if (!type.dims && needsShape)
        fail(at, "the tensor has no shape");
      break;
    case Type::Kind::Map:
      if (type.elementType == DataType::Undefined || type.element.empty())
        fail(at, "the map lacks the type of its keys or values");
      break;
    case Type::Kind::Opaque:
      if (type.opaqueName.empty())
        fail(at, "the opaque type has no name");
      break;
    default:
      if (type.element.empty())
        fail(at, "the type has no element type");
    }
  }

  void checkInitializers(const Graph &graph, const Location &at, NameScope &scope) {
    std::unordered_set<std::string_view> initialized;
    auto define = [&](const std::string &name, bool isSparse) {
      if (name.empty())
        return fail(at, "an initializer has no name");
      if (!initialized.insert(name).second)
        fail(at, fmt::format("the initializer '{}' is defined twice", name));
      if (model.irVersion <= 3 && !isSparse && !scope.names.contains(name))
        fail(at, fmt::format("the initializer '{}' is not an input, which ir_version 3 and earlier require",
                             name));
      scope.names.insert(name);
    };
    for (const TensorValue &tensor : graph.initializers)
      define(tensor.name, false);
    for (const SparseTensorValue &tensor : graph.sparseInitializers) {
      define(tensor.values.name, true);
      checkSparseTensor(tensor, at, report);
    }
  }

  void checkNodes(const std::vector<Node> &nodes, const Location &parent, NameScope &scope) {
    // Names that a later node defines, for the message.
    std::unordered_set<std::string_view> later;
    for (const Node &node : nodes)
      later.insert(node.outputs.begin(), node.outputs.end());
    for (size_t i = 0; i < nodes.size(); ++i) {
      const Node &node = nodes[i];
      Location at{&parent, "node", node.name, static_cast<int64_t>(i), node.type};
      for (const std::string &input : node.inputs)
        if (!input.empty() && !scope.has(input))
          fail(at, fmt::format("the input '{}' is not defined{}", input,
                               later.contains(input) ? " before the node: nodes must be in topological order"
                                                     : ""));
      checkNode(node, at, scope);
      for (const std::string &output : node.outputs) {
        if (output.empty())
          continue;
        if (scope.has(output))
          fail(at, fmt::format("the output '{}' is already defined, in this graph or one around it", output));
        scope.names.insert(output);
      }
    }
  }

  void checkNode(const Node &node, const Location &at, const NameScope &scope) {
    if (node.type.empty())
      fail(at, "the node has no op_type");
    if (node.inputs.empty() && node.outputs.empty())
      fail(at, "the node has neither inputs nor outputs");
    bool isImported =
        opsetOf(*opsets, node.domain) || (model.irVersion < 3 && canonicalDomain(node.domain).empty());
    if (!isImported)
      fail(at, fmt::format("the domain '{}' has no opset_import in the {}", node.domain,
                           function ? "function" : "model"));
    std::set<std::string_view> names;
    for (const Attribute &attribute : node.attributes) {
      Location where{&at, "attribute", attribute.name};
      if (!attribute.name.empty() && !names.insert(attribute.name).second)
        fail(where, "the attribute is there twice");
      checkAttribute(attribute, where, scope);
    }
  }

  void checkAttribute(const Attribute &attribute, const Location &at, const NameScope &scope) {
    if (attribute.name.empty())
      fail(at, "the attribute has no name");
    if (!attribute.reference.empty())
      checkReference(attribute.reference, at);
    if (const auto *list = std::get_if<std::vector<SparseTensorValue>>(&attribute.value))
      for (const SparseTensorValue &tensor : *list)
        checkSparseTensor(tensor, at, report);
    for (const Graph &graph : attribute.graphs()) {
      NameScope inner{&scope};
      checkGraph(graph, &at, inner);
    }
  }

  void checkReference(const std::string &name, const Location &at) {
    if (!function)
      return fail(
          at, fmt::format("it refers to the attribute '{}' of a function, but is not in a function", name));
    auto isNamed = [&](const Attribute &attribute) { return attribute.name == name; };
    if (std::find(function->attributes.begin(), function->attributes.end(), name) ==
            function->attributes.end() &&
        std::none_of(function->defaultedAttributes.begin(), function->defaultedAttributes.end(), isNamed))
      fail(at, fmt::format("it refers to the attribute '{}', which the function does not have", name));
  }

  /// Reports names that are in the list twice.
  void checkUnique(const std::vector<std::string> &names, const Location &at, const char *kind) {
    std::unordered_set<std::string_view> seen;
    for (const std::string &name : names)
      if (!seen.insert(name).second)
        fail(at, fmt::format("the {} '{}' is there twice", kind, name));
  }

  void checkFunction(const Function &item) {
    Location at{nullptr, "function", item.name};
    function = &item;
    opsets = &item.opsetImports;
    if (item.name.empty())
      fail(at, "the function has no name");
    checkImports(at, item.opsetImports);
    checkUnique(item.inputs, at, "input");
    checkUnique(item.outputs, at, "output");
    std::vector<std::string> attributes = item.attributes;
    NameScope scope;
    for (const Attribute &attribute : item.defaultedAttributes) {
      attributes.push_back(attribute.name);
      checkAttribute(attribute, Location{&at, "attribute", attribute.name}, scope);
    }
    checkUnique(attributes, at, "attribute");
    scope.names.insert(item.inputs.begin(), item.inputs.end());
    checkNodes(item.nodes, at, scope);
    for (const std::string &output : item.outputs)
      if (!scope.names.contains(output))
        fail(at, fmt::format("the output '{}' is not defined in the function", output));
    function = nullptr;
  }

  void checkTraining(const TrainingInfo &info, const NameScope &main) {
    Location at{nullptr, "training_info"};
    auto checkOne = [&](const std::optional<Graph> &graph, const Metadata &binding, const char *field) {
      if (graph) {
        NameScope inner{&main};
        checkGraph(*graph, &at, inner);
      }
      for (const auto &[initializer, output] : binding) {
        if (!isInitializer(model.graph, initializer) &&
            !(info.algorithm && isInitializer(*info.algorithm, initializer)))
          fail(at, fmt::format("{} binds '{}', which is not an initializer", field, initializer));
        if (!graph || !isOutput(*graph, output))
          fail(at,
               fmt::format("{} binds the value '{}', which is not an output of its graph", field, output));
      }
    };
    checkOne(info.initialization, info.initializationBinding, "initialization_binding");
    checkOne(info.algorithm, info.updateBinding, "update_binding");
  }

  static bool isInitializer(const Graph &graph, const std::string &name) {
    return std::any_of(graph.initializers.begin(), graph.initializers.end(),
                       [&](const TensorValue &tensor) { return tensor.name == name; });
  }

  static bool isOutput(const Graph &graph, const std::string &name) {
    return std::any_of(graph.outputs.begin(), graph.outputs.end(),
                       [&](const ValueInfo &info) { return info.name == name; });
  }

  const Model &model;
  FileReport &report;
  const Function *function = nullptr; ///< that is being checked
  const std::vector<OpsetImport> *opsets = nullptr;
};

} // namespace

void check(const Model &model, FileReport &report) { ModelChecker(model, report).check(); }

} // namespace proa::onnx
