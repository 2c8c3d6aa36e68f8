#include "translator/import/onnx/GraphLoop.h"

#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/reference/HostScalar.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace proa::import {
namespace {

using Values = llvm::SmallVector<Value>;

/// The import of an iteration, detached.
struct ImportedBody {
  Region region;
  LoopIteration end;

  Block &block() { return region.front(); }
};

class LoopCreator {
public:
  LoopCreator(NodeImporter &node, const GraphLoop &loop)
      : node(node), graph(node.getGraph()), builder(node.getBuilder()), location(node.getLocation()),
        loop(loop) {
    for (Value value : loop.carried)
      types.push_back(value.getType());
    reshaped.resize(types.size());
  }

  GraphLoopResults run() {
    std::optional<ImportFailure> failure = graph.attempt([&] {
      while (!importBody())
        ;
    });
    if (!failure)
      return asLoop();
    if (std::optional<GraphLoopResults> results = unrolled())
      return *results;
    if (std::optional<GraphLoopResults> results = withFirstBefore())
      return *results;
    graph.reportFailures(*failure);
    node.stop();
  }

private:
  GraphLoopResults asLoop() {
    std::optional<bool> goesOn = known(body->end.condition), starts = known(loop.condition);
    if (goesOn == true && starts != false && !loop.count) {
      node.reportOpen("never ends: it has no trip count, and its condition stays true");
      node.stop();
    }
    bool isCounted = goesOn == true && starts == true;
    Values inits = widenedTo(loop.carried);
    for (size_t i = 0; i < body->end.collected.size(); ++i)
      inits.push_back(initialArray(i));
    Values results = isCounted ? createCounted(inits) : createConditional(inits);
    GraphLoopResults out;
    llvm::append_range(out.carried, llvm::ArrayRef(results).take_front(types.size()));
    for (auto [inside, result] : llvm::zip(kinds, results))
      graph.keepKind(inside, result);
    llvm::append_range(out.arrays, llvm::ArrayRef(results).drop_front(types.size()));
    for (auto [element, array] : llvm::zip(elements, out.arrays))
      graph.keepKind(element, array);
    if (std::optional<int64_t> count = isCounted ? knownCount() : std::nullopt)
      out.count = std::max<int64_t>(0, *count);
    if (starts == false)
      out.count = 0;
    if (out.count && loop.isContinued)
      ++*out.count;
    graph.forget(body->region);
    return out;
  }

  /// The array of collected elements `i` before the loop: empty, or with the element of the first iteration.
  Value initialArray(size_t i) {
    auto element = pd::tensorType(body->end.collected[i]);
    Type joined = loop.isContinued ? pd::joinedTypes(element, loop.collected[i].getType()) : element;
    if (!joined) {
      node.reportOpen("output " + llvm::Twine(types.size() + i) + " collects elements of type " +
                      typeText(loop.collected[i].getType()) + " and " + typeText(element));
      node.stop();
    }
    Type type = pd::ArrayType::get(builder.getContext(), cast<RankedTensorType>(joined));
    Value array = pd::widened(builder, location, pd::ArrayCreateOp::create(builder, location), type);
    if (!loop.isContinued)
      return array;
    Value first = pd::oneInt(builder, location, 0);
    return pd::widened(builder, location,
                       pd::ArrayWriteOp::create(builder, location, array, first, loop.collected[i]), type);
  }

  /// The number of iterations that the trip count allows, if it is known.
  std::optional<int64_t> knownCount() {
    std::optional<Tensor> count = loop.count ? graph.knownTensor(loop.count) : std::nullopt;
    return count ? std::optional(pd::loadScalar(*count, 0).integer) : std::nullopt;
  }

