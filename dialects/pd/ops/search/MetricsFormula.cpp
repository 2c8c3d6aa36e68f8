//! Metrics of predictions as formulas.
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/Logic.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/search/Metrics.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/sequence/Rows.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// x / y, or `otherwise` where y is 0.
Expression quotientOr(Expression x, Expression y, double otherwise) {
  return x.owner().select(y > 0.0, x / y, otherwise + x * 0.0);
}

Expression sumOf(Expression x) {
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(x.rank()));
  return x.owner().sum(x, axes, /*keepdim=*/false);
}

//===-- chunk_eval --------------------------------------------------------------------------------------===//

/// Tags of a scheme: their number, and those that begin and end a chunk whatever their neighbors are.
struct TagScheme {
  int64_t tags;
  SmallVector<int64_t> opening, closing;
};

TagScheme tagScheme(ChunkScheme scheme) {
  if (scheme == ChunkScheme::IOB)
    return {2, {0}, {}};
  if (scheme == ChunkScheme::IOE)
    return {2, {}, {1}};
  return scheme == ChunkScheme::IOBES ? TagScheme{4, {0, 3}, {2, 3}} : TagScheme{1, {}, {}};
}

/// The chunks of sequences of labels [sequences, time]. The last label of a sequence is outside of chunks.
struct ChunkMarks {
  Expression isCut;   ///< whether labels before and at a position are of different chunks
  Expression isBegin; ///< whether a counted chunk begins
  Expression type;
};

class ChunkFormula {
public:
  ChunkFormula(OpBuilder &builder, ChunkEvalOp op)
      : op(op), e(builder, op), scheme(tagScheme(op.getChunkScheme())) {}

  FailureOr<SmallVector<Value>> build() {
    ChunkMarks found = marksOf(op.getInference()), labeled = marksOf(op.getLabel());
    Expression isRight = both(both(found.isBegin, labeled.isBegin), found.type == labeled.type);
    isRight = both(isRight, endsInBoth(found.isCut, labeled.isCut));
    Type integer = e.getBuilder().getI64Type(), real = e.getBuilder().getF32Type();
    SmallVector<Expression> counts, shares;
    for (Expression isCounted : {found.isBegin, labeled.isBegin, isRight})
      counts.push_back(e.reshape(sumOf(e.cast(isCounted, integer)), {1}));
    auto count = [&](size_t i) { return e.cast(counts[i], real); };
    Expression precision = quotientOr(count(2), count(0), 0), recall = quotientOr(count(2), count(1), 0);
    Expression mean = quotientOr(precision * recall * 2.0, precision + recall, 0);
    return e.results({precision, recall, mean, counts[0], counts[1], counts[2]});
  }

private:
  double outside() { return static_cast<double>(static_cast<int64_t>(op.getNumChunkTypes()) * scheme.tags); }

  /// The labels of each sequence, followed by labels outside of chunks.
  Expression padded(Value given) {
    Expression labels = asInts(e.wrap(given));
    if (op.getOffsets()) {
      PaddedRows rows = paddedRows(asVector(labels), asInts(e.wrap(op.getOffsets())));
      return e.select(rows.isInside, rows.rows, outside());
    }
    DimSize batch(labels, 0);
    labels = reshapeTo(labels, {batch, -1});
    if (op.getSeqLength()) {
      Expression position = insertDim(iota(e, DimSize(labels, 1), e.getBuilder().getI64Type()), 0);
      Expression length = reshapeTo(asInts(e.wrap(op.getSeqLength())), {batch, 1});
      labels = e.select(length > position, labels, outside());
    }
    Expression end = expandTo(e.constant(outside(), e.getBuilder().getI64Type()), {batch, DimSize(1)});
    return concat({labels, end}, 1);
  }

  Expression isOneOf(Expression x, llvm::ArrayRef<int64_t> values) {
    Expression found = x < -1e9;
    for (int64_t value : values)
      found = either(found, e.equal(x, static_cast<double>(value)));
    return found;
  }

