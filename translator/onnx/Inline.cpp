#include "translator/onnx/Inline.h"

#include "lib/base/support/FileReport.h"
#include "translator/onnx/Location.h"
#include "translator/onnx/Schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace proa::onnx {
namespace {

/// Calls `use` with each name of a value in the nodes and their subgraphs.
template <class Use> void forEachName(std::vector<Node> &nodes, Use use);

template <class Use> void forEachName(Graph &graph, Use use) {
  for (auto *list : {&graph.inputs, &graph.outputs, &graph.valueInfos})
    for (ValueInfo &info : *list)
      use(info.name);
  for (TensorValue &tensor : graph.initializers)
    use(tensor.name);
  for (SparseTensorValue &tensor : graph.sparseInitializers)
    use(tensor.values.name);
  for (QuantizationAnnotation &annotation : graph.quantization) {
    use(annotation.tensor);
    for (auto &[parameter, tensor] : annotation.parameters)
      use(tensor);
  }
  forEachName(graph.nodes, use);
}

template <class Use> void forEachName(std::vector<Node> &nodes, Use use) {
  for (Node &node : nodes) {
    for (auto *list : {&node.inputs, &node.outputs})
      for (std::string &name : *list)
        use(name);
    for (Attribute &attribute : node.attributes)
      if (auto *graphs = attribute.mutableGraphs())
        for (Graph &graph : *graphs)
          forEachName(graph, use);
  }
}

/// A call of a function that is being inlined.
struct Call {
  const Node &node;
  const Function &function;
  std::string name;
  std::unordered_map<std::string, std::string> names; ///< of values in the function, in the caller
};

class FunctionInliner {
public:
  FunctionInliner(Model &model, FileReport &report, size_t maxNodes)
      : model(model), report(report), maxNodes(maxNodes), functionList(std::move(model.functions)) {
    model.functions.clear();
    for (const Function &function : functionList)
      functions.emplace(functionId(function.domain, function.name, function.overload), &function);
  }

  void run() {
    auto each = [&](auto action) {
      action(model.graph);
      for (TrainingInfo &info : model.trainingInfos)
        for (std::optional<Graph> *graph : {&info.initialization, &info.algorithm})
          if (*graph)
            action(**graph);
    };
    each([&](Graph &graph) { forEachName(graph, [&](std::string &name) { used.insert(name); }); });
    importOpsets();
    each([&](Graph &graph) { expandGraph(graph, nullptr); });
  }

private:
  void fail(const Location &at, std::string message) { report.add(at.text(), std::move(message)); }

  void importOpsets() {
    for (const Function &function : functionList)
      for (const OpsetImport &import : function.opsetImports)
        if (!opsetOf(model.opsetImports, import.domain))
          model.opsetImports.push_back(import);
  }

  void expandGraph(Graph &graph, const Location *parent) {
    Location at{parent, "graph", graph.name};
    std::vector<Node> nodes = std::move(graph.nodes);
    graph.nodes.clear();
    expandNodes(std::move(nodes), graph, at);
  }

  /// Appends the nodes to the graph, with functions instead of calls.
  void expandNodes(std::vector<Node> nodes, Graph &graph, const Location &parent) {
    for (size_t i = 0; i < nodes.size() && !isTooLarge; ++i) {
      Node &node = nodes[i];
      Location at{&parent, "node", node.name, static_cast<int64_t>(i), node.type};
      for (Attribute &attribute : node.attributes) {
        Location where{&at, "attribute", attribute.name};
        if (auto *graphs = attribute.mutableGraphs())
          for (Graph &subgraph : *graphs)
            expandGraph(subgraph, &where);
      }
      if (++nodeCount > maxNodes) {
        isTooLarge = true;
        return fail(at, fmt::format("more than {} nodes and calls with the nodes of functions", maxNodes));
      }
      auto callee = functions.find(functionId(node.domain, node.type, node.overload));
      if (callee != functions.end()) {
        if (!staysCall(node)) {
          expandCall(node, *callee->second, graph, at);
          continue;
        }
        Graph body;
        expandCall(node, *callee->second, body, at);
        node.expansion = std::move(body.nodes);
        std::move(body.valueInfos.begin(), body.valueInfos.end(), std::back_inserter(graph.valueInfos));
      }
      graph.nodes.push_back(std::move(node));
    }
  }