  /// Imports the first iteration before a loop of the others. Exporters initialize values that the first
  /// iteration defines with a number, so that it alone changes their ranks. Nothing if it is not known to
  /// run.
  std::optional<GraphLoopResults> withFirstBefore() {
    std::optional<int64_t> count = knownCount();
    if (loop.isContinued || known(loop.condition) != true || (loop.count && count.value_or(0) < 1) ||
        !graph.mayUnroll(1))
      return std::nullopt;
    std::optional<GraphLoopResults> results;
    graph.countUnrolled();
    std::optional<ImportFailure> failure = graph.attempt([&] {
      LoopIteration first = loop.iterate(pd::oneInt(builder, location, 0), loop.carried);
      if (graph.hasReported())
        node.stop();
      GraphLoop others = loop;
      others.isContinued = true;
      others.carried = first.carried;
      others.collected = first.collected;
      others.condition = first.condition;
      if (count)
        others.count = pd::oneInt(builder, location, *count - 1);
      others.iterate = [&](Value index, llvm::ArrayRef<Value> carried) {
        return loop.iterate(afterFirst(index), carried);
      };
      results = LoopCreator(node, others).run();
    });
    return failure ? std::nullopt : results;
  }

  Value afterFirst(Value index) {
    return pd::AddOp::create(builder, location, index, pd::oneInt(builder, location, 1));
  }

  /// Imports the iterations one after the other, for a body that no loop can have because it changes ranks or
  /// needs to know its index. Nothing if the number of iterations is not known or the body has errors.
  std::optional<GraphLoopResults> unrolled() {
    std::optional<int64_t> iterations = knownCount();
    if (loop.isContinued || (loop.count && !iterations) || known(loop.condition) != true)
      return std::nullopt;
    if (iterations && (*iterations < 1 || !graph.mayUnroll(*iterations)))
      return std::nullopt;
    GraphLoopResults results;
    results.carried = loop.carried;
    llvm::SmallVector<Values> collected;
    std::optional<ImportFailure> failure = graph.attempt([&] {
      std::optional<bool> goesOn = true;
      for (int64_t i = 0; (!iterations || i < *iterations) && goesOn == true; ++i) {
        if (!graph.mayUnroll(1))
          node.stop();
        graph.countUnrolled();
        LoopIteration end = loop.iterate(pd::oneInt(builder, location, i), results.carried);
        results.carried = end.carried;
        collected.push_back(end.collected);
        goesOn = known(end.condition);
      }
      if (graph.hasReported() || !goesOn)
        node.stop();
    });
    if (failure)
      return std::nullopt;
    results.count = static_cast<int64_t>(collected.size());
    for (size_t i = 0; i < collected.front().size(); ++i) {
      Value array = arrayOf(collected, i);
      if (!array)
        return std::nullopt;
      results.arrays.push_back(array);
    }
    return results;
  }

  /// Element `i` of each iteration as an array; null if their ranks or element types differ.
  Value arrayOf(llvm::ArrayRef<Values> collected, size_t i) {
    Type joined = collected.front()[i].getType();
    for (const Values &values : collected)
      if (joined)
        joined = pd::joinedTypes(joined, values[i].getType());
    if (!joined || pd::isArray(collected.front()[i]))
      return {};
    Type type = pd::ArrayType::get(builder.getContext(), cast<RankedTensorType>(joined));
    Value array = pd::widened(builder, location, pd::ArrayCreateOp::create(builder, location), type);
    for (auto [position, values] : llvm::enumerate(collected)) {
      Value index = pd::oneInt(builder, location, static_cast<int64_t>(position));
      array = pd::widened(builder, location,
                          pd::ArrayWriteOp::create(builder, location, array, index, values[i]), type);
    }
    graph.keepKind(collected.front()[i], array);
    return array;
  }

  /// The value of a condition, if it is known. None is true.
  std::optional<bool> known(Value condition) {
    if (!condition)
      return true;
    std::optional<Tensor> tensor = graph.knownTensor(condition);
    return tensor && tensor->size() == 1 ? std::optional(pd::loadScalar(*tensor, 0).integer != 0)
                                         : std::nullopt;
  }

  /// Imports an iteration with the types so far; false if they have become wider.
  bool importBody() {
    body = std::make_unique<ImportedBody>();
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&body->region);
    Value index = body->block().addArgument(RankedTensorType::get({1}, builder.getI64Type()), location);
    Values arguments;
    for (auto [type, before] : llvm::zip(types, loop.carried)) {
      arguments.push_back(body->block().addArgument(type, location));
      graph.keepKind(before, arguments.back());
    }
    body->end = loop.iterate(index, arguments);
    bool isStable = true;
    for (auto [i, after] : llvm::enumerate(body->end.carried))
      isStable &= join(i, after.getType());
    if (graph.hasReported())
      node.stop();
    if (!isStable)
      graph.forget(body->region);
    return isStable;
  }

