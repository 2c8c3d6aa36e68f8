#include "lib/base/support/FileReport.h"
#include "lib/base/support/Suggest.h"
#include "translator/onnx/Location.h"
#include "translator/onnx/PartialDomains.h"
#include "translator/onnx/Schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace proa::onnx {
namespace {

/// "2", "2 to 4" or "at least 2".
std::string rangeText(int64_t least, int64_t most) {
  if (most == manyValues)
    return fmt::format("at least {}", least);
  return least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
}

/// The first opset that has the op; 0 for an unknown op.
int32_t firstOpsetOf(std::string_view domain, std::string_view op) {
  for (const Schema &schema : allSchemas())
    if (schema.domain == canonicalDomain(domain) && schema.name == op)
      return schema.since;
  return 0;
}

class SchemaChecker {
public:
  SchemaChecker(const Model &model, FileReport &report) : model(model), report(report) {
    for (const Function &function : model.functions)
      functions.emplace(functionId(function.domain, function.name, function.overload), &function);
  }

  void check() {
    opsets = &model.opsetImports;
    if (checkImports(nullptr))
      checkGraph(model.graph, nullptr);
    Location training{nullptr, "training_info"};
    for (const TrainingInfo &info : model.trainingInfos)
      for (const std::optional<Graph> *graph : {&info.initialization, &info.algorithm})
        if (*graph)
          checkGraph(**graph, &training);
    for (const Function &item : model.functions) {
      Location at{nullptr, "function", item.name};
      function = &item;
      opsets = &item.opsetImports;
      if (checkImports(&at))
        checkNodes(item.nodes, at);
    }
  }

private:
  void fail(const Location &at, std::string message) { report.add(at.text(), std::move(message)); }

  bool checkImports(const Location *at) {
    std::optional<int64_t> version = opsetOf(*opsets, "");
    if (!version || *version <= newestOpsetVersion)
      return true;
    report.add(at ? at->text() : "",
               fmt::format("found opset {} of ai.onnx, expected {} at most", *version, newestOpsetVersion));
    return false;
  }

  void checkGraph(const Graph &graph, const Location *parent) {
    checkNodes(graph.nodes, Location{parent, "graph", graph.name});
  }