  void expandCall(const Node &node, const Function &function, Graph &graph, const Location &at) {
    if (node.inputs.size() > function.inputs.size() || node.outputs.size() > function.outputs.size())
      return fail(at, fmt::format("found {} inputs and {} outputs, but the function has {} and {}",
                                  node.inputs.size(), node.outputs.size(), function.inputs.size(),
                                  function.outputs.size()));
    Call call{
        node, function, node.name.empty() ? fmt::format("{}_{}", function.name, callCount) : node.name, {}};
    ++callCount;
    std::vector<Node> body = function.nodes;
    keepOpsets(body, function);
    std::vector<ValueInfo> infos = function.valueInfos;
    std::vector<Node> copies = bindOutputs(call);
    forEachName(body, [&](std::string &name) { rename(name, call); });
    for (Node &inner : body) {
      if (!inner.name.empty())
        inner.name = call.name + "/" + inner.name;
      substitute(inner, call, at);
    }
    for (ValueInfo &info : infos) {
      rename(info.name, call);
      if (!info.name.empty() &&
          std::find(node.inputs.begin(), node.inputs.end(), info.name) == node.inputs.end() &&
          std::find(node.outputs.begin(), node.outputs.end(), info.name) == node.outputs.end())
        graph.valueInfos.push_back(std::move(info));
    }
    expandNodes(std::move(body), graph, at);
    expandNodes(std::move(copies), graph, at);
  }

  /// Maps inputs and outputs of the function to inputs and outputs of the call. An output that is an input as
  /// well is copied; returns these copies.
  static std::vector<Node> bindOutputs(Call &call) {
    std::vector<Node> copies;
    for (size_t i = 0; i < call.function.inputs.size(); ++i)
      call.names[call.function.inputs[i]] = i < call.node.inputs.size() ? call.node.inputs[i] : "";
    for (size_t i = 0; i < call.node.outputs.size(); ++i) {
      const std::string &inner = call.function.outputs[i], &outer = call.node.outputs[i];
      if (outer.empty())
        continue;
      if (call.names.emplace(inner, outer).second)
        continue;
      Node copy;
      copy.type = "Identity";
      copy.inputs = {call.names[inner]};
      copy.outputs = {outer};
      copies.push_back(std::move(copy));
    }
    return copies;
  }

  void rename(std::string &name, Call &call) {
    if (name.empty())
      return;
    auto [found, isNew] = call.names.try_emplace(name);
    if (isNew) {
      std::string base = call.name + "/" + name, candidate = base;
      for (int index = 2; !used.insert(candidate).second; ++index)
        candidate = fmt::format("{}_{}", base, index);
      found->second = candidate;
    }
    name = found->second;
  }

  /// Gives attributes that refer to attributes of the function their values.
  void substitute(Node &node, const Call &call, const Location &at) {
    std::erase_if(node.attributes, [&](Attribute &attribute) {
      if (attribute.reference.empty()) {
        if (auto *graphs = attribute.mutableGraphs())
          for (Graph &graph : *graphs)
            for (Node &inner : graph.nodes)
              substitute(inner, call, at);
        return false;
      }
      const Attribute *value = valueOf(attribute.reference, call);
      if (!value)
        return true;
      if (value->kind != attribute.kind)
        fail(at,
             fmt::format("the attribute '{}' has type {}, but '{}' of the function's node '{}' ({}) needs {}",
                         value->name, nameOf(value->kind), attribute.name, node.name, node.type,
                         nameOf(attribute.kind)));
      attribute.value = value->value;
      attribute.reference.clear();
      return false;
    });
  }

  static const Attribute *valueOf(const std::string &name, const Call &call) {
    if (const Attribute *value = call.node.attribute(name))
      return value;
    for (const Attribute &attribute : call.function.defaultedAttributes)
      if (attribute.name == name)
        return &attribute;
    return nullptr;
  }

  /// Whether the function is also an op with a schema. A function with the name of an op of ONNX may mean
  /// another one.
  bool staysCall(const Node &call) const {
    std::string_view domain = canonicalDomain(call.domain);
    std::optional<int64_t> opset = opsetOf(model.opsetImports, domain);
    return !domain.empty() && opset && schemaOf(domain, call.type, *opset);
  }

  /// Gives nodes the opset of the function where the model's has another version of the op.
  void keepOpsets(std::vector<Node> &nodes, const Function &function) {
    for (Node &node : nodes) {
      std::optional<int64_t> inner = opsetOf(function.opsetImports, node.domain),
                             outer = opsetOf(model.opsetImports, node.domain);
      if (inner && outer && !isSameVersion(node.domain, node.type, *inner, *outer))
        node.opset = inner;
      for (Attribute &attribute : node.attributes)
        if (auto *graphs = attribute.mutableGraphs())
          for (Graph &graph : *graphs)
            keepOpsets(graph.nodes, function);
    }
  }

  Model &model;
  FileReport &report;
  size_t maxNodes;
  std::vector<Function> functionList;
  std::unordered_map<std::string, const Function *> functions;
  std::unordered_set<std::string> used; ///< names of values in all graphs
  size_t nodeCount = 0, callCount = 0;
  bool isTooLarge = false;
};

} // namespace

Result<Model> inlineFunctions(Model model, const std::string &file, size_t maxNodes) {
  FileReport report(file);
  FunctionInliner(model, report, maxNodes).run();
  if (!report.empty())
    return report.take();
  return model;
}

} // namespace proa::onnx