  /// Joins the type of a carried value with its type after an iteration; false if it has changed.
  bool join(size_t i, Type after) {
    Type joined = pd::joinedTypes(types[i], after);
    // All iterations but the first one have the rank of the result.
    if (!joined && hasOneElement(types[i]) && hasOneElement(after) && !reshaped.test(i)) {
      reshaped.set(i);
      types[i] = cast<RankedTensorType>(after);
      return false;
    }
    if (!joined)
      node.reportOpen("value '" + llvm::Twine(loop.names[i]) + "' has type " + typeText(types[i]) +
                      " before an iteration and " + typeText(after) +
                      " after it; a loop can change dims, not ranks or element types");
    bool isSame = !joined || joined == types[i];
    if (joined)
      types[i] = joined;
    return isSame;
  }

  Values widenedTo(ValueRange values) {
    Values out;
    for (auto [i, value, type] : llvm::enumerate(values, types)) {
      bool isReshaped = reshaped.test(i) && value.getType() != type;
      Value before = isReshaped
                         ? node.tensors().reshape(node.wrap(value), cast<RankedTensorType>(type).getShape())
                         : value;
      out.push_back(pd::widened(builder, location, before, type));
    }
    return out;
  }

  static bool hasOneElement(Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() && tensor.getNumElements() == 1;
  }

  /// Moves the body to the insertion point. Returns the carried values and the arrays after the iteration,
  /// and whether there is another one.
  Values moveBody(Value index, ValueRange carried, Value &condition) {
    Block &block = body->block();
    block.getArgument(0).replaceAllUsesWith(index);
    for (auto [argument, value] : llvm::zip(block.getArguments().drop_front(), carried)) {
      argument.replaceAllUsesWith(value);
      graph.keepKind(argument, value);
    }
    auto current = [&](Value value) -> Value {
      auto argument = dyn_cast_if_present<BlockArgument>(value);
      if (!argument || argument.getOwner() != &block)
        return value;
      return argument.getArgNumber() == 0 ? index : carried[argument.getArgNumber() - 1];
    };
    Block *target = builder.getInsertionBlock();
    target->getOperations().splice(builder.getInsertionPoint(), block.getOperations());
    condition = current(body->end.condition);
    for (Value value : body->end.carried)
      kinds.push_back(current(value));
    Values next = widenedTo(kinds);
    Value position = loop.isContinued && !body->end.collected.empty() ? afterFirst(index) : index;
    for (auto [array, collected] : llvm::zip(carried.drop_front(types.size()), body->end.collected)) {
      elements.push_back(current(collected));
      next.push_back(pd::widened(
          builder, location, pd::ArrayWriteOp::create(builder, location, array, position, elements.back()),
          array.getType()));
    }
    return next;
  }

  Values createCounted(ValueRange inits) {
    return pd::countedLoop(builder, location, loop.count, inits,
                           [&](OpBuilder &, Value index, ValueRange carried) {
                             Value condition;
                             return moveBody(index, carried, condition);
                           });
  }

  /// Carries the index, whether another iteration follows, and `inits`.
  Values createConditional(ValueRange inits) {
    Values all{pd::oneInt(builder, location, 0), flag(loop.condition)};
    llvm::append_range(all, inits);
    llvm::SmallVector<Type> allTypes(ValueRange(all).getTypes());
    llvm::SmallVector<Location> locations(all.size(), location);
    auto created = scf::WhileOp::create(builder, location, allTypes, all);
    OpBuilder::InsertionGuard guard(builder);
    Block *test = builder.createBlock(&created.getBefore(), {}, allTypes, locations);
    Value goesOn = test->getArgument(1);
    if (loop.count)
      goesOn = pd::LogicalAndOp::create(
          builder, location, goesOn,
          flag(pd::LessThanOp::create(builder, location, test->getArgument(0), loop.count)));
    scf::ConditionOp::create(builder, location, pd::asCondition(builder, location, goesOn),
                             test->getArguments());
    Block *inside = builder.createBlock(&created.getAfter(), {}, allTypes, locations);
    Value index = inside->getArgument(0), condition;
    Values next = moveBody(index, inside->getArguments().drop_front(2), condition);
    Values yielded{pd::AddOp::create(builder, location, index, pd::oneInt(builder, location, 1)),
                   flag(condition)};
    llvm::append_range(yielded, next);
    scf::YieldOp::create(builder, location, yielded);
    return Values(created.getResults().drop_front(2));
  }