  void checkNodes(const std::vector<Node> &nodes, const Location &parent) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      const Node &node = nodes[i];
      Location at{&parent, "node", node.name, static_cast<int64_t>(i), node.type};
      auto callee = functions.find(functionId(node.domain, node.type, node.overload));
      if (callee != functions.end())
        checkCall(node, *callee->second, at);
      else if (hasSchemas(node.domain))
        checkOp(node, at);
      for (const Attribute &attribute : node.attributes) {
        Location where{&at, "attribute", attribute.name};
        for (const Graph &graph : attribute.graphs())
          checkGraph(graph, &where);
      }
    }
  }

  /// A call may leave out the last inputs and outputs.
  void checkCall(const Node &node, const Function &callee, const Location &at) {
    checkCount(at, "inputs", node.inputs.size(), 0, static_cast<int64_t>(callee.inputs.size()));
    checkCount(at, "outputs", node.outputs.size(), 0, static_cast<int64_t>(callee.outputs.size()));
    std::vector<std::string> names = callee.attributes;
    for (const std::string &name : callee.attributes)
      if (!node.attribute(name))
        fail(at, fmt::format("the attribute '{}' of the function is missing", name));
    for (const Attribute &attribute : callee.defaultedAttributes) {
      names.push_back(attribute.name);
      const Attribute *value = node.attribute(attribute.name);
      if (value && value->kind != attribute.kind)
        fail(at, fmt::format("the attribute '{}' has type {}, expected {}", attribute.name,
                             nameOf(value->kind), nameOf(attribute.kind)));
    }
    for (const Attribute &attribute : node.attributes)
      if (std::find(names.begin(), names.end(), attribute.name) == names.end())
        fail(at, fmt::format("the function has no attribute '{}'{}", attribute.name,
                             didYouMean(attribute.name, names)));
  }

  void checkCount(const Location &at, const char *kind, size_t count, int64_t least, int64_t most) {
    if (static_cast<int64_t>(count) < least || static_cast<int64_t>(count) > most)
      fail(at, fmt::format("found {} {}, expected {}", count, kind, rangeText(least, most)));
  }

  void checkOp(const Node &node, const Location &at) {
    std::optional<int64_t> opset = opsetOf(*opsets, node.domain);
    if (!opset)
      return; // `check` reports it
    const Schema *schema = schemaOf(node.domain, node.type, *opset);
    if (!schema && !hasAllSchemas(node.domain))
      return; // the import reports an op that it does not take
    if (!schema)
      return reportUnknown(node, *opset, at);
    if (schema->isDeprecated)
      return fail(at, fmt::format("the op is deprecated since opset {}", schema->since));
    checkCount(at, "inputs", node.inputs.size(), schema->minInputs, schema->maxInputs);
    checkCount(at, "outputs", node.outputs.size(), schema->minOutputs, schema->maxOutputs);
    checkPresence(at, "input", node.inputs, schema->inputs);
    checkPresence(at, "output", node.outputs, schema->outputs);
    checkAttributes(node, *schema, at);
  }

  void reportUnknown(const Node &node, int64_t opset, const Location &at) {
    std::string_view domain = canonicalDomain(node.domain);
    std::string domainText(domain.empty() ? "ai.onnx" : domain);
    if (int32_t first = firstOpsetOf(domain, node.type))
      return fail(at, fmt::format("{} has the op from opset {} on, but opset {} is imported", domainText,
                                  first, opset));
    std::vector<std::string> names;
    for (const Schema &schema : allSchemas())
      if (schema.domain == domain && (names.empty() || names.back() != schema.name))
        names.emplace_back(schema.name);
    fail(at, fmt::format("{} has no op '{}'{}", domainText, node.type, didYouMean(node.type, names)));
  }

  void checkPresence(const Location &at, const char *kind, const std::vector<std::string> &names,
                     std::span<const SchemaParameter> parameters) {
    for (size_t i = 0; i < std::min(names.size(), parameters.size()); ++i)
      if (names[i].empty() && parameters[i].option == Option::Single)
        fail(at, fmt::format("the {} {} '{}' is absent, but not optional", kind, i, parameters[i].name));
  }

  void checkAttributes(const Node &node, const Schema &schema, const Location &at) {
    std::vector<std::string> names;
    for (const SchemaAttribute &attribute : schema.attributes) {
      names.emplace_back(attribute.name);
      if (attribute.isRequired && !node.attribute(attribute.name))
        fail(at,
             fmt::format("the attribute '{}' of type {} is missing", attribute.name, nameOf(attribute.kind)));
    }
    for (const Attribute &attribute : node.attributes) {
      const SchemaAttribute *expected = schema.attribute(attribute.name);
      if (expected && attribute.kind != expected->kind)
        fail(at, fmt::format("the attribute '{}' has type {}, expected {}", attribute.name,
                             nameOf(attribute.kind), nameOf(expected->kind)));
      // Names with two underscores are marks of other tools, which ONNX allows.
      if (!expected && !attribute.name.starts_with("__"))
        fail(at, fmt::format("the op has no attribute '{}'{}", attribute.name,
                             didYouMean(attribute.name, names)));
    }
  }

  const Model &model;
  FileReport &report;
  std::unordered_map<std::string, const Function *> functions;
  const Function *function = nullptr; ///< that is being checked
  const std::vector<OpsetImport> *opsets = nullptr;
};

} // namespace

Result<void> checkSchemas(const Model &model, const std::string &file) {
  FileReport report(file);
  SchemaChecker(model, report).check();
  if (!report.empty())
    return report.take();
  return {};
}

} // namespace proa::onnx
