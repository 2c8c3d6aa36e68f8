#include "passes/lower-gpu/attention/AttentionThreads.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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
  loop(position.firstKey, position.keyEnd, constant(site.choice.keys),
       [&](Value firstKey) { tile.copyColumns(position, firstKey); });
}

/// The end of the key tiles in which all queries use all keys.
Value AttentionThreads::endOfFreeKeys(const Position &position) const {
  Value end = isOfAllKeys(position) ? limitOfKeys(position.batch) : position.keyEnd;
  if (operands.right) {
    Value seen = windowEnd(position.first);
    seen = maximum(seen, constant(0));
    end = minimum(end, seen);
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
      freeEnd = maximum(freeEnd, position.firstKey);
    state = overKeys(position, position.firstKey, freeEnd, std::move(state), /*isRestricted=*/false);
  }
  bool isFree = !isUneven(site.k, site.choice.keys) && !operands.left && !operands.right && !operands.lengths;
  if (!isFree)
    state = overKeys(position, freeEnd, position.keyEnd, std::move(state), /*isRestricted=*/true);
  store(position, state);
}

AttentionThreads::State AttentionThreads::overKeys(const Position &position, Value begin, Value end,
                                                   State state, bool isRestricted) {
  Values last =
      loop(begin, end, constant(site.choice.keys), state.all(), [&](Value firstKey, ValueRange own) {
        return step(position, firstKey, State::of(own, rows()), isRestricted).all();
      });
  return State::of(last, rows());
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
  return combineLanes(value, fragments.lanesOfRow(), combine)[0];
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
    end = minimum(end, windowEnd(query));
  return {operands.left ? relative(windowBegin(query), firstKey) : Value(), relative(end, firstKey)};
}

/// The number that is subtracted from scores of a row. Without any key all powers are 0.
Value AttentionThreads::baseOf(Value maximum) const {
  Value isNothing = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, maximum, number(minusInfinity));
  return arith::SelectOp::create(b, loc, isNothing, number(0), maximum);
}

AttentionThreads::State AttentionThreads::step(const Position &position, Value firstKey, const State &state,
                                               bool isRestricted) {
  Values kept; // before the scores need registers
  if (dropout)
    kept = dropout.kept(position.batch, position.head, rowsFrom(position.first), columnsFrom(firstKey));
  Values scores = scaledScores(position, firstKey, isRestricted), weights;
  auto columns = static_cast<size_t>(fragments.columns()), outputs = outputsOfRow();
  State next;
  Values rescaled(state.outputs);
  for (size_t row = 0; row < rows(); ++row) {
    auto own = ValueRange(scores).slice(row * columns, columns);
    Value maximum = maximumOf(own);
    maximum = acrossLanes(maximum, /*isMaximum=*/true);
    maximum = arith::MaximumFOp::create(b, loc, state.maxima[row], maximum);
    Value base = baseOf(maximum);
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

/// Of all lanes that share rows. All lanes of a warp must compute them.
AttentionThreads::Values AttentionThreads::wholeSums(const State &state) const {
  return llvm::map_to_vector(state.sums, [&](Value sum) { return acrossLanes(sum, /*isMaximum=*/false); });
}

Value AttentionThreads::isFirstOfRow() const {
  return isEqual(remainder(site.thread, fragments.lanesOfRow()), 0);
}

void AttentionThreads::store(const Position &position, const State &state) {
  Values sums = wholeSums(state);
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
  where(isFirstOfRow(), [&] {
    Value indices[] = {position.batch, position.head, query};
    if (results.maximum && !isMasked()) // which is in units of log 2
      maximum = arith::MulFOp::create(b, loc, maximum, number(std::numbers::ln2));
    if (results.maximum)
      memref::StoreOp::create(b, loc, maximum, results.maximum, indices);
    if (results.sum)
      memref::StoreOp::create(b, loc, sum, results.sum, indices);
  });
}

} // namespace proa
