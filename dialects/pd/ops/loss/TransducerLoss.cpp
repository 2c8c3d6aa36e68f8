#include "dialects/pd/ops/loss/TransducerLoss.h"
#include "dialects/pd/autodiff/FormulaGradient.h"
#include "dialects/pd/ops/loss/KernelLoss.h"
#include "dialects/pd/ops/loss/LogSpace.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/sequence/Recurrence.h"

using namespace mlir;

namespace proa::pd {

LogicalResult inferWarprnntOf(std::optional<Location> location, RankedTensorType input,
                              llvm::ArrayRef<RankedTensorType> others, int64_t blank, Results &results) {
  int64_t batch = input.getRank() == 4 ? input.getDimSize(0) : 0;
  bool isValid = input.getRank() == 4 && others[0].getRank() == 2 &&
                 mayHaveShape(others[0], {batch, others[0].getDimSize(1)}) &&
                 mayHaveShape(others[1], {batch}) && mayHaveShape(others[2], {batch});
  if (!isValid) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "C1: input must have rank 4, label be [batch, U] and the lengths vectors, found " << input << ", "
        << others[0] << ", " << others[1] << " and " << others[2];
    return inferenceError(location, text);
  }
  if (blank < 0 || (!input.isDynamicDim(3) && blank >= input.getDimSize(3)))
    return inferenceError(location, "C2: blank must be a class, found " + llvm::Twine(blank));
  results.push_back(input.clone({batch}));
  results.push_back(input);
  return success();
}

// The loss as a formula. State (t, u), after t steps and u labels, follows from (t - 1, u) by a step and from
// (t, u - 1) by a label: one loop goes over the diagonals t + u.
namespace {

class Lattice {
public:
  Lattice(TensorBuilder &e, WarprnntOp op)
      : e(e), batch(e.wrap(op.getInput()), 0), time(e.wrap(op.getInput()), 1),
        width(e.wrap(op.getInput()), 2), blank(static_cast<int64_t>(op.getBlank())),
        emission(op.getFastemitLambda().convertToDouble()),
        times(reshapeTo(asInts(e.wrap(op.getInputLengths())), {batch})),
        counts(reshapeTo(asInts(e.wrap(op.getLabelLengths())), {batch})),
        labels(labelsOf(asInts(e.wrap(op.getLabel())))) {}

  /// The negative log probability, [batch]. The derivative by x counts labels 1 + fastemit_lambda times; for
  /// that `constant` is x without a derivative.
  Expression cost(Expression x, Expression constant) const {
    Expression step = dropDim(slice(x, 3, blank, blank + 1), 3), label = labelScores(x);
    if (emission != 0.0)
      label = label * (1.0 + emission) - labelScores(constant) * emission;
    DimSize diagonals = plus(time, width);
    Expression value = e.cast(times * 0.0, x.type().getElementType());
    Expression none = insertDim(value, 1) + impossible; // [batch, 1]
    Expression positions = iota(e, width, i64());
    Expression start =
        insertDim(value, 1) +
        e.select(positions < 1.0, e.cast(positions * 0.0, x.type().getElementType()), impossible);
    Expression last = insertDim(times + counts - 1.0, 1);
    Recurrence run = runSteps(diagonals, {skewed(step, diagonals), skewed(label, diagonals)}, {start}, 0,
                              [&](Expression diagonal, ArrayRef<Expression> in,
                                  ArrayRef<Expression> states) -> SmallVector<Expression> {
                                Expression alpha = states[0];
                                Expression byLabel = slice(concat({none, alpha + in[1]}, 1), 1, 0, -1);
                                Expression next = logSumOf({alpha + in[0], byLabel});
                                return {e.select(last > diagonal, next, alpha)};
                              });
    Expression lastLabels = insertDim(counts, 1);
    Expression found = takeAlong(run.last[0], lastLabels, 1);
    Expression samples = insertDim(iota(e, batch, i64()), 1);
    Expression end = concat({samples, insertDim(times - 1.0, 1), lastLabels}, 1);
    Expression lastStep = e.wrap(e.create<GatherNdOp>(step, end));
    return -(reshapeTo(found, {batch}) + lastStep);
  }

private:
  Type i64() const { return e.getBuilder().getI64Type(); }

  DimSize plus(const DimSize &a, const DimSize &b) const {
    if (a.isKnown() && b.isKnown())
      return a.getNumber() + b.getNumber();
    Expression sum = e.wrap(a.getValue(e)) + e.wrap(b.getValue(e));
    return DimSize::element(e.reshape(sum, {1}), 0);
  }

  /// The label after each number of labels, [batch, width]; 0 if there is none.
  Expression labelsOf(Expression given) const {
    Expression own = e.select(insertDim(counts, 1) > iota(e, DimSize(given, 1), i64()), given, 0.0);
    Expression more = concat({own, asColumn(counts * 0.0, 2)}, 1);
    Expression last = e.wrap(DimSize(given, 1).getValue(e));
    Expression positions = e.minimum(iota(e, width, i64()), last);
    return e.wrap(e.create<GatherOp>(more, positions, Value(), uint64_t(1)));
  }

  /// For each state the log probability of the next label, [batch, time, width].
  Expression labelScores(Expression x) const {
    Expression index = insertDim(insertDim(labels, 1), 3);
    return dropDim(takeAlong(x, expandTo(index, {batch, time, width, DimSize(1)}), 3), 3);
  }

  /// [batch, time, width] by diagonals t + u: [diagonals, batch, width]; states outside are impossible.
  Expression skewed(Expression scores, const DimSize &diagonals) const {
    Expression indices = insertDim(insertDim(iota(e, diagonals, i64()), 1), 2);
    Expression step = indices - iota(e, width, i64()); // [diagonals, 1, width]
    Expression last = e.wrap(time.getValue(e)) - 1.0;
    Expression isInside = e.wrap(e.create<LogicalAndOp>(step >= 0.0, step <= last));
    Expression index = expandTo(e.maximum(e.minimum(step, last), 0.0), {diagonals, batch, width});
    return e.select(isInside, takeAlong(e.transpose(scores, {1, 0, 2}), index, 0), impossible);
  }

  TensorBuilder &e;
  DimSize batch, time, width;
  int64_t blank;
  double emission;
  Expression times, counts, labels;
};

} // namespace

FailureOr<SmallVector<Value>> WarprnntOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Lattice lattice(e, *this);
  Expression x = e.wrap(getInput());
  Value loss = x, derivative = x;
  if (!getLoss().use_empty())
    loss = lattice.cost(x, x);
  if (!getWarprnntgrad().use_empty())
    derivative = derivativeOfFormula(e, getInput(), [&](Expression own) { return lattice.cost(own, x); });
  return SmallVector<Value>{loss, derivative};
}

FailureOr<SmallVector<Value>> WarprnntOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return scaledDerivative(builder, getOperation(), getWarprnntgrad(), cotangents[0]);
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/loss/TransducerLoss.cpp.inc"
#include "dialects/pd/ops/loss/TransducerLoss.methods.inc"
