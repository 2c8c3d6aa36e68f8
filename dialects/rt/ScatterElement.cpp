//! Elements of scattered tensors.
#include "dialects/rt/ScatterUpdate.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/rt/Rt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace proa::rt {
namespace {

using pd::CheckedIndex;
using pd::ElementBuilder;
using pd::IndexValue;
using Indices = ElementBuilder::Indices;
using Values = ElementBuilder::Values;

/// The first of the ascending keys that is not less than `key`; with `isAfter`, that is greater.
IndexValue findKey(ElementBuilder &e, IndexValue key, bool isAfter) {
  // A loop of as many steps as the number of keys has bits halves the range.
  IndexValue count = e.dim(1, 0);
  int64_t bits = 63;
  if (std::optional<int64_t> known = getConstantIntValue(count.value()))
    bits = int64_t(llvm::Log2_64_Ceil(uint64_t(*known) + 1));
  Values range = e.loops({{e.index(0), e.index(bits)}}, {e.index(0).value(), count.value()},
                         [&](ArrayRef<IndexValue>, ValueRange state) -> Values {
                           IndexValue low(e, state[0]), high(e, state[1]), middle = (low + high) / 2;
                           Value isOpen = pd::isLess(low, high);
                           Value isLeft = e.choose(
                               isOpen,
                               [&] {
                                 IndexValue found = e.loadInteger(1, {middle});
                                 return isAfter ? pd::isLess(key, found) : pd::isLess(key - 1, found);
                               },
                               [&] { return pd::isLess(e.index(0), e.index(1)); });
                           IndexValue next = e.select(isLeft, low, middle + 1),
                                      end = e.select(isLeft, middle, high);
                           return {e.select(isOpen, next, low).value(), e.select(isOpen, end, high).value()};
                         });
  return {e, range[0]};
}

} // namespace

LogicalResult ScatterKeysOp::verify() {
  auto x = pd::tensorType(getX()), index = pd::tensorType(getIndex()), out = pd::tensorType(getOut());
  ArrayRef<int64_t> keys = index.getShape();
  if (std::optional<uint64_t> axis = getAxis()) {
    if (x.getRank() != index.getRank() || int64_t(*axis) >= x.getRank())
      return emitOpError() << "C1: axis " << *axis << " is a dimension of x and index, found " << x << " and "
                           << index;
  } else {
    if (keys.empty() || ShapedType::isDynamic(keys.back()) || keys.back() > x.getRank())
      return emitOpError() << "C2: the last dim of index is static and at most the rank of x, found " << x
                           << " and " << index;
    keys = keys.drop_back();
  }
  if (out.getShape() != keys)
    return emitOpError() << "C3: the result has the dimensions of the keys, found " << out;
  return success();
}

LogicalResult ScatterSortedOp::verify() {
  auto x = pd::tensorType(getX()), updates = pd::tensorType(getUpdates());
  auto depth = static_cast<int64_t>(getDepth());
  if (pd::tensorType(getKeys()).getRank() != 1 || pd::tensorType(getOrder()).getRank() != 1)
    return emitOpError() << "C1: keys and order are vectors, found " << getKeys().getType() << " and "
                         << getOrder().getType();
  if (depth < 0 || depth > x.getRank() || updates.getRank() != x.getRank() - depth + 1)
    return emitOpError() << "C2: updates has rank " << x.getRank() - depth + 1 << " for depth " << depth
                         << ", found " << updates;
  if (x.getElementType() != updates.getElementType() || getOut().getType() != x)
    return emitOpError() << "C3: x, updates and the result have one element type, found " << x << ", "
                         << updates << " and " << getOut().getType();
  return success();
}

//===-- scatter_keys ------------------------------------------------------------------------------------===//

const char *ScatterKeysOp::whyNoElement() { return nullptr; }
Value ScatterKeysOp::buildDim(ElementBuilder &e, int64_t dim) { return e.dim(1, dim); }

