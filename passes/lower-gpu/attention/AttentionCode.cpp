#include "passes/lower-gpu/attention/AttentionCode.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numbers>

using namespace mlir;

namespace proa {

Value AttentionCode::number(double value) const {
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(static_cast<float>(value)));
}

Value AttentionCode::exp2(Value exponent) const {
  return math::Exp2Op::create(b, loc, exponent, arith::FastMathFlags::afn);
}

Value AttentionCode::size(const AttentionTensor &tensor, unsigned dim) const {
  return toValue(tensor.sizes[dim]);
}

int64_t AttentionCode::headsOfKeys() const {
  return *getConstantIntValue(site.q.sizes[headDim]) / *getConstantIntValue(site.k.sizes[headDim]);
}

/// The tiles with most work come first: with a causal mask, the last queries and the first keys.
AttentionCode::Position AttentionCode::tilePositionOf(Value row) const {
  const AttentionSide &own = tile.own;
  Value tiles = b.createOrFold<arith::CeilDivUIOp>(loc, size(own.scores, rowDim), constant(own.rows));
  Value heads = size(own.scores, headDim), inHead = remainder(row, tiles), rest = divide(row, tiles);
  Position at;
  at.head = at.keyHead = remainder(rest, heads);
  at.batch = divide(rest, heads);
  if (!own.areKeys) {
    inHead = subtract(add(tiles, -1), inHead);
    at.keyHead = divide(at.head, headsOfKeys());
  }
  at.first = multiply(inHead, own.rows);
  at.firstKey = operands.left && !own.areKeys ? beginOfKeys(at.first) : constant(0);
  at.keyEnd = limitOfKeys(at.batch);
  return at;
}

void AttentionCode::forRows(const Position &at, function_ref<void(size_t row, Value index)> body) {
  for (int64_t row = 0; row < fragments.rows(); ++row) {
    Value index = add(at.first, fragments.rowOf(row));
    where(isBelow(index, size(tile.own.scores, rowDim)), [&] { body(static_cast<size_t>(row), index); });
  }
}

AttentionCode::Values AttentionCode::rowsFrom(Value first) const {
  return llvm::map_to_vector(llvm::seq(fragments.rows()),
                             [&](int64_t row) { return add(first, fragments.rowOf(row)); });
}

AttentionCode::Values AttentionCode::columnsFrom(Value first) const {
  return llvm::map_to_vector(llvm::seq(fragments.columns()),
                             [&](int64_t column) { return add(first, fragments.columnOf(column)); });
}

AttentionCode::Score AttentionCode::scoreOf(Value product, double unit) const {
  double cap = operands.softCap;
  if (cap == 0)
    return {arith::MulFOp::create(b, loc, product, number(operands.scale * unit)), {}};
  // tanh x = 1 - 2 rest with rest = 1 / (1 + e^(2 x)); tanh.approx has an error of 5e-4.
  double scale = 2 * std::numbers::log2e * operands.scale / cap;
  Value power = exp2(arith::MulFOp::create(b, loc, product, number(scale)));
  power = arith::AddFOp::create(b, loc, power, number(1));
  Value rest = arith::DivFOp::create(b, loc, number(1), power, arith::FastMathFlags::afn);
  Value value = math::FmaOp::create(b, loc, rest, number(-2 * cap * unit), number(cap * unit));
  Value slope = math::FmaOp::create(b, loc, rest, number(-4), number(4));
  return {value, arith::MulFOp::create(b, loc, rest, slope)};
}

Value AttentionCode::beginOfKeys(Value firstQuery) const {
  Value begin = maximum(windowBegin(firstQuery), constant(0));
  return multiply(divide(begin, site.choice.keys), site.choice.keys);
}

Value AttentionCode::endOfKeys(Value batch, Value firstQuery) const {
  Value end = limitOfKeys(batch);
  if (!operands.right)
    return end;
  Value seen = windowEnd(add(firstQuery, site.choice.queries - 1));
  seen = maximum(seen, constant(0));
  return minimum(end, seen);
}

Value AttentionCode::limitOfKeys(Value batch) const {
  Value keys = size(site.k, rowDim);
  if (!operands.lengths)
    return keys;
  Value length = memref::LoadOp::create(b, loc, operands.lengths, batch);
  length = arith::IndexCastOp::create(b, loc, b.getIndexType(), length);
  length = arith::MaxSIOp::create(b, loc, length, constant(0));
  return arith::MinSIOp::create(b, loc, keys, length);
}

