#include "lib/compiler/picture/Graph.h"

#include "dialects/dist/Dist.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/Pd.h"
#include "lib/base/tensors/Compare.h"
#include "lib/base/tensors/Elements.h"
#include "lib/compiler/planner/BuildPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

using namespace mlir;

namespace proa::picture {
namespace {

constexpr size_t longestAttribute = 300;

std::string typeText(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    if (auto dtype = pd::dtypeOf(tensor.getElementType())) {
      std::vector<int64_t> dims(tensor.getShape());
      std::string text(nameOf(*dtype));
      text += "[";
      for (size_t i = 0; i < dims.size(); ++i)
        text += (i ? ", " : "") + (ShapedType::isDynamic(dims[i]) ? "?" : std::to_string(dims[i]));
      return text + "]";
    }
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The shortest text of the value, which most attributes hold as float32.
std::string numberText(double value) {
  auto narrow = static_cast<float>(value);
  return static_cast<double>(narrow) == value ? fmt::format("{}", narrow) : fmt::format("{}", value);
}

/// Without types and dialects, which a reader of the picture does not need: "[1, 1]", "1e-05", "NCHW".
std::string attributeText(Attribute attribute) {
  std::string text;
  if (auto string = dyn_cast<StringAttr>(attribute))
    text = string.str();
  else if (auto floating = dyn_cast<FloatAttr>(attribute))
    text = numberText(floating.getValueAsDouble());
  else if (isa<IntegerAttr>(attribute)) {
    llvm::raw_string_ostream stream(text);
    attribute.print(stream, /*elideType=*/true);
  } else if (auto integers = dyn_cast<DenseI64ArrayAttr>(attribute))
    text = fmt::format("[{}]", fmt::join(integers.asArrayRef(), ", "));
  else if (auto list = dyn_cast<ArrayAttr>(attribute)) {
    for (Attribute element : list)
      text += (text.empty() ? "" : ", ") + attributeText(element);
    text = "[" + text + "]";
  } else if (auto elements = dyn_cast<DenseElementsAttr>(attribute);
             elements && elements.getNumElements() > 16)
    text = "dense elements, " + typeText(elements.getType());
  else
    llvm::raw_string_ostream(text) << attribute;
  llvm::StringRef value = text;
  if (value.consume_front("#pd<") && value.consume_back(">") &&
      value.contains(' ')) // "#pd<data_format NCHW>"
    text = value.split(' ').second.str();
  return text.size() > longestAttribute ? text.substr(0, longestAttribute) + "..." : text;
}

int64_t bytesOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto dtype = tensor ? pd::dtypeOf(tensor.getElementType()) : std::nullopt;
  return dtype && tensor.hasStaticShape() ? tensor.getNumElements() * static_cast<int64_t>(sizeOf(*dtype))
                                          : 0;
}

/// Whether an op sends data between devices. Collectives of dist have no effect on memory, but may not be
/// moved.
bool communicates(Operation &op) {
  auto effects = getEffectsRecursively(&op);
  if (effects && llvm::any_of(*effects, [](const MemoryEffects::EffectInstance &effect) {
        return effect.getResource() == dist::Network::get();
      }))
    return true;
  return isa_and_present<dist::DistDialect>(op.getDialect()) && op.getNumRegions() == 0 && !isPure(&op);
}

void addAxes(dist::ShardingAttr sharding, llvm::SetVector<StringRef> &axes) {
  for (dist::DimShardingAttr dim : sharding.getDims())
    for (dist::AxisAttr axis : dim.getAxes())
      axes.insert(axis.getName());
}

/// Builds the nodes of functions, block by block.
class GraphBuilder {
public:
  GraphBuilder(ModuleOp module, Graph &graph) : module(module), graph(graph) {}

  void build() {
    if (auto main = module.lookupSymbol<func::FuncOp>("main"))
      return addFunction(main);
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal())
        addFunction(function);
  }

private:
  int32_t addNode(Node node, int32_t parent) {
    auto id = static_cast<int32_t>(graph.nodes.size());
    node.parent = parent;
    graph.nodes.push_back(std::move(node));
    (parent < 0 ? graph.roots : graph.nodes[static_cast<size_t>(parent)].children).push_back(id);
    return id;
  }

