#include "passes/lower-gpu/attention/AttentionThreads.h"
#include "passes/lower-gpu/LaneReduction.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numbers>

using namespace mlir;

namespace proa {
namespace {

/// Whether a block uses all keys of a query, not a slice of them.
bool isOfAllKeys(const AttentionTile::Position &position) {
  return getConstantIntValue(position.firstKey) == 0;
}

} // namespace

AttentionThreads::Values AttentionThreads::State::all() const {
  Values values(maxima);
  values.append(sums);
  values.append(outputs);
  return values;
}

AttentionThreads::State AttentionThreads::State::of(ValueRange all, size_t rows) {
  return {Values(all.take_front(rows)), Values(all.slice(rows, rows)), Values(all.drop_front(2 * rows))};
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

AttentionTile::Position AttentionThreads::tilePositionOf(Value row) const {
  Position position = AttentionCode::tilePositionOf(row);
  position.keyEnd = endOfKeys(position.batch, position.first);
  return position;
}

void AttentionThreads::computeTile(const Position &position) {
  compute(position);
  tile.end();
}

void AttentionThreads::copy(Value row) {
  Position position = tilePositionOf(row);
  tile.copyOwn(position);
  auto loop = scf::ForOp::create(b, loc, position.firstKey, position.keyEnd, constant(site.choice.keys));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  tile.copyColumns(position, loop.getInductionVar());
}

/// The end of the tiles of keys of which all queries use all.
Value AttentionThreads::endOfFreeKeys(const Position &position) const {
  Value end = isOfAllKeys(position) ? limitOfKeys(position.batch) : position.keyEnd;
  if (operands.right) {
    Value seen = windowEnd(position.first);
    seen = b.createOrFold<arith::MaxSIOp>(loc, seen, constant(0));
    end = b.createOrFold<arith::MinSIOp>(loc, end, seen);
  }
  return multiply(divide(end, site.choice.keys), site.choice.keys);
}

void AttentionThreads::build(Value row) { computeTile(tilePositionOf(row)); }

void AttentionThreads::compute(const Position &position) {
  tile.begin(position);
  State state;
  state.maxima.assign(rows(), number(minusInfinity));
  state.sums.assign(rows(), number(0));
  state.outputs.assign(rows() * outputsOfRow(), number(0));
  Value freeEnd = position.firstKey;
  if (!operands.left) { // most tiles of a window have keys that some query does not use
    freeEnd = endOfFreeKeys(position);
    if (!isOfAllKeys(position))
      freeEnd = b.createOrFold<arith::MaxSIOp>(loc, freeEnd, position.firstKey);
    state = overKeys(position, position.firstKey, freeEnd, std::move(state), /*isRestricted=*/false);
  }
  bool isFree = !isUneven(site.k, site.choice.keys) && !operands.left && !operands.right && !operands.lengths;
  if (!isFree)
    state = overKeys(position, freeEnd, position.keyEnd, std::move(state), /*isRestricted=*/true);
  store(position, state);
}

AttentionThreads::State AttentionThreads::overKeys(const Position &position, Value begin, Value end,
                                                   State state, bool isRestricted) {
  auto loop = scf::ForOp::create(b, loc, begin, end, constant(site.choice.keys), state.all());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  State own = State::of(loop.getRegionIterArgs(), rows());
  scf::YieldOp::create(b, loc, step(position, loop.getInductionVar(), own, isRestricted).all());
  return State::of(loop.getResults(), rows());
}

//===----------------------------------------------------------------------===//
// Online softmax
//===----------------------------------------------------------------------===//

/// The combination of the values of the lanes that share a row.
Value AttentionThreads::acrossLanes(Value value, bool isMaximum) const {
  auto combine = [&](ValueRange own, ValueRange other) -> Values {
    if (isMaximum)
      return {arith::MaximumFOp::create(b, loc, own[0], other[0])};
    return {arith::AddFOp::create(b, loc, own[0], other[0])};
  };
  return combineLanes(b, loc, value, fragments.lanesOfRow(), combine)[0];
}

/// The maximum by a few independent chains of comparisons.
Value AttentionThreads::maximumOf(ValueRange scalars) const {
  constexpr size_t chains = 4;
  Values partial(scalars.take_front(chains));
  for (auto [i, value] : llvm::enumerate(scalars.drop_front(partial.size())))
    partial[i % chains] = arith::MaximumFOp::create(b, loc, partial[i % chains], value);
  Value maximum = partial[0];
  for (Value other : ValueRange(partial).drop_front())
    maximum = arith::MaximumFOp::create(b, loc, maximum, other);
  return maximum;
}

/// The scores. Without a mask they are in units of log 2, so that a power of 2 is their exponential. A mask
/// may be the least finite number, which has no product with another unit.
AttentionThreads::Values AttentionThreads::scaledScores(const Position &position, Value firstKey,
                                                        bool isRestricted) {
  Values scores = tile.multiply(position, firstKey).scores;
  double unit = isMasked() ? 1 : std::numbers::log2e;
  for (int64_t row = 0; row < fragments.rows(); ++row) {
    Value query = add(position.first, fragments.rowOf(row));
    Columns used = isRestricted ? keysOf(position, firstKey, query) : Columns();
    for (int64_t column = 0; column < fragments.columns(); ++column) {
      Value &score = scores[static_cast<size_t>(row * fragments.columns() + column)];
      score = scoreOf(score, unit).value;
      if (isMasked())
        score = masked(score, position, query, add(firstKey, fragments.columnOf(column))).value;
      if (Value isUsed = isInside(used, column))
        score = arith::SelectOp::create(b, loc, isUsed, score, number(minusInfinity));
    }
  }
  return scores;
}

/// The keys that a query uses.
AttentionThreads::Columns AttentionThreads::keysOf(const Position &position, Value firstKey,
                                                   Value query) const {
  Value end = limitOfKeys(position.batch);
  if (operands.right)
    end = b.createOrFold<arith::MinSIOp>(loc, end, windowEnd(query));
  return {operands.left ? relative(windowBegin(query), firstKey) : Value(), relative(end, firstKey)};
}

AttentionThreads::State AttentionThreads::step(const Position &position, Value firstKey, const State &state,
                                               bool isRestricted) {
  Values kept = dropout ? keptWeights(position, firstKey) : Values(); // before the scores need registers
  Values scores = scaledScores(position, firstKey, isRestricted), weights;
  auto columns = static_cast<size_t>(fragments.columns()), outputs = outputsOfRow();
  State next;
  Values rescaled(state.outputs);
  for (size_t row = 0; row < rows(); ++row) {
    auto own = ValueRange(scores).slice(row * columns, columns);
    Value maximum = maximumOf(own);
    maximum = acrossLanes(maximum, /*isMaximum=*/true);
    maximum = arith::MaximumFOp::create(b, loc, state.maxima[row], maximum);
    // Without any key so far all powers are 0.
    Value isNothing =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, maximum, number(minusInfinity));
    Value base = arith::SelectOp::create(b, loc, isNothing, number(0), maximum);
    auto power = [&](Value exponent) -> Value {
      Value difference = arith::SubFOp::create(b, loc, exponent, base);
      if (isMasked())
        difference = arith::MulFOp::create(b, loc, difference, number(std::numbers::log2e));
      return exp2(difference);
    };
    Value correction = power(state.maxima[row]);
    Value sum = arith::MulFOp::create(b, loc, state.sums[row], correction);
    for (Value score : own) {
      weights.push_back(power(score));
      sum = arith::AddFOp::create(b, loc, sum, weights.back());
    }
    next.maxima.push_back(maximum);
    next.sums.push_back(sum);
    for (size_t i = row * outputs; i < (row + 1) * outputs; ++i)
      rescaled[i] = arith::MulFOp::create(b, loc, rescaled[i], correction);
  }
  for (auto [weight, isKept] : llvm::zip(weights, kept)) // their factor multiplies the outputs
    weight = dropout.keep(isKept, weight);
  next.outputs = tile.accumulate({{}, weights}, {{}, rescaled}).values;
  tile.endColumns();
  return next;
}

AttentionThreads::Values AttentionThreads::keptWeights(const Position &position, Value firstKey) {
  Values queries, keys;
  for (int64_t row = 0; row < fragments.rows(); ++row)
    queries.push_back(add(position.first, fragments.rowOf(row)));
  for (int64_t score = 0; score < fragments.columns(); ++score)
    keys.push_back(add(firstKey, fragments.columnOf(score)));
  return dropout.kept(position.batch, position.head, queries, keys);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Value AttentionThreads::normalization(Value sum) {
  return arith::DivFOp::create(b, loc, number(dropout.factor()), sum);
}

ValueRange AttentionThreads::outputsOf(const State &state, size_t row) const {
  size_t outputs = outputsOfRow();
  return ValueRange(state.outputs).slice(row * outputs, outputs);
}

void AttentionThreads::store(const Position &position, const State &state) {
  Values sums; // shuffles are those of all lanes
  for (Value sum : state.sums)
    sums.push_back(acrossLanes(sum, /*isMaximum=*/false));
  forRows(position, [&](size_t row, Value query) {
    Value factor = normalization(sums[row]);
    Values elements;
    for (Value output : outputsOf(state, row))
      elements.push_back(arith::MulFOp::create(b, loc, output, factor));
    if (site.out.memory)
      storeRow(site.out, position.batch, position.head, query, elements, tile.valueElements);
    storeStatistics(position, query, state.maxima[row], sums[row]);
  });
}

/// One lane of each row does.
void AttentionThreads::storeStatistics(const Position &position, Value query, Value maximum, Value sum) {
  if (!results.maximum && !results.sum)
    return;
  Value isFirst = isEqual(remainder(site.thread, fragments.lanesOfRow()), 0);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(scf::IfOp::create(b, loc, isFirst).thenBlock());
  Value indices[] = {position.batch, position.head, query};
  if (results.maximum && !isMasked()) // which is in units of log 2
    maximum = arith::MulFOp::create(b, loc, maximum, number(std::numbers::ln2));
  if (results.maximum)
    memref::StoreOp::create(b, loc, maximum, results.maximum, indices);
  if (results.sum)
    memref::StoreOp::create(b, loc, sum, results.sum, indices);
}

} // namespace proa
