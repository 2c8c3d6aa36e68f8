#include "dialects/pd/ops/shape/DimRoots.h"

#include "dialects/pd/autodiff/Broadcasting.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/creation/RangeOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/linalg/Contract.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"
#include "dialects/pd/ops/shape/View.h"
#include "dialects/pd/sharding/ShardingRule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace proa::pd {
namespace {

//===-- Elements of shapes --===//

/// An element of a vector, or the only one of a tensor.
struct Element {
  Value tensor;
  int64_t index = 0;
};

/// How many ops may lie between dims that meet.
constexpr int mostSteps = 48;
/// How many ops of several operands, whose dims must be the same, may ask for each other: limits the stack.
constexpr int mostNested = 32;

std::optional<int64_t> knownElement(Value tensor, int64_t index) {
  FailureOr<SmallVector<int64_t>> elements = knownElements(tensor);
  bool isKnown = succeeded(elements) && index < static_cast<int64_t>(elements->size()) &&
                 !ShapedType::isDynamic((*elements)[static_cast<size_t>(index)]);
  return isKnown ? std::optional((*elements)[static_cast<size_t>(index)]) : std::nullopt;
}

std::optional<Element> elementOf(SliceOp op, int64_t index) {
  bool isStatic = !op.getStartsTensor() && !op.getStridesTensor() && op.getAxes() == ArrayRef<int64_t>{0} &&
                  llvm::all_of(op.getStrides(), [](int64_t stride) { return stride == 1; });
  if (!isStatic)
    return std::nullopt;
  int64_t start = op.getStarts()[0], size = tensorType(op.getX()).getDimSize(0);
  return Element{op.getX(), index + (start < 0 ? start + size : start)};
}

std::optional<Element> elementOf(ConcatOp op, int64_t index) {
  for (Value operand : op.getX()) {
    RankedTensorType own = tensorType(operand);
    if (!own.hasStaticShape())
      return std::nullopt;
    if (index < own.getNumElements())
      return Element{operand, index};
    index -= own.getNumElements();
  }
  return std::nullopt;
}

std::optional<Element> elementOf(GatherOp op, int64_t index) {
  bool isOfVector = tensorType(op.getX()).getRank() == 1 && !op.getAxisTensor();
  std::optional<int64_t> own = isOfVector ? knownElement(op.getIndex(), index) : std::nullopt;
  if (!own)
    return std::nullopt;
  return Element{op.getX(), *own < 0 ? *own + tensorType(op.getX()).getDimSize(0) : *own};
}

/// The index of the element that an operand of an elementwise op gives.
int64_t indexIn(Value operand, int64_t index) {
  return tensorType(operand).hasStaticShape() && tensorType(operand).getNumElements() == 1 ? 0 : index;
}

//===-- Dims --===//

/// The dimension of x that an inferred entry of a reshape is: the only one that is left if the others are
/// copied or have the same product.
std::optional<DimRoot> inferredDim(ReshapeOp op) {
  RankedTensorType from = tensorType(op.getX());
  int64_t product = 1, given = 1;
  SmallVector<int64_t> left;
  for (int64_t axis = 0; axis < from.getRank(); ++axis) {
    bool isCopied = axis < static_cast<int64_t>(op.getShape().size()) && op.getShape()[axis] == 0;
    if (from.isDynamicDim(axis) && !isCopied)
      left.push_back(axis);
    else if (!isCopied)
      product *= from.getDimSize(axis);
  }
  for (int64_t entry : op.getShape())
    given *= entry > 0 ? entry : 1;
  if (left.size() != 1 || product != given || product == 0)
    return std::nullopt;
  return DimRoot{op.getX(), left.front()};
}

/// Whether a dynamic dim of an operand may be 1 where another operand's is not.
bool canBroadcast(Operation *op) {
  return isa<ScalarOpInterface, MatmulOp>(op) || op->hasTrait<BroadcastsOperands>();
}

/// The dim of an earlier argument that has the same name, which a run checks.
std::optional<DimRoot> sourceByName(BlockArgument argument, int64_t axis) {
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!function || argument.getOwner() != &function.getBody().front())
    return std::nullopt;
  auto namesOf = [&](unsigned index) {
    return function.getArgAttrOfType<ArrayAttr>(index, dimNamesAttribute);
  };
  ArrayAttr own = namesOf(argument.getArgNumber());
  auto name = own ? cast<StringAttr>(own[static_cast<size_t>(axis)]) : StringAttr();
  if (!name || name.empty())
    return std::nullopt;
  for (unsigned index = 0; index < argument.getArgNumber(); ++index)
    if (ArrayAttr names = namesOf(index))
      for (auto [dim, other] : llvm::enumerate(names))
        if (other == name)
          return DimRoot{function.getArgument(index), static_cast<int64_t>(dim)};
  return std::nullopt;
}

