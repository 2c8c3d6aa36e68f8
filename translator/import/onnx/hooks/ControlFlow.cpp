//! Hooks of conditions and loops of ONNX.
#include "translator/import/onnx/GraphLoop.h"

#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/control/CheckOps.h"
#include "dialects/pd/reference/HostScalar.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;

namespace proa::import::onnxhooks {

using Values = NodeImporter::Values;

static const onnx::Graph &requiredGraph(NodeImporter &node, llvm::StringRef name) {
  if (const onnx::Graph *graph = node.graphAttribute(name))
    return *graph;
  node.report("attribute '" + name + "' is missing, expected a graph");
  node.stop();
}

/// Imports the nodes of a graph; ends the hook after an error.
static Values importGraph(NodeImporter &node, const onnx::Graph &graph, llvm::ArrayRef<Value> inputs) {
  if (graph.inputs.size() != inputs.size()) {
    node.report("the graph '" + llvm::Twine(graph.name) + "' has " + llvm::Twine(graph.inputs.size()) +
                " inputs, expected " + llvm::Twine(inputs.size()));
    node.stop();
  }
  Values outputs = node.getGraph().importBody(graph, inputs);
  if (outputs.size() != graph.outputs.size())
    node.stop();
  return outputs;
}

/// The known value of a tensor of one element.
static std::optional<int64_t> knownNumber(NodeImporter &node, Value tensor) {
  std::optional<Tensor> known = node.getGraph().knownTensor(tensor);
  return known && known->size() == 1 ? std::optional(pd::loadScalar(*known, 0).integer) : std::nullopt;
}

//===-- If ----------------------------------------------------------------------------------------------===//

namespace {

/// An If whose condition is computed in a run.
class BranchImporter {
public:
  BranchImporter(NodeImporter &node, llvm::ArrayRef<const onnx::Graph *> graphs)
      : node(node), graph(node.getGraph()), builder(node.getBuilder()), location(node.getLocation()),
        graphs(graphs) {}

  Values run(Value condition) {
    for (size_t side : {0, 1})
      importSide(side);
    if (!failures[0].empty() && !failures[1].empty()) {
      for (const Diagnostics &failure : failures)
        graph.reportFailures(failure);
      node.stop();
    }
    for (size_t side : {0, 1})
      if (!failures[side].empty())
        failInRun(side);
    alignConditions();
    llvm::SmallVector<Type> types = joinedTypes();
    auto created = scf::IfOp::create(builder, location, types, pd::asCondition(builder, location, condition),
                                     /*withElseRegion=*/true);
    Region *targets[2] = {&created.getThenRegion(), &created.getElseRegion()};
    for (size_t side : {0, 1}) {
      targets[side]->takeBody(regions[side]);
      yield(side, types, targets[side]->front());
      for (auto [value, result] : llvm::zip(yielded[side], created.getResults()))
        graph.keepKind(value, result);
    }
    return Values(created.getResults());
  }

private:
  void importSide(size_t side) {
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&regions[side]);
    yielded[side] = graph.importBranch(*graphs[side], failures[side]);
    if (failures[side].empty() && yielded[side].size() != graphs[side]->outputs.size())
      node.stop();
  }

  /// Makes a run that reaches a graph that cannot be imported end with its errors.
  void failInRun(size_t side) {
    OpBuilder::InsertionGuard guard(builder);
    graph.forget(regions[side]);
    regions[side].getBlocks().clear();
    builder.createBlock(&regions[side]);
    std::string message;
    for (const Diagnostic &failure : failures[side])
      message += (message.empty() ? "" : "; ") + failure.location + ": " + failure.message;
    llvm::SmallVector<Type> tensors;
    for (Value other : yielded[1 - side])
      if (!pd::isArray(other))
        tensors.push_back(other.getType());
    auto fail = pd::FailOp::create(builder, location, tensors, message);
    auto next = fail->result_begin();
    for (Value other : yielded[1 - side])
      yielded[side].push_back(pd::isArray(other) ? Value(pd::ArrayCreateOp::create(builder, location))
                                                 : *next++);
  }

  /// PyTorch's exporter gives a condition rank 0 in one graph and rank 1 in the other. Both get rank 0: ops
  /// that take a condition accept either.
  void alignConditions() {
    for (auto [first, second] : llvm::zip(yielded[0], yielded[1])) {
      if (first.getType() == second.getType() || !isCondition(first) || !isCondition(second))
        continue;
      for (auto [value, region] : {std::pair<Value &, Region &>(first, regions[0]), {second, regions[1]}}) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToEnd(&region.front());
        value = node.tensors().reshape(node.wrap(value), {});
      }
    }
  }

  static bool isCondition(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getElementType().isInteger(1) && type.hasStaticShape() && type.getNumElements() == 1;
  }

