#include "lib/compiler/picture/Layout.h"

#include "lib/base/support/ChildProcess.h"
#include "lib/base/support/Files.h"
#include "lib/base/support/TemporaryFolder.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Program.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa::picture {
namespace {

constexpr double pixelsPerInch = 72;

/// Collects the boxes and edges of each layout, without positions.
class LayoutBuilder {
public:
  explicit LayoutBuilder(const Graph &graph) : graph(graph) {}

  std::map<int32_t, Layout> build() {
    addBoxes(-1, graph.roots);
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      if (!graph.nodes[i].children.empty())
        addBoxes(static_cast<int32_t>(i), graph.nodes[i].children);
    for (size_t i = 0; i < graph.values.size(); ++i)
      for (int32_t consumer : graph.values[i].consumers)
        addEdges(static_cast<int32_t>(i), consumer);
    return std::move(layouts);
  }

private:
  const Node &node(int32_t id) const { return graph.nodes[static_cast<size_t>(id)]; }

  /// The size of the text in the page: two lines of at most 26 characters. The second one has the variable,
  /// the number of ops of a group, or the bytes of a communication op.
  static std::pair<double, double> sizeOf(const Node &shown) {
    constexpr size_t most = 26;
    size_t length = std::min(most, std::max(shown.op.size(), shown.name.size()));
    bool hasSecondLine = !shown.name.empty() || shown.kind == NodeKind::Group || shown.communicatedBytes > 0;
    return {30 + 6.6 * static_cast<double>(length), hasSecondLine ? 40 : 28};
  }

  void addBoxes(int32_t group, const std::vector<int32_t> &ids) {
    Layout &layout = layouts[group];
    for (int32_t id : ids) {
      auto [width, height] = sizeOf(node(id));
      boxOfNode[id] = static_cast<int32_t>(layout.boxes.size());
      layout.boxes.push_back({Box::Kind::Node, id, 0, 0, width, height});
    }
  }

  int32_t portOf(int32_t group, Box::Kind kind, int32_t value) {
    auto [entry, isNew] = ports.try_emplace({group, kind, value}, 0);
    if (isNew) {
      Layout &layout = layouts[group];
      entry->second = static_cast<int32_t>(layout.boxes.size());
      size_t length = std::min<size_t>(18, graph.values[static_cast<size_t>(value)].name.size());
      layout.boxes.push_back({kind, value, 0, 0, 24 + 6.0 * static_cast<double>(length), 18});
    }
    return entry->second;
  }

  void addEdge(int32_t group, int32_t from, int32_t to, int32_t value) {
    Layout &layout = layouts[group];
    auto [entry, isNew] = edges.try_emplace({group, from, to}, layout.edges.size());
    if (isNew)
      layout.edges.push_back({from, to, value, 1, {}});
    else if (layout.edges[entry->second].value != value)
      ++layout.edges[entry->second].count;
  }

  std::vector<int32_t> pathTo(int32_t id) const {
    std::vector<int32_t> path;
    for (; id >= 0; id = node(id).parent)
      path.push_back(id);
    std::ranges::reverse(path);
    return path;
  }

  /// Draws a value from its producer to a consumer: out of the groups around the one, into those around the
  /// other.
  void addEdges(int32_t value, int32_t consumer) {
    std::vector<int32_t> from = pathTo(graph.values[static_cast<size_t>(value)].producer),
                         to = pathTo(consumer);
    size_t common = 0;
    while (common < from.size() && common < to.size() && from[common] == to[common])
      ++common;
    if (common == from.size() || common == to.size()) // a node around the other one
      return;
    addEdge(common == 0 ? -1 : from[common - 1], boxOfNode.at(from[common]), boxOfNode.at(to[common]), value);
    for (size_t i = common; i + 1 < from.size(); ++i)
      addEdge(from[i], boxOfNode.at(from[i + 1]), portOf(from[i], Box::Kind::Exit, value), value);
    for (size_t i = common; i + 1 < to.size(); ++i)
      addEdge(to[i], portOf(to[i], Box::Kind::Entry, value), boxOfNode.at(to[i + 1]), value);
  }

