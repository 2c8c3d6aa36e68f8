#include "passes/spmd/propagation/Explain.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "lib/base/support/Suggest.h"
#include "passes/spmd/propagation/WholeDims.h"

#include "llvm/ADT/StringMap.h"

#include <fmt/format.h>

using namespace mlir;

namespace proa::sharding {

namespace {

class Explanation {
public:
  Explanation(ModuleOp module, const ShardingGraph &graph, const Propagation &propagation,
              Assignment &assignment, const PlacementPool &pool, llvm::raw_ostream &os)
      : graph(graph), propagation(propagation), assignment(assignment), pool(pool), os(os) {
    for (auto &[op, states] : graph.functions)
      addNames(cast<func::FuncOp>(op), states);
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      unsigned count = counts[op->getName().getStringRef()]++;
      names[op] = fmt::format("{}#{}", op->getName().getStringRef().str(), count);
      for (OpResult result : op->getResults())
        if (unsigned value = graph.indexOf(result); value != none) {
          std::string name = nameOfResult(result);
          add(name, graph.stateOfValue[value], value);
          if (result.getResultNumber() == 0 && op->getNumResults() > 1)
            byName[names[op]] = byName[name];
        }
    });
  }

  LogicalResult print(StringRef name, ModuleOp module) {
    auto entry = byName.find(name);
    if (entry == byName.end()) {
      std::vector<std::string> known;
      for (const auto &other : byName)
        known.push_back(other.first().str());
      llvm::sort(known);
      return module.emitError() << "no value '" << name
                                << "' to explain; expected the name of a feed, parameter, "
                                << "fetch or state, or a result as in 'pd.matmul#0'"
                                << didYouMean(name.str(), known);
    }
    auto [state, value] = entry->second;
    os << name << ": " << textOf(graph.states[state]) << "\n";
    for (unsigned dim = 0; dim < graph.states[state].placement.dims.size(); ++dim)
      printDim(state, dim);
    if (value != none)
      printValue(value);
    return success();
  }

private:
  void addNames(func::FuncOp function, const FunctionStates &states) {
    auto nameIn = [](DictionaryAttr attributes) {
      for (StringRef key :
           {pd::feedAttribute, pd::parameterAttribute, pd::fetchAttribute, pd::stateAttribute})
        if (auto name = attributes ? attributes.getAs<StringAttr>(key) : nullptr)
          return name.str();
      return std::string();
    };
    for (unsigned i = 0; i < function.getNumArguments() && !function.isDeclaration(); ++i)
      if (unsigned value = graph.indexOf(function.getArgument(i)); value != none) {
        std::string name = nameIn(function.getArgAttrDict(i));
        add(name.empty() ? fmt::format("{}:argument{}", function.getName().str(), i) : name,
            graph.stateOfValue[value], value);
      }
    for (auto [i, state] : llvm::enumerate(states.results))
      if (state != none) {
        std::string name = nameIn(function.getResultAttrDict(static_cast<unsigned>(i)));
        add(name.empty() ? fmt::format("{}:result{}", function.getName().str(), i) : name, state, none);
      }
  }

  void add(const std::string &name, unsigned state, unsigned value) {
    byName.try_emplace(name, state, value);
    nameOfState.try_emplace(state, name);
  }

  std::string nameOfResult(OpResult result) {
    Operation *op = result.getOwner();
    return op->getNumResults() == 1 ? names[op] : fmt::format("{}:{}", names[op], result.getResultNumber());
  }

  std::string nameOf(unsigned state) {
    auto entry = nameOfState.find(state);
    return entry == nameOfState.end() ? "a value of a region" : entry->second;
  }

  std::string textOf(unsigned mesh, const spmd::Placement &placement) const {
    std::string text = spmd::toText(graph.meshes[mesh], placement);
    return graph.meshes.list.size() > 1 ? "@" + graph.meshes.symbol(mesh).getValue().str() + " " + text
                                        : text;
  }
  std::string textOf(const State &state) const { return textOf(state.mesh, state.placement); }
  std::string textOf(unsigned placement) const { return textOf(pool.meshOf(placement), pool[placement]); }

  std::string splitText(unsigned mesh, const spmd::DimPlacement &split) {
    std::string text = spmd::toText(graph.meshes[mesh], {{split}, {}});
    return text.substr(1, text.size() - 2); // without the brackets of the dimensions
  }