  llvm::SmallVector<Type> joinedTypes() {
    llvm::SmallVector<Type> types;
    for (auto [first, second, output] : llvm::zip(yielded[0], yielded[1], graphs[0]->outputs)) {
      types.push_back(pd::joinedTypes(first.getType(), second.getType()));
      if (!types.back())
        node.reportOpen("the two graphs give output '" + llvm::Twine(output.name) +
                        "' different ranks or element types: " + typeText(first.getType()) + " and " +
                        typeText(second.getType()));
    }
    if (graph.hasReported())
      node.stop();
    return types;
  }

  void yield(size_t side, llvm::ArrayRef<Type> types, Block &block) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&block);
    Values values;
    for (auto [value, type] : llvm::zip(yielded[side], types))
      values.push_back(pd::widened(builder, location, value, type));
    scf::YieldOp::create(builder, location, values);
  }

  NodeImporter &node;
  GraphImporter &graph;
  OpBuilder &builder;
  Location location;
  llvm::ArrayRef<const onnx::Graph *> graphs;
  Region regions[2];
  Values yielded[2];
  Diagnostics failures[2];
};

} // namespace

void importIf(NodeImporter &node) {
  const onnx::Graph *graphs[] = {&requiredGraph(node, "then_branch"), &requiredGraph(node, "else_branch")};
  if (graphs[0]->outputs.size() != graphs[1]->outputs.size())
    return node.report("the graphs have " + llvm::Twine(graphs[0]->outputs.size()) + " and " +
                       llvm::Twine(graphs[1]->outputs.size()) + " outputs, expected equal numbers");
  Value condition = checkedCondition(node, "cond", node.requiredInput("cond"));
  std::optional<int64_t> known = knownNumber(node, condition);
  node.setOutputs("outputs", known ? importGraph(node, *graphs[*known == 0], {})
                                   : BranchImporter(node, graphs).run(condition));
}

//===-- Loop --------------------------------------------------------------------------------------------===//

/// Loops that end by their condition have this trip count.
constexpr int64_t unlimited = std::numeric_limits<int64_t>::max();

/// A tensor of one element with the declared rank of a graph's input, 0 or 1.
static Value withDeclaredRank(NodeImporter &node, const onnx::ValueInfo &input, Value value) {
  bool isVector = input.type && input.type->dims && input.type->dims->size() == 1;
  llvm::SmallVector<int64_t> shape(isVector ? 1 : 0, 1);
  if (pd::tensorType(value).getShape() == llvm::ArrayRef(shape))
    return value;
  return node.tensors().reshape(node.wrap(value), shape);
}

static LoopIteration importIteration(NodeImporter &node, const onnx::Graph &body, Value index,
                                     llvm::ArrayRef<Value> carried) {
  if (body.inputs.size() != carried.size() + 2 || body.outputs.size() < carried.size() + 1) {
    node.report("the graph '" + llvm::Twine(body.name) + "' has " + llvm::Twine(body.inputs.size()) +
                " inputs and " + llvm::Twine(body.outputs.size()) + " outputs, expected " +
                llvm::Twine(carried.size() + 2) + " inputs and at least " + llvm::Twine(carried.size() + 1) +
                " outputs");
    node.stop();
  }
  // An iteration runs only if the condition holds.
  Value holds = node.scalar(1, node.getBuilder().getI1Type());
  Values inputs{withDeclaredRank(node, body.inputs[0], index), withDeclaredRank(node, body.inputs[1], holds)};
  llvm::append_range(inputs, carried);
  Values outputs = importGraph(node, body, inputs);
  llvm::ArrayRef<Value> after(outputs);
  return {checkedCondition(node, body.outputs[0].name, after[0]), Values(after.slice(1, carried.size())),
          Values(after.drop_front(1 + carried.size()))};
}

void importLoop(NodeImporter &node) {
  const onnx::Graph &body = requiredGraph(node, "body");
  GraphLoop loop;
  Value count = node.input("M");
  if (count && knownNumber(node, count) != unlimited)
    loop.count = asCount(node, count);
  if (Value condition = node.input("cond"))
    loop.condition = checkedCondition(node, "cond", condition);
  loop.carried = node.values("v_initial");
  for (auto [i, value] : llvm::enumerate(loop.carried)) {
    const std::string &name = i + 2 < body.inputs.size() ? body.inputs[i + 2].name : "";
    loop.names.push_back(name);
    if (!value) {
      node.report("input 'v_initial' has no value for '" + llvm::Twine(name) + "'");
      return;
    }
  }
  loop.iterate = [&](Value index, llvm::ArrayRef<Value> carried) {
    return importIteration(node, body, index, carried);
  };
  GraphLoopResults results = createLoop(node, loop);
  Values outputs = results.carried;
  for (size_t i = 0; i < results.arrays.size(); ++i)
    outputs.push_back(stackCollected(node, results, i, 0));
  node.setOutputs("v_final_and_scan_outputs", outputs);
}

} // namespace proa::import::onnxhooks