/// The dim, or the number that it is.
DimRoot withNumber(DimRoot dim) {
  if (!dim.tensor)
    return dim;
  RankedTensorType type = tensorType(dim.tensor);
  return type.isDynamicDim(dim.index) ? dim : DimRoot{Value(), type.getDimSize(dim.index)};
}

/// Whether `a` is the result of an op after the value of `b`.
bool isLater(const DimRoot &a, const DimRoot &b) {
  Operation *own = a.tensor ? a.tensor.getDefiningOp() : nullptr,
            *other = b.tensor ? b.tensor.getDefiningOp() : nullptr;
  if (!own || !other)
    return own;
  if (Operation *ancestor = other->getBlock()->findAncestorOpInBlock(*own))
    return other->isBeforeInBlock(ancestor);
  Operation *ancestor = own->getBlock()->findAncestorOpInBlock(*other);
  return ancestor && ancestor->isBeforeInBlock(own);
}

//===-- Search --===//

/// Follows dims to the ops that compute them. It keeps what it found: selections between shapes, and operands
/// that may broadcast, ask for the same dims again.
class DimSearch {
public:
  /// The dim that an element is, before dims are followed.
  std::optional<DimRoot> dimIn(Element element) {
    return found(held, {element.tensor, element.index}, [&] { return findHeld(element); });
  }

  /// The dim from which the op of its tensor takes a dynamic dim; empty if it is of no other tensor.
  std::optional<DimRoot> sourceOf(DimRoot dim) {
    return found(sources, {dim.tensor, dim.index}, [&] { return findSource(dim); });
  }

  DimRoot rootOf(DimRoot dim) {
    dim = withNumber(dim);
    while (std::optional<DimRoot> source = dim.tensor ? sourceOf(dim) : std::nullopt)
      dim = withNumber(*source);
    return dim;
  }

  /// Whether dims that are known meet within few ops.
  bool areSame(std::optional<DimRoot> a, std::optional<DimRoot> b);

private:
  using Found = llvm::DenseMap<std::pair<Value, int64_t>, std::optional<DimRoot>>;

  std::optional<DimRoot> found(Found &known, std::pair<Value, int64_t> key,
                               llvm::function_ref<std::optional<DimRoot>()> find) {
    if (auto it = known.find(key); it != known.end())
      return it->second;
    if (depth == mostNested)
      return std::nullopt;
    llvm::SaveAndRestore nested(depth, depth + 1);
    std::optional<DimRoot> dim = find(); // may add others
    known[key] = dim;
    return dim;
  }

  std::optional<DimRoot> findHeld(Element element);
  std::optional<DimRoot> findSource(DimRoot dim);
  std::optional<Element> sourceOf(Element element);
  std::optional<Element> elementOf(WhereOp op, int64_t index);
  std::optional<DimRoot> sourceOf(ReshapeOp op, int64_t axis);
  std::optional<DimRoot> sourceOf(ExpandOp op, int64_t axis);
  std::optional<DimRoot> sourceOf(ArangeOp op);
  std::optional<DimRoot> sourceOf(scf::IfOp op, unsigned result, int64_t axis);
  std::optional<DimRoot> sourceByRule(OpResult result, int64_t axis);