  ChunkMarks marksOf(Value given) {
    Expression labels = padded(given);
    Expression tags = e.constant(static_cast<double>(scheme.tags), e.getBuilder().getI64Type());
    Expression type = e.wrap(e.create<FloorDivideOp>(labels, tags)), tag = labels - type * tags;
    auto previous = [&](Expression x) { return concat({slice(x, 1, 0, 1), slice(x, 1, 0, -1)}, 1); };
    Expression position = insertDim(iota(e, DimSize(labels, 1), e.getBuilder().getI64Type()), 0);
    Expression isCut = either(negation(type == previous(type)), position < 1.0);
    isCut = either(isCut, either(isOneOf(tag, scheme.opening), isOneOf(previous(tag), scheme.closing)));
    auto types = static_cast<double>(static_cast<int64_t>(op.getNumChunkTypes()));
    Expression counts = both(type < types, negation(isOneOf(type, op.getExcludedChunkTypes())));
    return {isCut, both(isCut, counts), type};
  }

  /// For a position at which both have a cut: whether the next cut of either is one of both.
  Expression endsInBoth(Expression first, Expression second) {
    SmallVector<DimSize> dims = dimSizesOf(first);
    auto flat = [&](Expression x) { return reshapeTo(x, {elementsOf(x)}); };
    Expression isAny = flat(either(first, second));
    Expression count = e.wrap(e.create<CumsumOp>(asInts(isAny), Value(), int64_t(0)));
    Expression positions = asVector(e.wrap(e.create<NonzeroOp>(isAny)));
    Expression last = e.wrap(DimSize(positions, 0).getValue(e)) - 1.0;
    Expression next = gatherRows(positions, e.maximum(e.minimum(count, last), 0.0));
    return reshapeTo(gatherRows(flat(both(first, second)), next), dims);
  }

  ChunkEvalOp op;
  TensorBuilder e;
  TagScheme scheme;
};

//===-- precision_recall --------------------------------------------------------------------------------===//

/// Precision, recall and F1 score from the counts of classes [classes, 4]: of the means over classes, and of
/// the sums.
Expression metricsOf(Expression counts) {
  TensorBuilder &e = counts.owner();
  auto scores = [&](Expression of) { // [rows, 4] -> precision and recall
    auto column = [&](int64_t k) { return slice(of, 1, k, k + 1); };
    return concat(
        {quotientOr(column(0), column(0) + column(1), 1), quotientOr(column(0), column(0) + column(3), 1)},
        1);
  };
  auto withF1 = [&](Expression pair) { // [1, 2]
    Expression precision = slice(pair, 1, 0, 1), recall = slice(pair, 1, 1, 2);
    return concat({pair, quotientOr(precision * recall * 2.0, precision + recall, 0)}, 1);
  };
  Expression means = e.mean(scores(counts), {0}), sums = scores(e.sum(counts, {0}));
  return e.cast(e.reshape(concat({withF1(means), withF1(sums)}, 1), {6}), e.getBuilder().getF64Type());
}

} // namespace

FailureOr<SmallVector<Value>> ChunkEvalOp::decompose(OpBuilder &builder) {
  return ChunkFormula(builder, *this).build();
}

FailureOr<SmallVector<Value>> PrecisionRecallOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Type real = builder.getF64Type();
  Expression classes = iota(e, static_cast<int64_t>(getClassNumber()), builder.getI64Type());
  auto isClass = [&](Value of) { return e.cast(e.reshape(asInts(e.wrap(of)), {-1, 1}) == classes, real); };
  Expression given = isClass(getIndices()), right = isClass(getLabels());
  Expression weight = e.constant(1, real);
  if (getWeights())
    weight = e.cast(e.reshape(e.wrap(getWeights()), {-1, 1}), real);
  SmallVector<Expression> columns;
  for (Expression own :
       {given * right, given * (1.0 - right), (1.0 - given) * (1.0 - right), (1.0 - given) * right})
    columns.push_back(insertDim(e.sum(own * weight, {0}, /*keepdim=*/false), 1));
  Expression batch = concat(columns, 1), all = batch;
  if (getStatesInfo())
    all = batch + e.cast(e.wrap(getStatesInfo()), real);
  return e.results({metricsOf(batch), metricsOf(all), e.cast(all, builder.getF32Type())});
}