  const Graph &graph;
  std::map<int32_t, Layout> layouts;
  std::map<int32_t, int32_t> boxOfNode;
  std::map<std::tuple<int32_t, Box::Kind, int32_t>, int32_t> ports;
  std::map<std::tuple<int32_t, int32_t, int32_t>, size_t> edges;
};

/// The layout as a graph of Graphviz. Large ones get straight edges, which are found faster.
std::string dotOf(const Layout &layout) {
  constexpr size_t large = 250;
  std::string text = fmt::format("digraph {{ nodesep=0.25; ranksep=0.35; nslimit=4; splines={};\n"
                                 "node [shape=box, fixedsize=true, label=\"\"]; edge [arrowhead=none];\n",
                                 layout.boxes.size() > large ? "line" : "true");
  std::string entries, exits;
  for (size_t i = 0; i < layout.boxes.size(); ++i) {
    const Box &box = layout.boxes[i];
    text += fmt::format("b{} [width={:.3f}, height={:.3f}];\n", i, box.width / pixelsPerInch,
                        box.height / pixelsPerInch);
    if (box.kind != Box::Kind::Node)
      (box.kind == Box::Kind::Entry ? entries : exits) += fmt::format("b{}; ", i);
  }
  if (!entries.empty())
    text += "{rank=source; " + entries + "}\n";
  if (!exits.empty())
    text += "{rank=sink; " + exits + "}\n";
  for (size_t i = 0; i < layout.edges.size(); ++i)
    text += fmt::format("b{} -> b{};\n", layout.edges[i].from, layout.edges[i].to);
  return text + "}\n";
}

/// Reads the output of `dot -Tplain`, one graph for each layout, in inches from the bottom left corner.
class PlainReader {
public:
  explicit PlainReader(llvm::StringRef text) : rest(text) {}

  bool read(Layout &layout) {
    std::map<std::pair<int32_t, int32_t>, size_t> edges;
    for (size_t i = 0; i < layout.edges.size(); ++i)
      edges[{layout.edges[i].from, layout.edges[i].to}] = i;
    while (!rest.empty()) {
      auto [line, next] = rest.split('\n');
      rest = next;
      llvm::SmallVector<llvm::StringRef> words;
      line.split(words, ' ', -1, /*KeepEmpty=*/false);
      if (words.empty())
        continue;
      if (words[0] == "stop")
        return true;
      if (words[0] == "graph" && words.size() >= 4) {
        layout.width = numberOf(words[2]);
        layout.height = numberOf(words[3]);
      } else if (words[0] == "node" && words.size() >= 4) {
        Box &box = layout.boxes[boxOf(words[1])];
        box.x = numberOf(words[2]);
        box.y = layout.height - numberOf(words[3]);
      } else if (words[0] == "edge" && words.size() >= 4) {
        auto edge =
            edges.find({static_cast<int32_t>(boxOf(words[1])), static_cast<int32_t>(boxOf(words[2]))});
        size_t count = 0;
        if (edge == edges.end() || words[3].getAsInteger(10, count) || words.size() < 4 + 2 * count)
          return false;
        for (size_t i = 0; i < count; ++i) {
          layout.edges[edge->second].points.push_back(numberOf(words[4 + 2 * i]));
          layout.edges[edge->second].points.push_back(layout.height - numberOf(words[5 + 2 * i]));
        }
      }
    }
    return false;
  }

private:
  static double numberOf(llvm::StringRef word) {
    double value = 0;
    (void)word.getAsDouble(value);
    return value * pixelsPerInch;
  }
  static size_t boxOf(llvm::StringRef word) {
    size_t index = 0;
    (void)word.drop_front().getAsInteger(10, index);
    return index;
  }

  llvm::StringRef rest;
};

Result<void> runDot(const std::string &dot, llvm::ArrayRef<Layout *> layouts) {
  std::string input;
  for (const Layout *layout : layouts)
    input += dotOf(*layout);
  auto folder = TemporaryFolder::create();
  if (!folder)
    return folder.diagnostics();
  if (Result<void> written = writeFile(folder->file("graphs.dot"), input); !written)
    return written;
  Result<std::string> output = runProgram(dot, {"-Tplain", folder->file("graphs.dot")});
  if (!output)
    return output.diagnostics();
  PlainReader reader(*output);
  for (Layout *layout : layouts)
    if (!reader.read(*layout))
      return errorAt(dot, "its output has an unexpected form");
  return {};
}

/// Lets one process compute all layouts. Graphviz 2.43 crashes on some lists of graphs whose members it can
/// lay out alone: then each half of the list gets its own process.
Result<void> layOut(const std::string &dot, llvm::ArrayRef<Layout *> layouts) {
  Result<void> done = runDot(dot, layouts);
  if (done || layouts.size() < 2)
    return done;
  for (Layout *layout : layouts) // of a run that ended early
    for (Edge &edge : layout->edges)
      edge.points.clear();
  size_t half = layouts.size() / 2;
  if (Result<void> first = layOut(dot, layouts.take_front(half)); !first)
    return first;
  return layOut(dot, layouts.drop_front(half));
}

} // namespace

Result<std::map<int32_t, Layout>> layoutOf(const Graph &graph) {
  auto dot = llvm::sys::findProgramByName("dot");
  if (!dot)
    return errorAt("dot",
                   "the program of Graphviz is not in PATH, expected the package graphviz to be installed");
  std::map<int32_t, Layout> layouts = LayoutBuilder(graph).build();
  std::vector<Layout *> list;
  for (auto &[group, layout] : layouts)
    list.push_back(&layout);
  if (Result<void> done = layOut(*dot, list); !done)
    return done.diagnostics();
  return layouts;
}

} // namespace proa::picture