Value AttentionCode::maskAt(Value mask, const Position &position, Value query, Value key) {
  auto clamp = [&](Value index, Value size) { return minimum(index, subtract(size, constant(1))); };
  if (isUneven(site.q, site.choice.queries))
    query = clamp(query, size(site.q, rowDim));
  if (isUneven(site.k, site.choice.keys))
    key = clamp(key, size(site.k, rowDim));
  auto type = cast<MemRefType>(mask.getType());
  SmallVector<Value> indices{position.batch, position.head, query, key};
  for (unsigned dim = 0; dim < 4; ++dim) {
    if (type.getDimSize(dim) == 1)
      indices[dim] = constant(0);
    if (!type.isDynamicDim(dim))
      continue;
    Value isOne = isEqual(memref::DimOp::create(b, loc, mask, constant(dim)), 1);
    indices[dim] = select(isOne, constant(0), indices[dim]);
  }
  Value loaded = memref::LoadOp::create(b, loc, mask, indices);
  unsigned bits = type.getElementTypeBitWidth();
  if (bits == 1)
    return loaded;
  if (bits < 32)
    return arith::ExtFOp::create(b, loc, b.getF32Type(), loaded);
  return bits > 32 ? Value(arith::TruncFOp::create(b, loc, b.getF32Type(), loaded)) : loaded;
}

AttentionCode::MaskedScore AttentionCode::masked(Value score, const Position &position, Value query,
                                                 Value key) {
  Value isKept;
  for (Value mask : {operands.keyMask, operands.mask}) {
    Value own = mask ? maskAt(mask, position, query, key) : Value();
    if (!own)
      continue;
    if (own.getType().isInteger(1))
      isKept = isKept ? arith::AndIOp::create(b, loc, isKept, own).getResult() : own;
    else
      score = arith::AddFOp::create(b, loc, score, own);
  }
  if (isKept)
    score = arith::SelectOp::create(b, loc, isKept, score, number(operands.fill));
  return {score, isKept};
}

Value AttentionCode::relative(Value index, Value firstColumn) const {
  // Each component as 32 bits: what does not depend on the tile then has one register.
  auto word = [&](Value own) { return arith::IndexCastOp::create(b, loc, b.getI32Type(), own); };
  Value fromThread = word(subtract(index, fragments.columnOf(0)));
  return arith::SubIOp::create(b, loc, fromThread, word(firstColumn));
}

Value AttentionCode::isInside(const Columns &range, int64_t column) const {
  // Comparisons of 32 bits with constants: indices of 64 bits need many registers.
  int64_t offset = fragments.scoreLayout().offsetOf(MatrixDim::Column, column);
  Value own = i32(offset);
  Value inside;
  auto require = [&](arith::CmpIPredicate predicate, Value bound) {
    Value condition = arith::CmpIOp::create(b, loc, predicate, own, bound);
    inside = inside ? Value(arith::AndIOp::create(b, loc, inside, condition)) : condition;
  };
  if (range.begin)
    require(arith::CmpIPredicate::sge, range.begin);
  if (range.end)
    require(arith::CmpIPredicate::slt, range.end);
  return inside;
}

bool AttentionCode::isUneven(const AttentionTensor &tensor, int64_t tileRows) {
  std::optional<int64_t> rows = getConstantIntValue(tensor.sizes[rowDim]);
  return !rows || *rows % tileRows != 0;
}

Value AttentionCode::keysBeforeQueries() const {
  return subtract(size(site.k, rowDim), size(site.q, rowDim));
}

void AttentionCode::storeRow(const AttentionTensor &tensor, Value batch, Value head, Value row,
                             ValueRange values, int64_t padded) {
  storeElements(
      tensor, {batch, head, row}, values, fragments.adjacentOutputs(padded),
      [&](int64_t output) { return fragments.outputOf(output, padded); }, padded != tensor.elements());
}

void AttentionCode::storeElements(const AttentionTensor &tensor, ValueRange row, ValueRange values,
                                  int64_t adjacent, function_ref<Value(int64_t)> indexOf, bool mayExceed) {
  int64_t elements = tensor.elements();
  int64_t width = elements % adjacent == 0 ? adjacent : 1;
  for (int64_t first = 0; first < static_cast<int64_t>(values.size()); first += width) {
    Value element = indexOf(first);
    where(mayExceed ? isBelow(element, constant(elements)) : Value(), [&] {
      auto wideType = VectorType::get({width}, b.getF32Type());
      Value chunk = vector::FromElementsOp::create(
          b, loc, wideType, values.slice(static_cast<size_t>(first), static_cast<size_t>(width)));
      Type stored = cast<MemRefType>(tensor.memory.getType()).getElementType();
      if (!stored.isF32())
        chunk = arith::TruncFOp::create(b, loc, VectorType::get({width}, stored), chunk);
      int64_t bytes = width * stored.getIntOrFloatBitWidth() / 8;
      vector::StoreOp::create(b, loc, chunk, tensor.memory, tensor.indices({row[0], row[1], row[2], element}),
                              /*nontemporal=*/false, llvm::MaybeAlign(static_cast<uint64_t>(bytes)));
    });
  }
}

} // namespace proa