//===-- auc ---------------------------------------------------------------------------------------------===//

namespace {

struct AucFormula {
  AucOp op;
  TensorBuilder &e;
  int64_t buckets = static_cast<int64_t>(op.getNumThresholds()) + 1,
          steps = static_cast<int64_t>(op.getSlideSteps());
  Type integer = e.getBuilder().getI64Type();

  /// The number of samples in each bucket, of those that count.
  Expression countsOf(Expression isCounted) {
    Expression predict = e.wrap(op.getPredict());
    // In float, because another bucket is another result.
    Expression probability = e.cast(asVector(slice(predict, 1, -1, toTheEnd)), e.getBuilder().getF32Type());
    Expression bucket = asInts(e.floor(probability * static_cast<double>(buckets - 1)));
    if (Value weight = op.getInsTagWeight())
      isCounted = both(isCounted, negation(e.equal(slice(asVector(e.wrap(weight)), 0, 0, 1), 0.0)));
    return reduceRows(asInts(isCounted), bucket, buckets, ScatterReduce::Add, 0.0);
  }

  struct Counted {
    Expression state, used;
  };

  /// The next state, and the counts that are used.
  Counted added(Value given, Expression counts) {
    Expression state = e.reshape(asInts(e.wrap(given)), {-1});
    if (steps == 0) {
      Expression sum = slice(state, 0, 0, buckets) + counts;
      return {e.reshape(sum, {1, buckets}), sum};
    }
    Expression history = e.reshape(slice(state, 0, 0, steps * buckets), {steps, buckets});
    int64_t end = (steps + 1) * buckets;
    Expression calls = slice(state, 0, end, end + 1), positiveCalls = calls;
    if (given != op.getStatPos())
      positiveCalls = slice(e.reshape(asInts(e.wrap(op.getStatPos())), {-1}), 0, end, end + 1);
    Expression oldest = modulo(positiveCalls, steps); // [1]
    Expression sums =
        slice(state, 0, steps * buckets, end) - e.reshape(gatherRows(history, oldest), {-1}) + counts;
    Expression isOldest = e.reshape(iota(e, steps, integer) == oldest, {steps, 1});
    history = e.select(isOldest, insertDim(counts, 0), history);
    return {concat({e.reshape(history, {-1}), sums, calls + 1.0}, 0), sums};
  }

  FailureOr<SmallVector<Value>> build() {
    Expression label = e.reshape(asInts(e.wrap(op.getLabel())), {-1});
    Counted positive = added(op.getStatPos(), countsOf(label > 0.0)),
            negative = added(op.getStatNeg(), countsOf(e.equal(label, 0.0)));
    Type real = e.getBuilder().getF64Type();
    Expression ours = e.cast(positive.used, real), others = e.cast(negative.used, real);
    Expression above = e.wrap(e.create<CumsumOp>(ours, Value(), int64_t(0), /*flatten=*/false,
                                                 /*exclusive=*/true, /*reverse=*/true));
    Expression pairs = sumOf(e.abs(others) * (above + ours * 0.5)), all = sumOf(ours), none = sumOf(others);
    Expression area = e.select(both(all > 0.0, none > 0.0), pairs / (all * none), pairs);
    return e.results({area, positive.state, negative.state});
  }
};

} // namespace

FailureOr<SmallVector<Value>> AucOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  return AucFormula{*this, e}.build();
}

} // namespace proa::pd