  Node &node(int32_t id) { return graph.nodes[static_cast<size_t>(id)]; }

  /// The picture's value of an SSA value that a node computes.
  void define(mlir::Value value, int32_t producer, std::string name) {
    valueIds[value] = static_cast<int32_t>(graph.values.size());
    graph.values.push_back({producer, std::move(name), typeText(value.getType()), {}});
  }

  void addFunction(func::FuncOp function) {
    if (!function.getBody().hasOneBlock())
      return;
    for (BlockArgument argument : function.getArguments()) {
      unsigned i = argument.getArgNumber();
      if (auto parameter = function.getArgAttrOfType<StringAttr>(i, pd::parameterAttribute)) {
        parameterNames[argument] = parameter.str();
        continue;
      }
      auto feed = function.getArgAttrOfType<StringAttr>(i, pd::feedAttribute);
      Node node{
          .kind = NodeKind::Feed, .op = "feed", .name = feed ? feed.str() : "argument" + std::to_string(i)};
      node.results.push_back(typeText(argument.getType()));
      if (auto sharding = function.getArgAttrOfType<dist::ShardingAttr>(i, dist::shardingAttribute))
        setSharding(node, {sharding});
      std::string name = node.name;
      define(argument, addNode(std::move(node), -1), name);
    }
    addBlock(function.getBody().front(), -1);
    addFetches(function);
  }

  /// Fetches are nodes; a training step may have hundreds of states, which are named at their ops.
  void addFetches(func::FuncOp function) {
    Operation *exit = function.getBody().front().getTerminator();
    for (auto [i, value] : llvm::enumerate(exit->getOperands())) {
      auto result = static_cast<unsigned>(i);
      if (auto state = function.getResultAttrOfType<StringAttr>(result, pd::stateAttribute)) {
        if (auto computed = valueIds.find(value); computed != valueIds.end())
          node(graph.values[static_cast<size_t>(computed->second)].producer).states.push_back(state.str());
        continue;
      }
      auto fetch = function.getResultAttrOfType<StringAttr>(result, pd::fetchAttribute);
      Node shown{.kind = NodeKind::Fetch,
                 .op = "fetch",
                 .name = fetch ? fetch.str() : "result" + std::to_string(result)};
      addOperand(addNode(std::move(shown), -1), value);
    }
  }

  void addBlock(Block &block, int32_t parent) {
    for (Operation &op : block)
      if (!isa<func::ReturnOp>(op) && !isHidden(op))
        addOp(op, parent);
  }

  /// Small constants are shown as operands.
  static bool isHidden(Operation &op) {
    return op.hasTrait<OpTrait::ConstantLike>() || isa<dist::MeshOp>(op);
  }

  void setSharding(Node &node, ArrayRef<dist::ShardingAttr> shardings) {
    llvm::SetVector<StringRef> axes;
    for (dist::ShardingAttr sharding : shardings)
      addAxes(sharding, axes);
    for (StringRef axis : axes)
      node.axes.push_back(axis.str());
  }

  void describe(Operation &op, Node &node) {
    node.op = op.getName().getStringRef().str();
    node.line = planner::lineOf(op.getLoc());
    if (auto location = op.getLoc()->findInstanceOf<NameLoc>())
      node.name = location.getName().str();
    for (Type type : op.getResultTypes())
      node.results.push_back(typeText(type));
    SmallVector<dist::ShardingAttr> shardings;
    for (NamedAttribute attribute : op.getAttrs()) {
      if (attribute.getName() == OpTrait::AttrSizedOperandSegments<void>::getOperandSegmentSizeAttr())
        continue;
      node.attributes.emplace_back(attribute.getName().str(), attributeText(attribute.getValue()));
      attribute.getValue().walk([&](dist::ShardingAttr sharding) { shardings.push_back(sharding); });
    }
    setSharding(node, shardings);
    if (communicates(op))
      for (Type type : op.getOperandTypes())
        node.communicatedBytes += bytesOf(type);
  }

