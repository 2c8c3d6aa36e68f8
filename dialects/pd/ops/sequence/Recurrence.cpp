#include "dialects/pd/ops/sequence/Recurrence.h"

#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// An array whose first element is the state.
Value recordOf(TensorBuilder &e, Value state) {
  Value empty = e.create<ArrayCreateOp>();
  return e.create<ArrayWriteOp>(empty, oneInt(e.getBuilder(), state.getLoc(), 0), state);
}

} // namespace

Recurrence runSteps(const DimSize &steps, ArrayRef<Expression> inputs, ArrayRef<Expression> states,
                    unsigned recorded, Step step) {
  TensorBuilder &e = states.front().owner();
  OpBuilder &builder = e.getBuilder();
  Location location = Value(states.front()).getLoc();
  Expression sizes = expandTo(e.constant(1, builder.getI64Type()), {steps});
  SmallVector<Value> pieces, carried;
  for (Expression input : inputs)
    pieces.push_back(
        e.create<ArraySplitOp>(input, sizes, builder.getI64IntegerAttr(0), builder.getBoolAttr(true)));
  for (Expression state : states)
    carried.push_back(state);
  for (Expression state : states.take_front(recorded))
    carried.push_back(recordOf(e, state));
  Value count = e.reshape(e.wrap(steps.getValue(e)), {1});
  SmallVector<Value> behind =
      countedLoop(builder, location, count, carried, [&](OpBuilder &inside, Value index, ValueRange before) {
        auto wrapped = [&](Value value) { return e.wrap(value); };
        auto now = llvm::map_to_vector(
            pieces, [&](Value piece) { return e.wrap(e.create<ArrayReadOp>(piece, index)); });
        auto old = llvm::map_to_vector(before.take_front(states.size()), wrapped);
        SmallVector<Value> next;
        for (auto [value, state] : llvm::zip(step(e.wrap(index), now, old), before))
          next.push_back(widened(inside, location, value, state.getType()));
        Value following = AddOp::create(inside, location, index, oneInt(inside, location, 1));
        for (auto [i, array] : llvm::enumerate(before.drop_front(states.size())))
          next.push_back(
              widened(inside, location, e.create<ArrayWriteOp>(array, following, next[i]), array.getType()));
        return next;
      });
  Recurrence result;
  for (Value value : ArrayRef(behind).take_front(states.size()))
    result.last.push_back(e.wrap(value));
  for (Value array : ArrayRef(behind).drop_front(states.size()))
    result.history.push_back(
        e.wrap(e.create<ArrayToTensorOp>(array, builder.getI64IntegerAttr(0), builder.getBoolAttr(true))));
  return result;
}

SequenceSteps::SequenceSteps(Expression rows, Expression offsets, bool backward)
    : rows(rows), offsets(offsets), backward(backward), sequences(sequencesOf(offsets)),
      steps(DimSize::element(rows.owner().maximum(rows.owner().max(sequences.lengths, {0}), 0.0), 0)) {}

Expression SequenceSteps::fromRows(Expression x) const {
  TensorBuilder &e = x.owner();
  Expression order = insertDim(iota(e, steps, e.getBuilder().getI64Type()), 1);
  Expression index =
      backward ? insertDim(sequences.ends, 0) - 1.0 - order : insertDim(sequences.starts, 0) + order;
  Expression last = e.wrap(DimSize(x, 0).getValue(e)) - 1.0;
  return gatherRows(x, e.maximum(e.minimum(index, last), 0.0));
}

Expression SequenceSteps::toRows(Expression x, int64_t first) const {
  TensorBuilder &e = x.owner();
  RowPositions positions = rowPositions(rows, offsets);
  Expression step = positions.position;
  if (backward)
    step = gatherRows(sequences.lengths, positions.sequence) - 1.0 - step;
  Expression width = e.wrap(DimSize(sequences.lengths, 0).getValue(e));
  SmallVector<DimSize> shape = dimSizesOf(x);
  shape[1] = multiply(e, shape[0], shape[1]);
  shape.erase(shape.begin());
  return gatherRows(reshapeTo(x, shape), (step + static_cast<double>(first)) * width + positions.sequence);
}

Expression hasStep(Expression lengths, Expression value, int64_t rank) {
  return asColumn(lengths > value, rank);
}

Expression zeroRows(Expression vector, const DimSize &width, Type element) {
  TensorBuilder &e = vector.owner();
  return asColumn(e.cast(vector * 0.0, element), 2) + expandTo(e.constant(0, element), {DimSize(1), width});
}

} // namespace proa::pd
