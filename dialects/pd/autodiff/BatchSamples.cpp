#include "dialects/pd/autodiff/BatchSamples.h"
#include "dialects/pd/ops/math/BinaryOps.h"

using namespace mlir;

namespace proa::pd {
namespace {

int64_t axisOf(Role role, int64_t rank) {
  return role == Role::Last ? rank - 1 : role == Role::Second ? 1 : 0;
}

/// [examples, ...] with the examples merged into dimension `axis` of an example.
Expression joinedAt(TensorBuilder &e, Expression x, int64_t axis) {
  SmallVector<int64_t> order;
  for (int64_t d = 1; d <= axis; ++d)
    order.push_back(d);
  order.push_back(0);
  for (int64_t d = axis + 1; d < x.rank(); ++d)
    order.push_back(d);
  Expression moved = axis == 0 ? x : e.transpose(x, order);
  SmallVector<DimSize> shape = dimSizesOf(moved);
  shape[axis] = multiply(e, shape[axis], shape[axis + 1]);
  shape.erase(shape.begin() + axis + 1);
  return reshapeTo(moved, shape);
}

/// The inverse of joinedAt(); `own` is the dim size for one example.
Expression separatedAt(TensorBuilder &e, Expression x, int64_t axis, const DimSize &examples,
                       const DimSize &own) {
  SmallVector<DimSize> shape = dimSizesOf(x);
  shape[axis] = own;
  shape.insert(shape.begin() + axis, examples);
  Expression pieces = reshapeTo(x, shape);
  if (axis == 0)
    return pieces;
  SmallVector<int64_t> order{axis};
  for (int64_t d = 0; d < pieces.rank(); ++d)
    if (d != axis)
      order.push_back(d);
  return e.transpose(pieces, order);
}

/// The dim size for one example, whole / max(examples, 1): the divisor must not be 0 for an empty batch.
DimSize quotientOf(TensorBuilder &e, const DimSize &whole, const DimSize &examples) {
  if (examples.isKnown())
    return divide(e, whole, std::max<int64_t>(examples.getNumber(), 1));
  Expression count = e.maximum(e.wrap(examples.getValue(e)), 1.0);
  Expression quotient = e.wrap(e.create<FloorDivideOp>(whole.getValue(e), count));
  return DimSize::element(e.reshape(quotient, {1}), 0);
}

/// Sequence offsets of all examples: the offsets of example i plus i * rows, where `rows` is the row count of
/// one example.
Expression joinedOffsets(TensorBuilder &e, Expression offsets, const DimSize &examples, const DimSize &rows) {
  Expression count = e.wrap(rows.getValue(e));
  Expression indices = insertDim(iota(e, examples, e.getBuilder().getI64Type()), 1);
  Expression each = slice(offsets, offsets.rank() - 1, 0, -1) + indices * count;
  Expression end = e.reshape(e.wrap(multiply(e, examples, rows).getValue(e)), {1});
  return concat({e.reshape(each, {-1}), end}, 0);
}

} // namespace

BatchedResults SampleJoiner::join(ArrayRef<Role> operands, ArrayRef<Role> results) {
  for (auto [operand, role] : llvm::zip(op->getOperands(), operands))
    if (role == Role::Shared && batcher.isBatched(operand))
      return failure();
  SmallVector<Value> inputs;
  for (auto [operand, role] : llvm::zip(op->getOperands(), operands))
    inputs.push_back(joined(operand, role));
  Operation *created = batcher.builder.clone(*op);
  created->setOperands(inputs);
  SmallVector<Batched> all;
  for (auto [result, role] : llvm::zip(created->getResults(), results))
    all.push_back(separated(result, role));
  return all;
}

Value SampleJoiner::joined(Value operand, Role role) {
  if (role == Role::Shared)
    return batcher.plain(operand);
  if (role != Role::Offsets)
    return joinedAt(e, e.wrap(batcher.batched(operand)), axisOf(role, tensorType(operand).getRank()));
  DimSize rows(e.wrap(batcher.batched(op->getOperand(0))), 1);
  return joinedOffsets(e, e.wrap(batcher.either(operand)), examples, rows);
}

Batched SampleJoiner::separated(Value result, Role role) {
  if (role == Role::Shared)
    return Batched(result, false);
  if (role == Role::Count) {
    DimSize own(e.wrap(batcher.batched(op->getOperand(0))), 1);
    return Batched(e.reshape(e.wrap(own.getValue(e)), {1}), false);
  }
  auto type = cast<RankedTensorType>(result.getType());
  int64_t axis = axisOf(role, type.getRank()), one = type.getDimSize(static_cast<unsigned>(axis));
  SmallVector<int64_t> shape(type.getShape());
  bool isKnown = examples.isKnown() && !ShapedType::isDynamic(one);
  shape[static_cast<size_t>(axis)] = isKnown ? one * examples.getNumber() : ShapedType::kDynamic;
  result.setType(type.clone(shape));
  Expression whole = e.wrap(result);
  DimSize own = ShapedType::isDynamic(one) ? quotientOf(e, DimSize(whole, axis), examples) : DimSize(one);
  return Batched(separatedAt(e, whole, axis, examples, own));
}

BatchedResults eachIfStatic(Batcher &batcher, Operation *op) {
  bool isStatic = llvm::all_of(op->getResultTypes(),
                               [](Type type) { return cast<RankedTensorType>(type).hasStaticShape(); });
  return isStatic ? batcher.runPerExample(op) : BatchedResults(failure());
}

BatchedResults joinedOrEach(Batcher &batcher, Operation *op, ArrayRef<Role> operands,
                            ArrayRef<Role> results) {
  BatchedResults joined = SampleJoiner(batcher, op).join(operands, results);
  return succeeded(joined) ? joined : eachIfStatic(batcher, op);
}

} // namespace proa::pd
