#include "lib/compiler/picture/Page.h"

#include "lib/compiler/picture/Changes.h"
#include "lib/compiler/picture/Fold.h"
#include "lib/compiler/picture/Layout.h"
#include "lib/compiler/picture/PageFiles.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace proa::picture {
namespace {

using nlohmann::json;

/// Tenths of a pixel are enough.
double rounded(double value) { return std::round(value * 10) / 10; }

json numberOf(double value) { return std::isfinite(value) ? json(value) : json(); }

json nodeJson(const Node &node) {
  static constexpr const char *kinds[] = {"op", "feed", "fetch", "argument", "group"};
  json object{{"kind", kinds[static_cast<size_t>(node.kind)]}, {"op", node.op}, {"parent", node.parent}};
  if (!node.name.empty())
    object["name"] = node.name;
  if (!node.line.empty())
    object["line"] = node.line;
  if (!node.children.empty())
    object["children"] = node.children;
  for (const Operand &operand : node.operands)
    object["operands"].push_back({operand.value, operand.name, operand.type});
  if (!node.results.empty())
    object["results"] = node.results;
  if (!node.attributes.empty())
    object["attributes"] = node.attributes;
  if (!node.states.empty())
    object["states"] = node.states;
  if (!node.axes.empty())
    object["axes"] = node.axes;
  if (node.communicatedBytes > 0)
    object["bytes"] = node.communicatedBytes;
  return object;
}

json layoutJson(const Layout &layout) {
  static constexpr const char *kinds[] = {"node", "entry", "exit"};
  json boxes = json::array(), edges = json::array();
  for (const Box &box : layout.boxes)
    boxes.push_back({kinds[static_cast<size_t>(box.kind)], box.id, rounded(box.x), rounded(box.y),
                     rounded(box.width), rounded(box.height)});
  for (const Edge &edge : layout.edges) {
    json points = json::array();
    for (double value : edge.points)
      points.push_back(rounded(value));
    edges.push_back({edge.from, edge.to, edge.value, edge.count, std::move(points)});
  }
  return {{"width", rounded(layout.width)},
          {"height", rounded(layout.height)},
          {"boxes", boxes},
          {"edges", edges}};
}

json graphJson(const Graph &graph, const std::map<int32_t, Layout> &layouts) {
  json nodes = json::array(), values = json::array(), weights = json::object(), inside = json::object();
  for (const Node &node : graph.nodes)
    nodes.push_back(nodeJson(node));
  for (const Value &value : graph.values)
    values.push_back({value.producer, value.name, value.type, value.consumers});
  for (const auto &[name, facts] : graph.weights)
    weights[name] = {{"min", numberOf(facts.minimum)}, {"max", numberOf(facts.maximum)},
                     {"mean", numberOf(facts.mean)},   {"std", numberOf(facts.deviation)},
                     {"zeros", facts.zeros},           {"NaN", facts.nans},
                     {"Inf", facts.infinities}};
  for (const auto &[group, layout] : layouts)
    inside[std::to_string(group)] = layoutJson(layout);
  return {{"nodes", nodes},
          {"values", values},
          {"weights", weights},
          {"layouts", inside},
          {"roots", graph.roots}};
}

json overlayJson(const Overlay &overlay) {
  json errors = json::object(), times = json::object();
  for (const auto &[name, step] : overlay.steps)
    times[name] = {{"ms", numberOf(step.milliseconds)},
                   {"bytes", numberOf(step.bytes)},
                   {"flops", numberOf(step.flops)},
                   {"roofline", numberOf(step.roofline)},
                   {"kernel", step.kernel},
                   {"ops", step.ops}};
  for (const auto &[name, error] : overlay.errors)
    errors[name] = {numberOf(error.maxAbsolute), numberOf(error.maxRelative), error.passed};
  return {{"times", times}, {"total", numberOf(overlay.milliseconds)}, {"errors", errors}};
}

json changesJson(const std::vector<Change> &changes) {
  json list = json::array();
  for (Change change : changes)
    list.push_back(static_cast<int>(change));
  return list;
}

std::string escaped(const std::string &text) {
  std::string out;
  for (char c : text)
    out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

/// JSON inside of a script element, which "</script>" in a string would end.
std::string scriptText(const json &data) {
  std::string text = data.dump(-1, ' ', false, json::error_handler_t::replace), out;
  for (char c : text)
    out += c == '<' ? "\\u003c" : std::string(1, c);
  return out;
}

/// The template with its placeholders replaced; text that replaces one is not searched for others.
std::string filled(const std::string &page, const std::map<std::string, std::string> &values) {
  std::string out;
  size_t position = 0;
  while (true) {
    size_t open = page.find("{{", position), close = page.find("}}", open);
    if (open == std::string::npos || close == std::string::npos)
      return out + page.substr(position);
    out += page.substr(position, open - position) + values.at(page.substr(open + 2, close - open - 2));
    position = close + 2;
  }
}

} // namespace

Result<std::string> pageOf(const std::vector<Stage> &stages, const Overlay &overlay) {
  std::vector<Graph> graphs;
  for (const Stage &stage : stages)
    graphs.push_back(graphOf(stage.module, stage.weights));
  for (Graph &graph : graphs)
    fold(graph);
  json data{{"stages", json::array()}, {"overlay", overlayJson(overlay)}};
  std::string title;
  for (size_t i = 0; i < graphs.size(); ++i) {
    auto layouts = layoutOf(graphs[i]);
    if (!layouts)
      return layouts.diagnostics();
    data["stages"].push_back(graphJson(graphs[i], *layouts));
    data["stages"].back()["title"] = stages[i].title;
    title += (i ? ", " : "") + stages[i].title;
  }
  if (graphs.size() == 2) {
    Changes changes = changesOf(graphs[0], graphs[1]);
    data["stages"][0]["changes"] = changesJson(changes.before);
    data["stages"][1]["changes"] = changesJson(changes.after);
  }
  return filled(pageHtml,
                {{"title", escaped(title)}, {"css", pageCss}, {"data", scriptText(data)}, {"js", pageJs}});
}

} // namespace proa::picture
