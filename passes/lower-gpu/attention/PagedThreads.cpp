#include "passes/lower-gpu/attention/PagedThreads.h"

#include "passes/lower-gpu/LastBlock.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace proa {
//===----------------------------------------------------------------------===//
// Slices of keys
//===----------------------------------------------------------------------===//

void PagedThreads::build(Value row) {
  slot = row;
  Value tileIndex = divide(row, slices.count);
  Position position = tilePositionOf(tileIndex);
  if (slices.count > 1)
    chooseSlice(position, remainder(row, slices.count));
  checkBlocks(position);
  computeTile(position);
  if (slices.count == 1)
    return;
  Value isLast = emitIsLastBlock(b, loc, slices.counters, tileIndex, constant(slices.count));
  where(isLast, [&] {
    NVVM::MembarOp::create(b, loc, NVVM::MemScopeKind::GPU);
    combine(position, tileIndex);
  });
}

/// Whole tiles of the keys that the sequence has: the capacity of the cache does not matter.
void PagedThreads::chooseSlice(Position &position, Value slice) const {
  Value keysOfSlices = constant(slices.count * site.choice.keys);
  Value tiles = b.createOrFold<arith::CeilDivUIOp>(loc, position.keyEnd, keysOfSlices);
  Value keys = multiply(tiles, site.choice.keys);
  position.firstKey = multiply(slice, keys);
  position.keyEnd = b.createOrFold<arith::MinUIOp>(loc, add(position.firstKey, keys), position.keyEnd);
}

/// Reports entries of the block table that are not blocks of the cache.
void PagedThreads::checkBlocks(const Position &position) {
  enum Operand : unsigned { query, keys, values, table };
  int64_t rows = site.k.rowsOfBlock;
  Value first = add(divide(position.firstKey, rows), site.thread),
        end = divide(add(position.keyEnd, rows - 1), rows);
  loop(first, end, constant(site.choice.threads), [&](Value block) {
    code.loadIndex(table, {{code, position.batch}, {code, block}}, keys, /*axis=*/0, /*wraps=*/false);
  });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// A sequence without keys has the result 0.
Value PagedThreads::normalization(Value sum) {
  Value isEmpty = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, sum, number(0));
  Value inverse = arith::DivFOp::create(b, loc, number(1), sum);
  return arith::SelectOp::create(b, loc, isEmpty, number(0), inverse);
}

void PagedThreads::store(const Position &position, const State &state) {
  if (slices.count == 1)
    return AttentionThreads::store(position, state);
  Values sums = wholeSums(state);
  forRows(position, [&](size_t row, Value) {
    Value inTile = fragments.rowOf(static_cast<int64_t>(row));
    storeRow(slices.outputs, slot, constant(0), inTile, outputsOf(state, row), tile.valueElements);
    where(isFirstOfRow(), [&] {
      memref::StoreOp::create(b, loc, state.maxima[row], slices.maxima, ValueRange{slot, inTile});
      memref::StoreOp::create(b, loc, sums[row], slices.sums, ValueRange{slot, inTile});
    });
  });
}

/// The threads combine chunks of the elements of all rows of the tile.
void PagedThreads::combine(const Position &position, Value tileIndex) {
  constexpr int64_t widest = 4; // 16 bytes
  int64_t elements = site.out.elements(), width = elements % widest == 0 ? widest : 1;
  int64_t ofRow = elements / width, chunks = site.choice.queries * ofRow;
  loop(site.thread, constant(chunks), constant(site.choice.threads), [&](Value chunk) {
    Value row = divide(chunk, ofRow);
    where(isBelow(add(position.first, row), size(site.q, rowDim)), [&] {
      combineChunk(position, multiply(tileIndex, slices.count), row, multiply(remainder(chunk, ofRow), width),
                   width);
    });
  });
}

void PagedThreads::combineChunk(const Position &position, Value firstSlot, Value row, Value element,
                                int64_t width) {
  auto load = [&](Value memory, Value slice) -> Value {
    return memref::LoadOp::create(b, loc, memory, ValueRange{add(firstSlot, slice), row});
  };
  Value maximum = overSlices({number(minusInfinity)}, [&](Value slice, ValueRange state) -> Values {
    return {arith::MaximumFOp::create(b, loc, state[0], load(slices.maxima, slice))};
  })[0];
  Value base = baseOf(maximum);
  Values sums(static_cast<size_t>(width) + 1, number(0)); // of weights, then of elements
  sums = overSlices(sums, [&](Value slice, ValueRange state) {
    Value weight =
        math::Exp2Op::create(b, loc, arith::SubFOp::create(b, loc, load(slices.maxima, slice), base));
    Values terms{load(slices.sums, slice)}, next;
    Value own =
        vector::LoadOp::create(b, loc, VectorType::get({width}, b.getF32Type()), slices.outputs.memory,
                               ValueRange{add(firstSlot, slice), constant(0), row, element},
                               /*nontemporal=*/false, llvm::MaybeAlign(static_cast<uint64_t>(width * 4)));
    for (int64_t i = 0; i < width; ++i)
      terms.push_back(vector::ExtractOp::create(b, loc, own, i));
    for (auto [sum, term] : llvm::zip(state, terms))
      next.push_back(math::FmaOp::create(b, loc, weight, term, sum));
    return next;
  });
  Value factor = normalization(sums[0]);
  Values out;
  for (Value sum : ValueRange(sums).drop_front())
    out.push_back(arith::MulFOp::create(b, loc, sum, factor));
  storeElements(
      site.out, {position.batch, position.head, add(position.first, row)}, out, width,
      [&](int64_t output) { return add(element, output); }, tile.valueElements != site.out.elements());
}

PagedThreads::Values PagedThreads::overSlices(Values state, function_ref<Values(Value, ValueRange)> body) {
  return loop(constant(0), constant(slices.count), constant(1), state, body);
}

} // namespace proa