  /// Prints the last decision about the dimension and those that it follows from.
  void printDim(unsigned state, unsigned dim) {
    size_t before = propagation.decisions.size();
    while (true) {
      size_t i = before;
      while (i-- > 0)
        if (propagation.decisions[i].state == state && (propagation.decisions[i].dim == dim))
          break;
      if (i == size_t(-1))
        return;
      const Decision &decision = propagation.decisions[i];
      os << "  " << nameOf(state) << " dimension " << dim << " = "
         << splitText(graph.states[state].mesh, decision.split) << ": ";
      if (decision.node == none) {
        os << "annotation\n";
        return;
      }
      const Node &node = graph.nodes[decision.node];
      os << (node.edge ? "passed by " : "follows in ") << names.lookup(node.op) << " from "
         << nameOf(decision.from) << " " << textOf(graph.states[decision.from]) << "\n";
      state = decision.from;
      dim = sourceDim(decision, i);
      before = i;
    }
  }

  /// The dimension of the source state that had the last axis of the decision at that time.
  unsigned sourceDim(const Decision &decision, size_t index) {
    const spmd::AxisRef &axis = decision.split.axes.back();
    for (size_t i = index; i-- > 0;) {
      const Decision &earlier = propagation.decisions[i];
      if (earlier.state == decision.from &&
          llvm::any_of(earlier.split.axes, [&](const spmd::AxisRef &other) { return overlap(other, axis); }))
        return earlier.dim;
    }
    return decision.dim;
  }

  void printValue(unsigned value) {
    unsigned natural = assignment.natural[value];
    if (graph.values[value].getDefiningOp())
      os << "  computed as " << textOf(natural) << "\n";
    printLocalForm(graph.values[value].getDefiningOp());
    printWholeDims(graph.values[value].getDefiningOp());
    for (unsigned index = 0; index < graph.nodes.size(); ++index)
      for (unsigned i = 0; i < graph.nodes[index].numOperands; ++i) {
        const NodePlan &plan = assignment.plans[index];
        if (graph.nodeValues[graph.nodes[index].first + i] == value && plan.operands[i] != natural &&
            !llvm::is_contained(plan.passedOperands, i))
          os << "  resharded to " << textOf(plan.operands[i]) << " for "
             << names.lookup(graph.nodes[index].op) << "\n";
      }
  }

  /// Prints why the op of a value runs its local form or not, if it could.
  void printLocalForm(Operation *op) {
    for (auto [node, plan] : llvm::zip_equal(graph.nodes, assignment.plans)) {
      if (node.edge || node.op != op || !plan.localForm)
        continue;
      bool isTaken = needsLocalForm(node.rule->rule, plan.axes);
      os << "  " << (isTaken ? "by its local form" : "not by its local form") << ": communication of ";
      auto print = [&](double seconds, const char *what) {
        if (seconds >= LocalFormCosts::refused)
          os << "(not possible) " << what;
        else
          os << fmt::format("{:.1f} us {}", seconds * 1e6, what);
      };
      print(plan.localForm->with, "with it, ");
      print(plan.localForm->without, plan.localForm->isRequested ? "without; as annotated\n" : "without\n");
    }
  }

  /// Prints which splits the op of a value does not keep.
  void printWholeDims(Operation *op) {
    for (auto [index, node] : llvm::enumerate(graph.nodes))
      if (op && node.op == op && !node.edge)
        for (const WholeDim &dim : wholeDimsOf(graph, assignment, pool, unsigned(index)))
          os << "  " << dim.text(graph.meshes[graph.meshOf(node)]) << "\n";
  }

  const ShardingGraph &graph;
  const Propagation &propagation;
  Assignment &assignment;
  const PlacementPool &pool;
  llvm::raw_ostream &os;
  llvm::StringMap<unsigned> counts;
  llvm::DenseMap<Operation *, std::string> names;
  llvm::StringMap<std::pair<unsigned, unsigned>> byName;
  llvm::DenseMap<unsigned, std::string> nameOfState;
};

} // namespace

LogicalResult explain(StringRef name, ModuleOp module, const ShardingGraph &graph,
                      const Propagation &propagation, Assignment &assignment, const PlacementPool &pool,
                      llvm::raw_ostream &os) {
  return Explanation(module, graph, propagation, assignment, pool, os).print(name, module);
}

} // namespace proa::sharding
