#include "passes/lower-gpu/ThreadLoops.h"

#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/kernels/SizeBounds.h"
#include "passes/lower-gpu/AccessWidth.h"
#include "passes/lower-gpu/LaunchForm.h"
#include "passes/lower-gpu/LinalgElements.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace proa {

void ThreadLoops::replace(linalg::LinalgOp replaced) {
  op = replaced;
  loc = op.getLoc();
  b.setInsertionPoint(op);
  auto own = LoopsAttr::of(op);
  vector = own.getVector().value_or(1);
  resultLoops.clear(), termLoops.clear(), resultSizes.clear(), termSizes.clear();
  for (auto [loop, range] : llvm::enumerate(op.createLoopRanges(b, loc))) {
    bool isTerm = isReductionLoop(op, loop);
    (isTerm ? termLoops : resultLoops).push_back(loop);
    (isTerm ? termSizes : resultSizes).push_back(range.size);
  }
  int64_t group = own.getGroup().value_or(1);
  combiner = Combiner::of(op);
  if (termLoops.empty())
    parallel();
  else if (reducesColumns(op))
    reduceByColumns(group);
  else if (group == 1)
    reduceByThread();
  else if (group <= warpSize && group < threads)
    reduceByLanes(group);
  else
    reduceByBlock();
  op->erase();
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

Value ThreadLoops::apply(AffineExpr expression, ValueRange dims) {
  return affine::makeComposedAffineApply(b, loc, expression, getAsOpFoldResult(dims));
}

/// The sizes with the last one in chunks of `vector` elements.
ThreadLoops::Sizes ThreadLoops::chunksOf(Sizes sizes) {
  if (vector > 1)
    sizes.back() = affine::makeComposedFoldedAffineApply(b, loc, b.getAffineSymbolExpr(0).floorDiv(vector),
                                                         {sizes.back()});
  return sizes;
}

OpFoldResult ThreadLoops::product(ArrayRef<OpFoldResult> sizes) {
  OpFoldResult total = b.getIndexAttr(1);
  AffineExpr multiply = b.getAffineSymbolExpr(0) * b.getAffineSymbolExpr(1);
  for (OpFoldResult size : sizes)
    total = affine::makeComposedFoldedAffineApply(b, loc, multiply, {total, size});
  return total;
}

/// The index in each dimension of a linear one.
ThreadLoops::Values ThreadLoops::split(Value linear, ArrayRef<OpFoldResult> sizes) {
  if (sizes.empty())
    return {};
  if (sizes.size() == 1)
    return {linear};
  auto indices = affine::AffineDelinearizeIndexOp::create(b, loc, linear, sizes);
  return Values(indices.getResults());
}

Value ThreadLoops::scaled(Value chunk, int64_t factor, int64_t offset) {
  if (factor == 1 && offset == 0)
    return chunk;
  return apply(b.getAffineDimExpr(0) * factor + offset, chunk);
}

ThreadLoops::Values ThreadLoops::loop(Value begin, OpFoldResult end, int64_t step, ValueRange state,
                                      BodyBuilder body) {
  Value last = toValue(end);
  return CodeBuilder::loop(begin, last, constant(step), state, body);
}

/// As loop(), for `begin` less than `step`. Loops that are long take a few steps at once, so that their loads
/// do not wait for each other.
ThreadLoops::Values ThreadLoops::unrolledLoop(Value begin, OpFoldResult end, int64_t step, ValueRange state,
                                              BodyBuilder body) {
  constexpr int64_t unrolled = 4;
  std::optional<int64_t> most = largestSize(end);
  if (!most || *most < unrolled * step)
    return loop(begin, end, step, state, body);
  AffineExpr s0 = b.getAffineSymbolExpr(0), s1 = b.getAffineSymbolExpr(1);
  AffineExpr rounds = (s0 - s1).ceilDiv(step).floorDiv(unrolled);
  OpFoldResult rest = affine::makeComposedFoldedAffineApply(b, loc, s1 + rounds * (unrolled * step),
                                                            {end, OpFoldResult(begin)});
  Values next = loop(begin, rest, unrolled * step, state, [&](Value position, ValueRange own) {
    Values values(own);
    for (int64_t i = 0; i < unrolled; ++i)
      values = body(scaled(position, 1, i * step), values);
    return values;
  });
  return loop(toValue(rest), end, step, next, body);
}

//===----------------------------------------------------------------------===//
// The body at one element
//===----------------------------------------------------------------------===//

/// Indices of all loops, from the indices of the loops over results and over terms.
ThreadLoops::Values ThreadLoops::indicesOf(ValueRange results, ValueRange terms) {
  Values indices(op.getNumLoops());
  for (auto [loop, index] : llvm::zip(resultLoops, results))
    indices[loop] = index;
  for (auto [loop, index] : llvm::zip(termLoops, terms))
    indices[loop] = index;
  return indices;
}

Value ThreadLoops::load(OpOperand &operand, ValueRange indices) {
  return loadElement(b, loc, op, operand, indices);
}

/// The values that the body yields. Without `accumulators` the operands that are written are read.
ThreadLoops::Values ThreadLoops::body(ValueRange indices, ValueRange accumulators) {
  unsigned numInputs = op.getNumDpsInputs();
  return cloneBody(b, op, indices, [&](OpOperand &operand) {
    bool isAccumulator = op.isDpsInit(&operand) && !accumulators.empty();
    return isAccumulator ? accumulators[operand.getOperandNumber() - numInputs] : load(operand, indices);
  });
}

/// The values that the results of a reduction start with.
ThreadLoops::Values ThreadLoops::starts(ValueRange indices) {
  ArrayAttr filled = LoopsAttr::of(op).getStarts();
  Values values;
  for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable())) {
    auto constant = filled ? dyn_cast<TypedAttr>(filled[i]) : TypedAttr();
    if (constant && !isa<UnitAttr>(filled[i]))
      values.push_back(arith::ConstantOp::create(b, loc, constant));
    else
      values.push_back(load(init, indices));
  }
  return values;
}

