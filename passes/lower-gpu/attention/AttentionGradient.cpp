#include "passes/lower-gpu/attention/AttentionGradient.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numbers>

using namespace mlir;

namespace proa {
namespace {

enum Dim : unsigned { batchDim, headDim, rowDim, elementDim };

} // namespace

AttentionGradient::Values AttentionGradient::State::all() const {
  Values values(scores);
  values.append(this->values);
  return values;
}

AttentionGradient::State AttentionGradient::State::withValues(ValueRange all) const {
  return {Values(all.take_front(scores.size())), Values(all.drop_front(scores.size()))};
}

AttentionGradient::AttentionGradient(const AttentionSite &site, Operands operands, Tensors given,
                                     std::unique_ptr<BlockProducts> ofBlock)
    : AttentionCode(site, operands, ofBlock->rows, ofBlock->scoresOfRow, ofBlock->lanesOfBlock),
      tensors(std::move(given)), products(std::move(ofBlock)),
      scoreElements(paddedElements(site.choice.kind, site.q.elements())),
      valueElements(paddedElements(site.choice.kind, site.v.elements())),
      own(site, isByKeys() ? site.k : site.q, isByKeys() ? site.v : tensors.outGradient, site.choice.rows(),
          scoreElements, valueElements),
      other(site, isByKeys() ? site.q : site.k, isByKeys() ? tensors.outGradient : site.v,
            site.choice.columns(), scoreElements, valueElements) {}

void AttentionGradient::prepare() {
  for (Side *side : {&own, &other}) {
    side->scores = allocateShared(site, {side->rows, scoreElements + products->pad}, site.element);
    side->values = allocateShared(site, {side->rows, valueElements + products->pad}, site.element);
  }
  products->prepare();
}

/// The tiles with most work come first: with a causal mask, the last queries and the first keys.
AttentionGradient::Place AttentionGradient::placeOf(Value row) const {
  Value tiles = size(own.tensor, rowDim);
  tiles = b.createOrFold<arith::CeilDivUIOp>(loc, tiles, constant(own.rows));
  Value heads = size(own.tensor, headDim);
  Value inHead = b.createOrFold<arith::RemUIOp>(loc, row, tiles),
        rest = b.createOrFold<arith::DivUIOp>(loc, row, tiles);
  Place place;
  place.head = b.createOrFold<arith::RemUIOp>(loc, rest, heads);
  place.batch = b.createOrFold<arith::DivUIOp>(loc, rest, heads);
  place.keyHead = place.head;
  if (!isByKeys()) {
    inHead = b.createOrFold<arith::SubIOp>(loc, add(tiles, -1), inHead);
    place.keyHead = divide(place.head, *getConstantIntValue(site.q.sizes[headDim]) /
                                           *getConstantIntValue(site.k.sizes[headDim]));
  }
  place.first = multiply(inHead, own.rows);
  place.limit = limitOfKeys(place.batch);
  return place;
}

void AttentionGradient::copy(Side &side, const Place &place, Value first) {
  gpu::BarrierOp::create(b, loc); // the last tile is no longer read
  bool isKeys = &side.tensor == &site.k;
  Value head = isKeys ? place.keyHead : place.head, end = isKeys ? place.limit : size(site.q, rowDim);
  side.scoreCopy.copy(place.batch, head, first, end, side.scores);
  side.valueCopy.copy(place.batch, head, first, end, side.values);
  commitCopies(site);
  awaitCopies(site, 0);
}

/// The last query in place of those after it.
AttentionGradient::Query AttentionGradient::load(const Place &place, Value query) const {
  if (isUneven(site.q, site.choice.queries))
    query = b.createOrFold<arith::MinSIOp>(loc, query, add(size(site.q, rowDim), -1));
  auto read = [&](Value memory) -> Value {
    return memref::LoadOp::create(b, loc, memory, ValueRange{place.batch, place.head, query});
  };
  Value maximum = read(tensors.statistics.maximum),
        offset = math::Log2Op::create(b, loc, read(tensors.statistics.sum));
  if (!operands.mask)
    offset = math::FmaOp::create(b, loc, maximum, number(std::numbers::log2e), offset);
  return {maximum, offset, read(tensors.delta)};
}

void AttentionGradient::build(Value row) {
  Place place = placeOf(row);
  copy(own, place, place.first);
  auto rows = static_cast<size_t>(products->rows);
  State state;
  state.scores.assign(rows * static_cast<size_t>(products->outputsOfRow(scoreElements)), number(0));
  if (isByKeys()) {
    state.values.assign(rows * static_cast<size_t>(products->outputsOfRow(valueElements)), number(0));
    state = overHeads(place, state);
  } else {
    ownQueries.clear();
    for (int64_t i = 0; i < products->rows; ++i)
      ownQueries.push_back(load(place, add(place.first, products->rowOf(i))));
    state = overColumns(place, state);
  }
  store(place, state);
}

AttentionGradient::State AttentionGradient::loop(Value begin, Value end, Value stepSize, const State &state,
                                                 function_ref<State(Value, const State &)> body) {
  auto loop = scf::ForOp::create(b, loc, begin, end, stepSize, state.all());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  State next = body(loop.getInductionVar(), state.withValues(loop.getRegionIterArgs()));
  scf::YieldOp::create(b, loc, next.all());
  return state.withValues(loop.getResults());
}

/// The query heads that share the head of the keys.
AttentionGradient::State AttentionGradient::overHeads(Place place, State state) {
  int64_t heads = *getConstantIntValue(site.q.sizes[headDim]) / *getConstantIntValue(site.k.sizes[headDim]);
  return loop(constant(0), constant(heads), constant(1), state, [&](Value head, const State &sums) {
    place.head = add(multiply(place.keyHead, heads), head);
    return overColumns(place, sums);
  });
}

/// Only tiles of which some query uses some key.
AttentionGradient::State AttentionGradient::overColumns(const Place &place, State state) {
  Value begin = constant(0), end;
  if (!isByKeys()) {
    end = endOfKeys(place.batch, place.first);
  } else {
    end = size(site.q, rowDim);
    if (operands.lengths)
      end = select(isBelow(place.first, place.limit), end, constant(0));
    if (operands.isCausal) {
      Value first = b.createOrFold<arith::SubIOp>(loc, place.first, keysBeforeQueries());
      first = b.createOrFold<arith::MaxSIOp>(loc, first, constant(0));
      begin = multiply(divide(first, other.rows), other.rows);
    }
  }
  return loop(begin, end, constant(other.rows), state,
              [&](Value first, const State &sums) { return step(place, first, sums); });
}

/// Whether a query uses a key; null if all of the tiles do.
Value AttentionGradient::isUsed(const Place &place, Value query, Value key) {
  Value used;
  auto require = [&](Value condition) {
    used = used ? b.createOrFold<arith::AndIOp>(loc, used, condition) : condition;
  };
  if (operands.lengths || (!isByKeys() && isUneven(site.k, site.choice.keys)))
    require(isBelow(key, place.limit));
  if (isByKeys() && isUneven(site.q, site.choice.queries))
    require(isBelow(query, size(site.q, rowDim)));
  if (operands.isCausal)
    require(isBelow(key, add(add(query, keysBeforeQueries()), 1)));
  return used;
}

Value AttentionGradient::weight(const Place &place, Value product, const Query &statistics, Value query,
                                Value key) {
  Value exponent;
  if (operands.mask) {
    Value score = arith::MulFOp::create(b, loc, product, number(operands.scale));
    score = arith::AddFOp::create(b, loc, score, maskAt(place.batch, place.head, query, key));
    exponent = arith::SubFOp::create(b, loc, score, statistics.maximum);
    exponent = arith::MulFOp::create(b, loc, exponent, number(std::numbers::log2e));
  } else {
    exponent = arith::MulFOp::create(b, loc, product, number(operands.scale * std::numbers::log2e));
  }
  exponent = arith::SubFOp::create(b, loc, exponent, statistics.offset);
  Value weight = math::Exp2Op::create(b, loc, exponent);
  Value used = isUsed(place, query, key);
  return used ? arith::SelectOp::create(b, loc, used, weight, number(0)) : weight;
}

/// The indices of the rows or columns of the thread, from `first` on.
AttentionGradient::Values AttentionGradient::indices(Value first, int64_t count, bool areRows) {
  Values all;
  for (int64_t i = 0; i < count; ++i)
    all.push_back(add(first, areRows ? products->rowOf(i) : products->columnOf(i)));
  return all;
}

AttentionGradient::State AttentionGradient::step(const Place &place, Value firstColumn, const State &state) {
  copy(other, place, firstColumn);
  Values rows = indices(place.first, products->rows, true),
         columns = indices(firstColumn, products->scoresOfRow, false);
  const Values &queries = isByKeys() ? columns : rows, &keys = isByKeys() ? rows : columns;
  // Before the products need registers.
  Values kept = dropout ? dropout.kept(place.batch, place.head, queries, keys) : Values();
  Values weights = products->multiply(own.scores, other.scores, scoreElements),
         gradients = products->multiply(own.values, other.values, valueElements);
  SmallVector<Query> columnQueries;
  for (Value query : isByKeys() ? ValueRange(queries) : ValueRange())
    columnQueries.push_back(load(place, query));
  Values dropped = weights;
  for (size_t i = 0; i < weights.size(); ++i) {
    size_t row = i / columns.size(), column = i % columns.size();
    size_t query = isByKeys() ? column : row, key = isByKeys() ? row : column;
    const Query &statistics = isByKeys() ? columnQueries[column] : ownQueries[row];
    weights[i] = dropped[i] = weight(place, weights[i], statistics, queries[query], keys[key]);
    if (dropout) {
      dropped[i] = dropout.keep(kept[i], weights[i]);
      gradients[i] =
          arith::MulFOp::create(b, loc, gradients[i], dropout.keep(kept[i], number(dropout.factor())));
    }
    Value difference = arith::SubFOp::create(b, loc, gradients[i], statistics.delta);
    gradients[i] = arith::MulFOp::create(b, loc, weights[i], difference);
  }
  State next;
  if (isByKeys())
    next.values = products->addWeighted(dropped, other.values, valueElements, state.values);
  next.scores = products->addWeighted(gradients, other.scores, scoreElements, state.scores);
  return next;
}

void AttentionGradient::store(const Place &place, const State &state) {
  auto storeAll = [&](const AttentionTensor &tensor, ValueRange sums, int64_t padded, double factor) {
    auto outputs = static_cast<size_t>(products->outputsOfRow(padded));
    for (int64_t row = 0; tensor.memory && row < products->rows; ++row) {
      Value at = add(place.first, products->rowOf(row));
      auto guarded = scf::IfOp::create(b, loc, isBelow(at, size(own.tensor, rowDim)));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(guarded.thenBlock());
      Values scaled;
      for (Value sum : sums.slice(static_cast<size_t>(row) * outputs, outputs))
        scaled.push_back(factor == 1 ? sum : arith::MulFOp::create(b, loc, sum, number(factor)));
      storeRow(tensor, place.batch, isByKeys() ? place.keyHead : place.head, at, scaled,
               products->adjacentOutputs(padded),
               [&](int64_t output) { return products->outputOf(output, padded); });
    }
  };
  storeAll(tensors.scoreGradient, state.scores, scoreElements, operands.scale);
  if (isByKeys())
    storeAll(tensors.valueGradient, state.values, valueElements, dropout.factor());
}

} // namespace proa
