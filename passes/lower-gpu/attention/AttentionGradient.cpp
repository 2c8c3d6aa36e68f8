#include "passes/lower-gpu/attention/AttentionGradient.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <limits>
#include <numbers>

using namespace mlir;

namespace proa {
//===----------------------------------------------------------------------===//
// Loops over tiles
//===----------------------------------------------------------------------===//

AttentionGradient::Fragments AttentionGradient::loop(Value begin, Value end, Value stepSize,
                                                     const Fragments &sums,
                                                     function_ref<Fragments(Value, const Fragments &)> body) {
  return sums.withValues(
      CodeBuilder::loop(begin, end, stepSize, sums.all(), [&](Value index, ValueRange own) {
        return body(index, sums.withValues(own)).all();
      }));
}

AttentionGradient::Fragments AttentionGradient::overTiles(const Position &position, const Fragments &sums,
                                                          Body body) {
  return isByKeys() ? overHeads(position, sums, body) : overColumns(position, sums, body);
}

/// The query heads that share the head of the keys.
AttentionGradient::Fragments AttentionGradient::overHeads(Position position, const Fragments &sums,
                                                          Body body) {
  int64_t heads = headsOfKeys();
  return loop(constant(0), constant(heads), constant(1), sums, [&](Value head, const Fragments &own) {
    position.head = add(multiply(position.keyHead, heads), head);
    return overColumns(position, own, body);
  });
}

/// Loops only over tiles in which some query uses some key.
AttentionGradient::Fragments AttentionGradient::overColumns(const Position &position, const Fragments &sums,
                                                            Body body) {
  Value begin = constant(0), end;
  int64_t columns = site.choice.columns();
  if (!isByKeys()) {
    begin = position.firstKey;
    end = endOfKeys(position.batch, position.first);
  } else {
    end = size(site.q, rowDim);
    if (operands.left) {
      Value seen = add(position.first, site.choice.keys + *operands.left);
      seen = subtract(seen, keysBeforeQueries());
      seen = maximum(seen, constant(0));
      end = minimum(end, seen);
    }
    if (operands.lengths)
      end = select(isBelow(position.first, position.keyEnd), end, constant(0));
    if (operands.right) {
      Value first = subtract(add(position.first, -*operands.right), keysBeforeQueries());
      first = maximum(first, constant(0));
      begin = multiply(divide(first, columns), columns);
    }
  }
  return loop(begin, end, constant(columns), sums,
              [&](Value first, const Fragments &own) { return body(position, first, own); });
}

//===----------------------------------------------------------------------===//
// Gradients of queries, or of keys and values
//===----------------------------------------------------------------------===//

void AttentionGradient::build(Value row) {
  if (tensors.ofScores.memory)
    computeScores(row);
  else
    compute(tilePositionOf(row));
}

void AttentionGradient::copy(Value row) {
  if (tensors.ofScores.memory) {
    auto [position, firstKey] = positionOfScores(row);
    overExamples(position, {}, [&, first = firstKey](const Position &at, const Fragments &none) {
      tile.copyOwn(at);
      tile.copyColumns(at, first);
      return none;
    });
    return;
  }
  Position position = tilePositionOf(row);
  tile.copyOwn(position);
  overTiles(position, {}, [&](const Position &at, Value firstColumn, const Fragments &none) {
    tile.copyColumns(at, firstColumn);
    return none;
  });
}

void AttentionGradient::compute(const Position &position) {
  tile.begin(position);
  auto rows = static_cast<size_t>(fragments.rows());
  Fragments sums;
  sums.scores.assign(rows * static_cast<size_t>(fragments.outputsOfRow(tile.scoreElements)), number(0));
  if (isByKeys())
    sums.values.assign(rows * static_cast<size_t>(fragments.outputsOfRow(tile.valueElements)), number(0));
  else
    loadQueries(position);
  sums = overTiles(position, sums, [&](const Position &at, Value firstColumn, const Fragments &own) {
    return step(at, firstColumn, own);
  });
  tile.end();
  store(position, sums);
}

/// The numbers of the queries that are the rows of the thread.
void AttentionGradient::loadQueries(const Position &position) {
  ownQueries.clear();
  for (int64_t i = 0; i < fragments.rows(); ++i)
    ownQueries.push_back(load(position, add(position.first, fragments.rowOf(i))));
}

/// The last query in place of those after it.
AttentionGradient::Query AttentionGradient::load(const Position &position, Value query) const {
  if (isUneven(site.q, site.choice.queries))
    query = minimum(query, add(size(site.q, rowDim), -1));
  auto read = [&](Value memory) -> Value {
    return memref::LoadOp::create(b, loc, memory, ValueRange{position.batch, position.head, query});
  };
  Value maximum = read(tensors.statistics.maximum),
        offset = math::Log2Op::create(b, loc, read(tensors.statistics.sum));
  if (!isMasked())
    offset = math::FmaOp::create(b, loc, maximum, number(std::numbers::log2e), offset);
  return {maximum, offset, read(tensors.delta)};
}

AttentionGradient::Fragments AttentionGradient::step(const Position &position, Value firstColumn,
                                                     const Fragments &sums) {
  Fragments weights = derivatives(position, firstColumn);
  if (!isByKeys())
    weights.values.clear();
  Fragments next = tile.accumulate(weights, sums);
  tile.endColumns();
  return next;
}

/// The columns of the tile that a row uses: keys of a query, or queries of a key.
AttentionGradient::Columns AttentionGradient::columnsOf(const Position &position, Value firstColumn,
                                                        Value row) const {
  Value begin, end;
  if (isByKeys()) {
    Value query = subtract(row, keysBeforeQueries()); // at the position of the key
    if (operands.right)
      begin = relative(add(query, -*operands.right), firstColumn);
    if (isUneven(site.q, site.choice.queries))
      end = size(site.q, rowDim);
    if (operands.left) {
      Value last = add(query, *operands.left + 1);
      end = end ? minimum(end, last) : last;
    }
    end = end ? relative(end, firstColumn) : end;
    if (operands.lengths) { // no query uses a key after the last one
      begin = select(isBelow(row, position.keyEnd), begin ? begin : i32(0),
                     i32(std::numeric_limits<int32_t>::max()));
    }
    return {begin, end};
  }
  if (operands.lengths || isUneven(site.k, site.choice.keys))
    end = position.keyEnd;
  if (operands.left)
    begin = relative(windowBegin(row), firstColumn);
  if (operands.right) {
    Value seen = windowEnd(row);
    end = end ? minimum(end, seen) : seen;
  }
  return {begin, end ? relative(end, firstColumn) : end};
}

/// The weight of a query and a key, whether its score depends on their product (null if it does), and how.
AttentionGradient::Weight AttentionGradient::weight(const Position &position, Value product,
                                                    const Query &statistics, Value query, Value key) {
  Value exponent, isKept;
  auto [score, slope] = scoreOf(product, isMasked() ? 1 : std::numbers::log2e);
  if (isMasked()) {
    MaskedScore own = masked(score, position, query, key);
    isKept = own.isKept;
    exponent = arith::SubFOp::create(b, loc, own.value, statistics.maximum);
    exponent = arith::MulFOp::create(b, loc, exponent, number(std::numbers::log2e));
  } else {
    exponent = score;
  }
  return {exp2(arith::SubFOp::create(b, loc, exponent, statistics.offset)), isKept, slope};
}

/// The gradients of the scores, and the weights after dropout.
AttentionGradient::Fragments AttentionGradient::derivatives(const Position &position, Value firstColumn) {
  Values rows = rowsFrom(position.first), columns = columnsFrom(firstColumn);
  const Values &queries = isByKeys() ? columns : rows, &keys = isByKeys() ? rows : columns;
  // Before the products need registers.
  Values kept = dropout ? dropout.kept(position.batch, position.head, queries, keys) : Values();
  Fragments products = tile.multiply(position, firstColumn);
  Fragments found = products;
  SmallVector<Columns> used;
  for (Value row : rows)
    used.push_back(columnsOf(position, firstColumn, row));
  for (size_t column = 0; column < columns.size(); ++column) {
    Query ofColumn = isByKeys() ? load(position, queries[column]) : Query();
    for (size_t row = 0; row < rows.size(); ++row) {
      size_t i = row * columns.size() + column;
      const Query &statistics = isByKeys() ? ofColumn : ownQueries[row];
      Value query = queries[isByKeys() ? column : row], key = keys[isByKeys() ? row : column];
      auto [own, isKept, slope] = weight(position, products.scores[i], statistics, query, key);
      Value gradient = products.values[i];
      if (Value isUsed = isInside(used[row], static_cast<int64_t>(column)))
        own = arith::SelectOp::create(b, loc, isUsed, own, number(0));
      found.values[i] = own;
      if (dropout) {
        found.values[i] = dropout.keep(kept[i], own);
        gradient = arith::MulFOp::create(b, loc, gradient, dropout.keep(kept[i], number(dropout.factor())));
      }
      Value difference = arith::SubFOp::create(b, loc, gradient, statistics.delta);
      found.scores[i] = arith::MulFOp::create(b, loc, own, difference);
      if (isKept)
        found.scores[i] = arith::SelectOp::create(b, loc, isKept, found.scores[i], number(0));
      if (slope && !tensors.ofScores.memory)
        found.scores[i] = arith::MulFOp::create(b, loc, found.scores[i], slope);
    }
  }
  return found;
}

void AttentionGradient::store(const Position &position, const Fragments &sums) {
  auto storeAll = [&](const AttentionTensor &tensor, ValueRange values, int64_t padded, double factor) {
    auto outputs = static_cast<size_t>(fragments.outputsOfRow(padded));
    forRows(position, [&](size_t row, Value at) {
      Values scaled;
      for (Value sum : values.slice(row * outputs, outputs))
        scaled.push_back(factor == 1 ? sum : arith::MulFOp::create(b, loc, sum, number(factor)));
      storeRow(tensor, position.batch, tile.headOf(tile.own, position), at, scaled, padded);
    });
  };
  if (tensors.byScores.memory)
    storeAll(tensors.byScores, sums.scores, tile.scoreElements, operands.scale);
  if (tensors.byValues.memory)
    storeAll(tensors.byValues, sums.values, tile.valueElements, dropout.factor());
}

//===----------------------------------------------------------------------===//
// Gradients of scores
//===----------------------------------------------------------------------===//

/// Tiles of keys follow each other, then tiles of queries, heads and batches.
std::pair<AttentionGradient::Position, Value> AttentionGradient::positionOfScores(Value row) const {
  auto take = [&](Value count) {
    Value index = b.createOrFold<arith::RemUIOp>(loc, row, count);
    row = b.createOrFold<arith::DivUIOp>(loc, row, count);
    return index;
  };
  auto tilesOf = [&](unsigned dim, int64_t tileSize) {
    return b.createOrFold<arith::CeilDivUIOp>(loc, size(tensors.ofScores, dim), constant(tileSize));
  };
  Position position;
  Value firstKey = multiply(take(tilesOf(elementDim, site.choice.keys)), site.choice.keys);
  position.first = multiply(take(tilesOf(rowDim, site.choice.queries)), site.choice.queries);
  position.head = take(size(tensors.ofScores, headDim));
  position.batch = row;
  return {position, firstKey};
}

void AttentionGradient::computeScores(Value row) {
  auto [position, firstKey] = positionOfScores(row);
  Fragments sums;
  sums.scores.assign(static_cast<size_t>(fragments.rows() * fragments.columns()), number(0));
  sums = overExamples(position, sums, [&, first = firstKey](const Position &at, const Fragments &own) {
    tile.begin(at);
    loadQueries(at);
    Fragments next{derivatives(at, first).scores, {}};
    for (auto [sum, before] : llvm::zip(next.scores, own.scores))
      sum = arith::AddFOp::create(b, loc, before, sum);
    tile.endColumns();
    tile.end();
    return next;
  });
  storeScores(position, firstKey, sums);
}

/// The batches and heads over which a tile of scores is summed, or the only one.
AttentionGradient::Fragments AttentionGradient::overExamples(
    const Position &position, const Fragments &sums,
    function_ref<Fragments(const Position &position, const Fragments &sums)> body) {
  auto over = [&](unsigned dim, Value only, const Fragments &sums,
                  function_ref<Fragments(Value, const Fragments &)> inner) {
    if (getConstantIntValue(tensors.ofScores.sizes[dim]) != 1)
      return inner(only, sums);
    return loop(constant(0), size(site.q, dim), constant(1), sums, inner);
  };
  return over(batchDim, position.batch, sums, [&](Value batch, const Fragments &ofBatch) {
    Position at = position;
    at.batch = batch;
    at.keyEnd = limitOfKeys(batch);
    return over(headDim, position.head, ofBatch, [&](Value head, const Fragments &ofHead) {
      at.head = head;
      at.keyHead = divide(head, headsOfKeys());
      return body(at, ofHead);
    });
  });
}

void AttentionGradient::storeScores(const Position &position, Value firstColumn, const Fragments &sums) {
  auto columns = static_cast<size_t>(fragments.columns());
  forRows(position, [&](size_t row, Value at) {
    ValueRange own = ValueRange(sums.scores).slice(row * columns, columns);
    storeElements(
        tensors.ofScores, {position.batch, position.head, at}, own, fragments.adjacentColumns(),
        [&](int64_t column) { return add(firstColumn, fragments.columnOf(column)); },
        isUneven(site.k, site.choice.keys));
  });
}

} // namespace proa
