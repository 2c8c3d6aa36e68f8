#include "translator/onnx/Check.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace proa::onnx {
namespace {

/// Calls of functions that are nested deeper are an error, as in ONNX.
constexpr size_t maxCallDepth = 100;

/// Finds functions that call themselves, without recursion.
class CallGraph {
public:
  CallGraph(const Model &model, FileReport &report) : model(model), report(report) {}

  void check() {
    for (size_t i = 0; i < model.functions.size(); ++i) {
      const Function &function = model.functions[i];
      std::string id = functionId(function.domain, function.name, function.overload);
      if (!indices.emplace(id, i).second)
        report.add(Location{nullptr, "function", function.name}.text(),
                   fmt::format("the model has two functions '{}'", id));
    }
    callees.resize(model.functions.size());
    for (size_t i = 0; i < model.functions.size(); ++i)
      collect(model.functions[i].nodes, callees[i]);
    states.resize(model.functions.size());
    for (size_t i = 0; i < model.functions.size(); ++i)
      if (states[i] == State::New && !visit(i))
        return;
  }

private:
  enum class State : uint8_t { New, OnPath, Done };
  struct Frame {
    size_t function;
    size_t next = 0; ///< index of the next callee
  };

  void collect(const std::vector<Node> &nodes, std::vector<size_t> &out) const {
    for (const Node &node : nodes) {
      auto found = indices.find(functionId(node.domain, node.type, node.overload));
      if (found != indices.end() && std::find(out.begin(), out.end(), found->second) == out.end())
        out.push_back(found->second);
      for (const Attribute &attribute : node.attributes)
        for (const Graph &graph : attribute.graphs())
          collect(graph.nodes, out);
    }
  }

  /// False after an error.
  bool visit(size_t root) {
    std::vector<Frame> path{{root}};
    states[root] = State::OnPath;
    while (!path.empty()) {
      Frame &frame = path.back();
      if (frame.next == callees[frame.function].size()) {
        states[frame.function] = State::Done;
        path.pop_back();
        continue;
      }
      size_t callee = callees[frame.function][frame.next++];
      if (states[callee] == State::OnPath)
        return reportCycle(path, callee);
      if (states[callee] == State::New) {
        states[callee] = State::OnPath;
        path.push_back({callee});
      }
      if (path.size() > maxCallDepth) {
        report.add(Location{nullptr, "function", model.functions[root].name}.text(),
                   fmt::format("its calls are nested deeper than {} functions", maxCallDepth));
        return false;
      }
    }
    return true;
  }

  bool reportCycle(const std::vector<Frame> &path, size_t callee) {
    std::string cycle;
    auto from =
        std::find_if(path.begin(), path.end(), [&](const Frame &frame) { return frame.function == callee; });
    for (; from != path.end(); ++from)
      cycle += model.functions[from->function].name + " -> ";
    const std::string &name = model.functions[callee].name;
    report.add(Location{nullptr, "function", name}.text(), "the function calls itself: " + cycle + name);
    return false;
  }

  const Model &model;
  FileReport &report;
  std::unordered_map<std::string, size_t> indices;
  std::vector<std::vector<size_t>> callees;
  std::vector<State> states;
};

} // namespace

void checkCalls(const Model &model, FileReport &report) { CallGraph(model, report).check(); }

} // namespace proa::onnx