void ThreadLoops::store(ValueRange values, ValueRange indices) { storeElements(b, loc, op, values, indices); }

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

void ThreadLoops::parallel() {
  Sizes sizes = chunksOf(resultSizes);
  OpFoldResult chunks = product(sizes);
  loop(thread, chunks, threads, {}, [&](Value chunk, ValueRange) -> Values {
    Values first = split(chunk, sizes);
    SmallVector<Values> indices, results;
    for (int64_t i = 0; i < vector; ++i) {
      indices.push_back(first);
      if (vector > 1)
        indices.back().back() = scaled(first.back(), vector, i);
      results.push_back(body(indices.back(), {}));
    }
    for (auto [own, values] : llvm::zip(indices, results))
      store(values, own);
    return {};
  });
  if (vector > 1 && resultSizes.size() == 1)
    parallelRest(chunks);
}

/// The elements after the last whole chunk of the only loop.
void ThreadLoops::parallelRest(OpFoldResult chunks) {
  std::optional<int64_t> size = getConstantIntValue(resultSizes[0]);
  if (size && *size % vector == 0)
    return;
  AffineExpr first = b.getAffineSymbolExpr(0) * vector + b.getAffineSymbolExpr(1);
  OpFoldResult begin = affine::makeComposedFoldedAffineApply(b, loc, first, {chunks, OpFoldResult(thread)});
  loop(toValue(begin), resultSizes[0], threads, {}, [&](Value index, ValueRange) -> Values {
    store(body({index}, {}), {index});
    return {};
  });
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// One element of the result after the other, each by one thread.
void ThreadLoops::reduceByThread() {
  loop(thread, product(resultSizes), threads, {}, [&](Value result, ValueRange) -> Values {
    Values own = split(result, resultSizes), at = indicesOf(own, {});
    Values state = starts(at), terms(termLoops.size());
    std::function<Values(unsigned, ValueRange)> nest = [&](unsigned depth, ValueRange inner) -> Values {
      if (depth == termLoops.size())
        return body(indicesOf(own, terms), inner);
      return loop(constant(0), termSizes[depth], 1, inner, [&](Value term, ValueRange innermost) {
        terms[depth] = term;
        return nest(depth + 1, innermost);
      });
    };
    store(nest(0, state), at);
    return {};
  });
}

ThreadLoops::Values ThreadLoops::neutral() { return combiner->neutral(b, loc); }

ThreadLoops::Values ThreadLoops::combine(ValueRange left, ValueRange right) {
  return combiner->build(b, left, right);
}

/// `state` with the terms at some indices. A long combiner combines pairs of terms first, so that few steps
/// depend on the state.
ThreadLoops::Values ThreadLoops::addTerms(ArrayRef<Values> indices, ValueRange state) {
  if (!combiner->isLong()) {
    Values next(state);
    for (const Values &own : indices)
      next = body(own, next);
    return next;
  }
  SmallVector<Values> terms;
  for (const Values &own : indices)
    terms.push_back(cloneBody(
        b, op, own,
        [&](OpOperand &operand) { return op.isDpsInit(&operand) ? state[0] : load(operand, own); },
        combiner->bodyTerms()));
  while (terms.size() > 1) {
    SmallVector<Values> pairs;
    for (size_t i = 0; i + 1 < terms.size(); i += 2)
      pairs.push_back(combine(terms[i], terms[i + 1]));
    if (terms.size() % 2 != 0)
      pairs.push_back(terms.back());
    terms = std::move(pairs);
  }
  return combine(state, terms[0]);
}

/// The terms first, first + step, ... of one element of the result, in chunks of `vector` terms.
ThreadLoops::Values ThreadLoops::reduceTerms(ValueRange resultIndices, Value first, int64_t step,
                                             ValueRange state) {
  Sizes sizes = chunksOf(termSizes);
  OpFoldResult chunks = product(sizes);
  Values results(resultIndices);
  Values sums = unrolledLoop(first, chunks, step, state, [&](Value chunk, ValueRange own) -> Values {
    Values terms = split(chunk, sizes);
    SmallVector<Values> ofChunk(static_cast<size_t>(vector), terms);
    for (int64_t i = 0; vector > 1 && i < vector; ++i)
      ofChunk[static_cast<size_t>(i)].back() = scaled(terms.back(), vector, i);
    for (Values &indices : ofChunk)
      indices = indicesOf(results, indices);
    return addTerms(ofChunk, own);
  });
  std::optional<int64_t> size = getConstantIntValue(termSizes.back());
  if (vector == 1 || (size && *size % vector == 0))
    return sums;
  AffineExpr rest = b.getAffineSymbolExpr(0) * vector + b.getAffineSymbolExpr(1);
  OpFoldResult begin = affine::makeComposedFoldedAffineApply(b, loc, rest, {chunks, OpFoldResult(first)});
  return loop(toValue(begin), termSizes[0], step, sums,
              [&](Value term, ValueRange own) -> Values { return body(indicesOf(results, {term}), own); });
}

/// Afterwards each lane of a group has the combination of all of them.
ThreadLoops::Values ThreadLoops::combineLanes(ValueRange partial, int64_t group) {
  return CodeBuilder::combineLanes(partial, group,
                                   [&](ValueRange own, ValueRange others) { return combine(own, others); });
}

/// Several elements of the result in a warp. All threads run the same iterations, because a shuffle needs all
/// lanes.
void ThreadLoops::reduceByLanes(int64_t group) {
  int64_t groups = threads / group;
  Value size = toValue(product(resultSizes));
  Value lane = apply(b.getAffineDimExpr(0) % group, thread);
  loop(constant(0), size, groups, {}, [&](Value base, ValueRange) -> Values {
    AffineExpr own = b.getAffineDimExpr(0) + b.getAffineDimExpr(1).floorDiv(group);
    Value result = apply(own, {base, thread});
    Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, result, size);
    Values start = neutral();
    Values sums = where(
        isInside, ValueRange(start).getTypes(),
        [&] { return reduceTerms(split(result, resultSizes), lane, group, start); }, [&] { return start; });
    sums = combineLanes(sums, group);
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane, constant(0));
    where(arith::AndIOp::create(b, loc, isInside, isFirst), [&] {
      Values at = indicesOf(split(result, resultSizes), {});
      store(combine(starts(at), sums), at);
    });
    return {};
  });
}