  Found held, sources;
  int depth = 0;
};

/// The side of a selection that gives the element: ONNX's exporters replace entries of -1, which no dim is,
/// and entries that are 1 by a dim that they are equal to.
std::optional<Element> DimSearch::elementOf(WhereOp op, int64_t index) {
  Element x{op.getX(), indexIn(op.getX(), index)}, y{op.getY(), indexIn(op.getY(), index)};
  if (std::optional<int64_t> condition = knownElement(op.getCondition(), indexIn(op.getCondition(), index)))
    return *condition ? x : y;
  auto equal = op.getCondition().getDefiningOp<EqualOp>();
  std::optional<int64_t> number =
      equal ? knownElement(equal.getY(), indexIn(equal.getY(), index)) : std::nullopt;
  if (number && *number < 0 && dimIn({equal.getX(), indexIn(equal.getX(), index)}))
    return y;
  return areSame(dimIn(x), dimIn(y)) ? std::optional(y) : std::nullopt;
}

/// Where an element was before the op that moved it; empty if it is of another op.
std::optional<Element> DimSearch::sourceOf(Element element) {
  Operation *op = element.tensor.getDefiningOp();
  RankedTensorType type = tensorType(element.tensor);
  if (!op || type.getRank() > 1 || !type.hasStaticShape() || element.index < 0 ||
      element.index >= type.getNumElements())
    return std::nullopt;
  if (isa<ReshapeOp, CastOp, SqueezeOp, UnsqueezeOp, AssignOp>(op))
    return tensorType(op->getOperand(0)).hasStaticShape()
               ? std::optional(Element{op->getOperand(0), element.index})
               : std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<Element>>(op)
      .Case<SliceOp, ConcatOp, GatherOp>([&](auto own) { return proa::pd::elementOf(own, element.index); })
      .Case<WhereOp>([&](WhereOp own) { return elementOf(own, element.index); })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<DimRoot> DimSearch::findHeld(Element element) {
  while (std::optional<Element> source = sourceOf(element))
    element = *source;
  if (auto shape = element.tensor.getDefiningOp<ShapeOp>())
    return DimRoot{shape.getX(), element.index};
  auto dim = element.tensor.getDefiningOp<DimOp>();
  if (!dim)
    return std::nullopt;
  auto index = static_cast<int64_t>(dim.getIndex());
  return DimRoot{dim.getX(), index < 0 ? index + tensorType(dim.getX()).getRank() : index};
}

std::optional<DimRoot> DimSearch::sourceOf(ReshapeOp op, int64_t axis) {
  if (op.getShapeTensor())
    return dimIn({op.getShapeTensor(), axis});
  if (op.getShape()[axis] == 0)
    return DimRoot{op.getX(), axis};
  return op.getShape()[axis] == -1 ? inferredDim(op) : std::nullopt;
}

std::optional<DimRoot> DimSearch::sourceOf(ExpandOp op, int64_t axis) {
  if (op.getShapeTensor())
    return dimIn({op.getShapeTensor(), axis});
  int64_t own = axis - (tensorType(op.getOut()).getRank() - tensorType(op.getX()).getRank());
  return own >= 0 && op.getShape()[axis] == -1 ? std::optional(DimRoot{op.getX(), own}) : std::nullopt;
}

/// The elements from 0 to a dim.
std::optional<DimRoot> DimSearch::sourceOf(ArangeOp op) {
  bool areAll = knownElement(op.getStart(), 0) == 0 && knownElement(op.getStep(), 0) == 1;
  return areAll ? dimIn({op.getEnd(), 0}) : std::nullopt;
}

/// The dim that both branches give.
std::optional<DimRoot> DimSearch::sourceOf(scf::IfOp op, unsigned result, int64_t axis) {
  DimRoot first = rootOf({op.thenYield().getOperand(result), axis}),
          second = rootOf({op.elseYield().getOperand(result), axis});
  return first == second ? std::optional(first) : std::nullopt;
}

/// The dim of an operand that has the same only factor in the sharding rule of the op. Operands that may
/// broadcast have the dim if all have the same one.
std::optional<DimRoot> DimSearch::sourceByRule(OpResult result, int64_t axis) {
  Operation *op = result.getOwner();
  std::optional<ShardingRule> rule =
      isa_and_present<PdDialect>(op->getDialect()) ? shardingRuleOf(op) : std::nullopt;
  if (!rule || rule->results[result.getResultNumber()].empty())
    return std::nullopt;
  const DimFactors &requested = rule->results[result.getResultNumber()][static_cast<size_t>(axis)];
  if (requested.size() != 1 || requested.range)
    return std::nullopt;
  std::optional<DimRoot> found;
  for (auto [operand, factors] : llvm::zip(op->getOperands(), rule->operands))
    for (auto [dim, given] : llvm::enumerate(factors)) {
      if (given != requested || given.range)
        continue;
      DimRoot own{operand, static_cast<int64_t>(dim)};
      if (!found)
        found = own;
      if (!canBroadcast(op))
        return found;
      if (!(own == *found) && !areSame(own, *found))
        return std::nullopt;
    }
  return found;
}

std::optional<DimRoot> DimSearch::findSource(DimRoot dim) {
  if (auto argument = dyn_cast<BlockArgument>(dim.tensor))
    return sourceByName(argument, dim.index);
  auto result = cast<OpResult>(dim.tensor);
  int64_t axis = dim.index;
  return llvm::TypeSwitch<Operation *, std::optional<DimRoot>>(result.getOwner())
      .Case<ReshapeOp, ExpandOp>([&](auto op) { return sourceOf(op, axis); })
      .Case<TransposeOp>([&](TransposeOp op) {
        int64_t own = op.getPerm()[axis];
        return DimRoot{op.getX(), own < 0 ? own + static_cast<int64_t>(op.getPerm().size()) : own};
      })
      .Case<FullOp>([&](FullOp op) { return dimIn({op.getShapeTensor(), axis}); })
      .Case<ArangeOp>([&](ArangeOp op) { return sourceOf(op); })
      .Case<scf::IfOp>([&](scf::IfOp op) { return sourceOf(op, result.getResultNumber(), axis); })
      .Default([&](Operation *) { return sourceByRule(result, axis); });
}

/// Whether dims meet. The later one is followed first, so that it does not pass the other.
bool DimSearch::areSame(std::optional<DimRoot> first, std::optional<DimRoot> second) {
  if (!first || !second)
    return false;
  DimRoot a = withNumber(*first), b = withNumber(*second);
  auto follow = [&](DimRoot &dim) {
    std::optional<DimRoot> source = dim.tensor ? sourceOf(dim) : std::nullopt;
    if (source)
      dim = withNumber(*source);
    return source.has_value();
  };
  for (int steps = mostSteps; !(a == b) && steps > 0; --steps) {
    if (!isLater(a, b))
      std::swap(a, b);
    if (!follow(a) && !follow(b))
      return false;
  }
  return a == b;
}

} // namespace

DimRoot dimRootOf(Value tensor, int64_t axis) { return DimSearch().rootOf({tensor, axis}); }

std::optional<DimRoot> heldDimOf(Value tensor, int64_t index) {
  DimSearch search;
  std::optional<DimRoot> dim = search.dimIn({tensor, index});
  return dim ? std::optional(search.rootOf(*dim)) : std::nullopt;
}

bool areSameDims(Value a, int64_t axisOfA, Value b, int64_t axisOfB) {
  return DimSearch().areSame(DimRoot{a, axisOfA}, DimRoot{b, axisOfB});
}

bool holdsDimOf(Value vector, int64_t index, Value tensor, int64_t axis) {
  DimSearch search;
  return search.areSame(search.dimIn({vector, index}), DimRoot{tensor, axis});
}

} // namespace proa::pd