  void addOp(Operation &op, int32_t parent) {
    Node node;
    describe(op, node);
    int32_t id = addNode(std::move(node), parent);
    for (mlir::Value operand : op.getOperands())
      addOperand(id, operand);
    for (Region &region : op.getRegions())
      for (Block &block : region)
        addRegion(block, id);
    if (auto call = dyn_cast<func::CallOp>(op))
      addCallee(call, id);
    for (auto [i, result] : llvm::enumerate(op.getResults())) {
      const std::string &name = graph.nodes[static_cast<size_t>(id)].name;
      define(result, id, name.empty() || op.getNumResults() == 1 ? name : name + "#" + std::to_string(i));
    }
  }

  void addRegion(Block &block, int32_t parent) {
    for (BlockArgument argument : block.getArguments()) {
      Node node{.kind = NodeKind::Argument, .op = "argument"};
      node.results.push_back(typeText(argument.getType()));
      define(argument, addNode(std::move(node), parent), "");
    }
    addBlock(block, parent);
  }

  /// The body of a kernel, with the operands of the call as its arguments.
  void addCallee(func::CallOp call, int32_t parent) {
    auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
    if (!callee || !callee.getBody().hasOneBlock() || !active.insert(callee).second)
      return;
    for (auto [argument, operand] : llvm::zip(callee.getArguments(), call.getOperands())) {
      valueIds.erase(argument);
      parameterNames.erase(argument);
      if (auto found = valueIds.find(operand); found != valueIds.end())
        valueIds[argument] = int32_t(found->second);
      if (auto found = parameterNames.find(operand); found != parameterNames.end())
        parameterNames[argument] = std::string(found->second);
    }
    addBlock(callee.getBody().front(), parent);
    active.erase(callee);
  }

  void addOperand(int32_t id, mlir::Value operand) {
    Operand added{.value = -1, .name = "", .type = typeText(operand.getType())};
    if (auto found = valueIds.find(operand); found != valueIds.end()) {
      added.value = found->second;
      std::vector<int32_t> &consumers = graph.values[static_cast<size_t>(added.value)].consumers;
      if (consumers.empty() || consumers.back() != id)
        consumers.push_back(id);
    } else if (auto parameter = parameterNames.find(operand); parameter != parameterNames.end()) {
      added.name = parameter->second;
    } else if (Operation *constant = operand.getDefiningOp()) {
      added.name = constantText(*constant);
    }
    graph.nodes[static_cast<size_t>(id)].operands.push_back(std::move(added));
  }

  static std::string constantText(Operation &op) {
    for (NamedAttribute attribute : op.getAttrs())
      return attributeText(attribute.getValue());
    return op.getName().getStringRef().str();
  }

  ModuleOp module;
  Graph &graph;
  llvm::DenseMap<mlir::Value, int32_t> valueIds;
  llvm::DenseMap<mlir::Value, std::string> parameterNames;
  llvm::SmallPtrSet<Operation *, 4> active;
};

} // namespace

WeightStatistics weightStatistics(const Tensor &tensor) {
  WeightStatistics result;
  FiniteStatistics finite = finiteStatisticsOf(tensor);
  result.minimum = finite.minimum;
  result.maximum = finite.maximum;
  result.mean = finite.mean;
  result.nans = finite.nans;
  result.infinities = finite.infinities;
  double squares = 0;
  visitElements(tensor, [&](auto *elements) {
    for (int64_t i = 0; i < tensor.size(); ++i) {
      auto wide = widened(elements[i]);
      double value = 0;
      if constexpr (isComplex<decltype(wide)>)
        value = wide.real();
      else
        value = static_cast<double>(wide);
      result.zeros += value == 0;
      if (std::isfinite(value))
        squares += (value - result.mean) * (value - result.mean);
    }
  });
  if (finite.finite > 0)
    result.deviation = std::sqrt(squares / static_cast<double>(finite.finite));
  return result;
}

Graph graphOf(ModuleOp module, const std::map<std::string, Tensor> &weights) {
  Graph graph;
  GraphBuilder(module, graph).build();
  for (const auto &[name, tensor] : weights)
    graph.weights[name] = weightStatistics(tensor);
  return graph;
}

} // namespace proa::picture