/// One element of the result after the other, each by all threads.
void ThreadLoops::reduceByBlock() {
  int64_t warps = threads / warpSize;
  SmallVector<Value> exchange;
  for (Type type : combiner->types())
    exchange.push_back(memref::AllocOp::create(b, loc, MemRefType::get({warps}, type)));
  Value warp = apply(b.getAffineDimExpr(0).floorDiv(warpSize), thread);
  Value lane = apply(b.getAffineDimExpr(0) % warpSize, thread);
  loop(constant(0), product(resultSizes), 1, {}, [&](Value result, ValueRange) -> Values {
    Values own = split(result, resultSizes);
    Values sums = combineLanes(reduceTerms(own, thread, threads, neutral()), warpSize);
    Value isFirstLane = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane, constant(0));
    where(isFirstLane, [&] {
      for (auto [memory, sum] : llvm::zip(exchange, sums))
        memref::StoreOp::create(b, loc, sum, memory, warp);
    });
    gpu::BarrierOp::create(b, loc);
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, thread, constant(0));
    where(isFirst, [&] {
      Values at = indicesOf(own, {}), total = starts(at);
      for (int64_t i = 0; i < warps; ++i) {
        Value index = constant(i);
        total = combine(total, loadAll(exchange, index));
      }
      store(total, at);
    });
    gpu::BarrierOp::create(b, loc);
    return {};
  });
}