  /// A condition as a bool of rank 0; true if there is none.
  Value flag(Value condition) {
    if (condition)
      return node.tensors().reshape(node.wrap(condition), {});
    return node.scalar(1, builder.getI1Type());
  }

  NodeImporter &node;
  GraphImporter &graph;
  OpBuilder &builder;
  Location location;
  const GraphLoop &loop;
  llvm::SmallVector<Type> types; ///< of the carried values
  llvm::SmallBitVector reshaped; ///< carried values of one element whose rank an iteration changes
  std::unique_ptr<ImportedBody> body;
  Values kinds;    ///< the carried values after an iteration
  Values elements; ///< that an iteration collects
};

/// An empty stack of elements of this type.
Value emptyStack(NodeImporter &node, RankedTensorType type) {
  llvm::SmallVector<int64_t> dims;
  for (int64_t dim : type.getShape())
    dims.push_back(ShapedType::isDynamic(dim) ? 0 : dim);
  return node.constant(Tensor(*pd::dtypeOf(type.getElementType()), {dims.begin(), dims.end()}));
}

} // namespace

std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

GraphLoopResults createLoop(NodeImporter &node, const GraphLoop &loop) {
  return LoopCreator(node, loop).run();
}

Value checkedCondition(NodeImporter &node, llvm::StringRef name, Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (type && type.getElementType().isInteger(1) && (!type.hasStaticShape() || type.getNumElements() == 1))
    return tensor;
  node.report("'" + name + "' has type " + typeText(tensor.getType()) + ", expected a bool of one element");
  node.stop();
}

Value asCount(NodeImporter &node, Value tensor) {
  pd::TensorBuilder &e = node.tensors();
  return e.reshape(e.cast(node.wrap(tensor), node.getBuilder().getI64Type()), {1});
}

/// The stack of an array of results.
static Value stacked(NodeImporter &node, const GraphLoopResults &results, size_t index, int64_t axis) {
  OpBuilder &builder = node.getBuilder();
  Location location = node.getLocation();
  Value array = results.arrays[index];
  auto element = cast<pd::ArrayType>(array.getType()).getElement();
  llvm::SmallVector<int64_t> shape(element.getShape());
  if (axis < 0 || axis > element.getRank()) {
    node.report("output " + llvm::Twine(index) + " has no axis " + llvm::Twine(axis));
    node.stop();
  }
  auto all = [&]() -> Value {
    return pd::ArrayToTensorOp::create(builder, location, array, builder.getI64IntegerAttr(axis),
                                       builder.getBoolAttr(true))
        .getOut();
  };
  shape.insert(shape.begin() + axis, results.count.value_or(ShapedType::kDynamic));
  auto type = RankedTensorType::get(shape, element.getElementType());
  if (results.count)
    return *results.count == 0 ? emptyStack(node, type) : pd::widened(builder, location, all(), type);
  Value length = pd::ArrayLengthOp::create(builder, location, array);
  Value isFilled = pd::GreaterThanOp::create(builder, location, length, pd::oneInt(builder, location, 0));
  auto branch =
      scf::IfOp::create(builder, location, TypeRange(type), pd::asCondition(builder, location, isFilled),
                        /*withElseRegion=*/true);
  for (bool isEmpty : {false, true}) {
    OpBuilder::InsertionGuard guard(builder);
    Region &region = isEmpty ? branch.getElseRegion() : branch.getThenRegion();
    builder.setInsertionPointToStart(&region.front());
    Value value = isEmpty ? emptyStack(node, type) : all();
    scf::YieldOp::create(builder, location, pd::widened(builder, location, value, type));
  }
  return branch.getResult(0);
}

Value stackCollected(NodeImporter &node, const GraphLoopResults &results, size_t index, int64_t axis) {
  Value stack = stacked(node, results, index, axis);
  node.getGraph().keepKind(results.arrays[index], stack);
  return stack;
}

} // namespace proa::import