Value ScatterKeysOp::buildElement(ElementBuilder &e, ValueRange at) {
  Indices own = e.indices(at);
  IndexValue key = e.index(0);
  Value isInside;
  auto add = [&](int64_t dim, Indices position, bool isIndex) {
    IndexValue i = isIndex ? key : position[dim];
    if (isIndex) {
      CheckedIndex index = e.loadIndex(1, position, 0, dim, /*wraps=*/true);
      isInside = isInside ? e.logicalAnd(isInside, index.isInside) : index.isInside;
      i = index.index;
    }
    key = key * e.dim(0, dim) + i;
  };
  if (std::optional<uint64_t> axis = getAxis()) {
    for (int64_t dim = 0; dim < int64_t(own.size()); ++dim)
      add(dim, own, dim == int64_t(*axis));
  } else {
    int64_t depth = pd::tensorType(getIndex()).getShape().back();
    for (int64_t dim = 0; dim < depth; ++dim) {
      Indices position = own;
      position.push_back(e.index(dim));
      add(dim, position, true);
    }
  }
  if (isInside)
    key = e.select(isInside, key, e.index(-1));
  return arith::IndexCastOp::create(e.getBuilder(), e.getLoc(), getElementTypeOrSelf(getOut()), key.value());
}

//===-- scatter_sorted ----------------------------------------------------------------------------------===//

const char *ScatterSortedOp::whyNoElement() { return nullptr; }
Value ScatterSortedOp::buildDim(ElementBuilder &e, int64_t dim) { return e.dim(0, dim); }

Value combinedUpdate(ElementBuilder &e, pd::ScatterReduce reduce, Value held, Value given, bool isUnsigned) {
  pd::ScalarBuilder s(e.getBuilder(), e.getLoc(), held.getType(), isUnsigned);
  switch (reduce) {
  case pd::ScatterReduce::Assign:
    return given;
  case pd::ScatterReduce::Add:
    return s.add(held, given);
  case pd::ScatterReduce::Multiply:
    return s.multiply(held, given);
  case pd::ScatterReduce::Amin:
    return s.select(s.lessThan(given, held), given, held);
  case pd::ScatterReduce::Amax:
    return s.select(s.lessThan(held, given), given, held);
  }
  return held;
}

Value ScatterSortedOp::buildElement(ElementBuilder &e, ValueRange at) {
  Indices own = e.indices(at);
  int64_t depth = getDepth();
  IndexValue key = e.index(0);
  for (int64_t dim = 0; dim < depth; ++dim)
    key = key * e.dim(0, dim) + own[dim];
  auto positionOf = [&](IndexValue i) {
    Indices position{e.loadInteger(2, {i})};
    position.append(own.begin() + depth, own.end());
    return position;
  };
  Type element = getElementTypeOrSelf(getX());
  bool isUnsigned = element.isUnsignedInteger();
  IndexValue begin = findKey(e, key, /*isAfter=*/false), end = findKey(e, key, /*isAfter=*/true);
  Value isHit = pd::isLess(begin, end);
  if (getReduce() == pd::ScatterReduce::Assign) // the last one
    return e.choose(isHit, [&] { return e.load(3, positionOf(end - 1)); }, [&] { return e.load(0, own); });
  Value held = e.load(0, own);
  Type type = ElementBuilder::sumType(held.getType());
  auto widened = [&](Value value) { return value.getType() == type ? value : e.scalar(type).cast(value); };
  Values sum =
      e.loops({{begin, end}}, {widened(held)}, [&](ArrayRef<IndexValue> i, ValueRange state) -> Values {
        return {combinedUpdate(e, getReduce(), state[0], widened(e.load(3, positionOf(i[0]))), isUnsigned)};
      });
  return sum[0].getType() == held.getType() ? sum[0] : e.scalar(held.getType()).cast(sum[0]);
}

} // namespace proa::rt