//===----------------------------------------------------------------------===//
// Reductions of columns
//===----------------------------------------------------------------------===//

/// The terms begin, begin + step, ... of `width` elements of the result side by side, from `first` on.
/// Returns the values of the first element, then the values of the next.
ThreadLoops::Values ThreadLoops::reduceColumnTerms(ValueRange first, int64_t width, Value begin,
                                                   int64_t step) {
  Values state;
  for (int64_t i = 0; i < width; ++i)
    state.append(neutral());
  size_t count = combiner->types().size();
  return loop(begin, product(termSizes), step, state, [&](Value term, ValueRange own) -> Values {
    Values terms = split(term, termSizes), next;
    for (int64_t i = 0; i < width; ++i) {
      Values results(first);
      results.back() = scaled(results.back(), 1, i);
      next.append(body(indicesOf(results, terms), own.slice(i * count, count)));
    }
    return next;
  });
}

/// Combines `sums` with what the result starts with, and stores it.
void ThreadLoops::storeColumns(ValueRange first, int64_t element, ValueRange sums) {
  Values results(first);
  results.back() = scaled(results.back(), 1, element);
  Values at = indicesOf(results, {});
  store(combine(starts(at), sums), at);
}

/// The values at one position of some memories.
ThreadLoops::Values ThreadLoops::loadAll(ArrayRef<Value> memories, ValueRange indices) {
  return llvm::map_to_vector(
      memories, [&](Value memory) -> Value { return memref::LoadOp::create(b, loc, memory, indices); });
}

/// Combines `rows` rows of `width` values in each memory, halving their number until at most 8 are left.
/// Returns the number of these.
int64_t ThreadLoops::combineRows(ArrayRef<Value> exchange, int64_t rows, int64_t width) {
  constexpr int64_t fewRows = 8;
  AffineExpr d0 = b.getAffineDimExpr(0);
  while (rows > fewRows) {
    int64_t pairs = rows / 2, half = rows - pairs;
    loop(thread, b.getIndexAttr(pairs * width), threads, {}, [&](Value element, ValueRange) -> Values {
      Value row = apply(d0.floorDiv(width), element), other = apply(d0.floorDiv(width) + half, element),
            entry = apply(d0 % width, element);
      Values own, others;
      for (Value memory : exchange) {
        own.push_back(memref::LoadOp::create(b, loc, memory, ValueRange{row, entry}));
        others.push_back(memref::LoadOp::create(b, loc, memory, ValueRange{other, entry}));
      }
      for (auto [memory, value] : llvm::zip(exchange, combine(own, others)))
        memref::StoreOp::create(b, loc, value, memory, ValueRange{row, entry});
      return {};
    });
    gpu::BarrierOp::create(b, loc);
    rows = half;
  }
  return rows;
}

/// `chunks` chunks of `width` elements of the result each. Chunk c begins at element c * width + firstElement
/// of the innermost of `sizes`, which count chunks. Threads side by side compute chunks side by side; the
/// threads of a group are a whole number of such rows apart.
void ThreadLoops::reduceColumns(int64_t group, int64_t width, OpFoldResult chunks,
                                ArrayRef<OpFoldResult> sizes, OpFoldResult firstElement) {
  int64_t columns = threads / group;
  SmallVector<Value> exchange;
  SmallVector<Type> types = combiner->types();
  for (Type type : types)
    if (group > 1)
      exchange.push_back(memref::AllocOp::create(b, loc, MemRefType::get({group, columns * width}, type)));
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  Value column = apply(d0 % columns, thread), line = apply(d0.floorDiv(columns), thread);
  Value count = toValue(chunks);
  auto elementsOf = [&](Value chunk) {
    Values first = split(chunk, sizes);
    first.back() = apply(d0 * width + d1, {first.back(), toValue(firstElement)});
    return first;
  };
  loop(constant(0), chunks, columns, {}, [&](Value base, ValueRange) -> Values {
    Value chunk = apply(d0 + d1, {base, column});
    Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, chunk, count);
    if (group == 1) {
      where(isInside, [&] {
        Values first = elementsOf(chunk), sums = reduceColumnTerms(first, width, constant(0), 1);
        for (int64_t i = 0; i < width; ++i)
          storeColumns(first, i, ValueRange(sums).slice(i * types.size(), types.size()));
      });
      return {};
    }
    Values none;
    for (int64_t i = 0; i < width; ++i)
      none.append(neutral());
    Values sums = where(
        isInside, ValueRange(none).getTypes(),
        [&] { return reduceColumnTerms(elementsOf(chunk), width, line, group); }, [&] { return none; });
    for (int64_t i = 0; i < width; ++i)
      for (auto [c, memory] : llvm::enumerate(exchange)) {
        Value entry = scaled(column, width, i);
        memref::StoreOp::create(b, loc, sums[i * types.size() + c], memory, ValueRange{line, entry});
      }
    gpu::BarrierOp::create(b, loc);
    int64_t left = combineRows(exchange, group, columns * width);
    loop(thread, b.getIndexAttr(columns * width), threads, {}, [&](Value result, ValueRange) -> Values {
      Value own = apply(d0 + d1.floorDiv(width), {base, result});
      where(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, own, count), [&] {
        Values total;
        for (int64_t row = 0; row < left; ++row) {
          Values partial = loadAll(exchange, {constant(row), result});
          total = row == 0 ? partial : combine(total, partial);
        }
        Values first = elementsOf(own);
        first.back() = apply(d0 + d1 % width, {first.back(), result});
        storeColumns(first, 0, total);
      });
      return {};
    });
    gpu::BarrierOp::create(b, loc);
    return {};
  });
}

/// Elements of the result that are side by side in memory by threads side by side, `vector` of them each.
void ThreadLoops::reduceByColumns(int64_t group) {
  Sizes sizes = chunksOf(resultSizes);
  AffineExpr s0 = b.getAffineSymbolExpr(0);
  reduceColumns(group, vector, product(sizes), sizes, b.getIndexAttr(0));
  // The elements after the last whole chunk of the only loop.
  if (vector == 1 || resultSizes.size() != 1 || divisorOf(resultSizes[0]) % vector == 0)
    return;
  OpFoldResult first = affine::makeComposedFoldedAffineApply(b, loc, s0 * vector, {sizes[0]});
  OpFoldResult rest = affine::makeComposedFoldedAffineApply(b, loc, s0 % vector, {resultSizes[0]});
  reduceColumns(group, 1, rest, {rest}, first);
}

} // namespace proa
