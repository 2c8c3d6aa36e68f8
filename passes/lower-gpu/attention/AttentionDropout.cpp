#include "passes/lower-gpu/attention/AttentionDropout.h"

#include "dialects/rt/Philox.h"
#include "passes/lower-gpu/LaunchForm.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <cmath>

using namespace mlir;

namespace proa {

Value AttentionDropout::word(uint64_t value) const {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(b.getI32Type(), APInt(32, value)));
}

Value AttentionDropout::asWord(Value index) const {
  return b.createOrFold<arith::IndexCastOp>(loc, b.getI32Type(), index);
}

std::array<Value, 4> AttentionDropout::wordsOf(Value block) const {
  return rt::philox(b, loc, key, call, arith::IndexCastOp::create(b, loc, b.getI64Type(), block));
}

/// The upper 24 bits over 2^24 are the number in [0, 1); p is rounded to float32.
Value AttentionDropout::isWordKept(Value random) const {
  double least = std::ceil(std::ldexp(static_cast<double>(static_cast<float>(dropout.p)), 24));
  if (least >= 0x1p24)
    return arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, random,
                               word(static_cast<uint64_t>(least) << 8));
}

Value AttentionDropout::keep(Value isKept, Value value) const {
  Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(value.getType(), 0));
  return arith::SelectOp::create(b, loc, isKept, value, zero);
}

Value AttentionDropout::inWhole(Value index, int64_t dim) const {
  if (!dropout.begin)
    return index;
  Value begin = memref::LoadOp::create(b, loc, dropout.begin, constant(dim));
  return add(index, b.createOrFold<arith::IndexCastOp>(loc, b.getIndexType(), begin));
}

AttentionDropout::Values AttentionDropout::kept(Value batch, Value head, ValueRange queries,
                                                ValueRange keys) {
  // Not kept in registers over the loop, with what follows from them.
  key = memref::LoadOp::create(b, loc, dropout.call, constant(0));
  call = memref::LoadOp::create(b, loc, dropout.call, constant(1));
  auto size = [&](OpFoldResult own, int64_t whole) { return dropout.begin ? constant(whole) : toValue(own); };
  Value heads = add(multiply(inWhole(batch, 0), size(sizes.heads, dropout.wholeHeads)), inWhole(head, 1));
  Value firstQuery = multiply(heads, size(sizes.queries, dropout.wholeQueries));
  Values values;
  for (Value query : queries)
    values.push_back(add(firstQuery, inWhole(query, 2)));
  SmallVector<Score> own;
  for (size_t row = 0; row < static_cast<size_t>(rows); ++row)
    for (size_t column = 0; column < static_cast<size_t>(columns); ++column)
      own.push_back({values[isByKeys ? column : row], keys[isByKeys ? row : column]});
  std::optional<int64_t> count = getConstantIntValue(sizes.keys);
  return count && *count % wordsOfBlock == 0 ? inBlocks(own) : eachAlone(own);
}

/// Four keys of a query are in one block.
AttentionDropout::Values AttentionDropout::inBlocks(ArrayRef<Score> own) const {
  int64_t keys = *getConstantIntValue(sizes.keys), count = lanes.count, step = scoreStep();
  Value rank = remainder(divide(thread, lanes.stride), count);
  // The first scores of the blocks of these lanes; lane `rank` computes every `lanes`-th block.
  SmallVector<int64_t> firsts;
  SmallVector<std::pair<int64_t, int64_t>> positions(own.size()); ///< block and word, by score
  for (int64_t i = 0; i < static_cast<int64_t>(own.size()); ++i) {
    int64_t position = i / step % wordsOfLane();
    if (position == 0)
      firsts.push_back(i);
    int64_t first = i - position * step;
    positions[static_cast<size_t>(i)] = {llvm::find(firsts, first) - firsts.begin(), position};
  }
  constexpr int64_t blocksOfBits = 32 / wordsOfBlock;
  Values bits;
  for (int64_t turn = 0; turn < static_cast<int64_t>(firsts.size()) / count; ++turn) {
    Value block;
    for (int64_t lane = 0; lane < count; ++lane) {
      const Score &first = own[static_cast<size_t>(firsts[static_cast<size_t>(turn * count + lane)])];
      Value value = add(multiply(first.query, keys / wordsOfBlock), divide(first.key, wordsOfBlock));
      block = block ? select(isEqual(rank, lane), value, block) : value;
    }
    if (turn % blocksOfBits == 0)
      bits.push_back(word(0));
    for (auto [i, random] : llvm::enumerate(wordsOf(block))) {
      Value bit = word(uint64_t(1) << (static_cast<uint64_t>(turn % blocksOfBits * wordsOfBlock) + i));
      Value set = arith::SelectOp::create(b, loc, isWordKept(random), bit, word(0));
      bits.back() = arith::OrIOp::create(b, loc, bits.back(), set);
    }
  }
  SmallVector<Values> all = exchange(bits, rank);
  Values kept;
  for (auto [block, position] : positions) {
    int64_t turn = block / count;
    Value from = all[static_cast<size_t>(block % count)][static_cast<size_t>(turn / blocksOfBits)];
    Value bit = word(uint64_t(1) << static_cast<uint64_t>(turn % blocksOfBits * wordsOfBlock + position));
    bit = arith::AndIOp::create(b, loc, from, bit);
    kept.push_back(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit, word(0)));
  }
  return kept;
}

/// The words of this lane in each block are shifted to the lowest bits.
SmallVector<AttentionDropout::Values> AttentionDropout::exchange(ValueRange bits, Value rank) const {
  if (lanes.count == 1)
    return {Values(bits)};
  int64_t stride = lanes.stride;
  Value lane = remainder(thread, warpSize);
  Value first = subtract(lane, multiply(rank, stride));
  Value shift = asWord(multiply(rank, wordsOfLane()));
  SmallVector<Values> all;
  for (int64_t other = 0; other < lanes.count; ++other) {
    Value source = asWord(add(first, other * stride));
    all.emplace_back();
    for (Value own : bits) {
      Value received = gpu::ShuffleOp::create(b, loc, own, source, word(warpSize), gpu::ShuffleMode::IDX)
                           .getShuffleResult();
      all.back().push_back(arith::ShRUIOp::create(b, loc, received, shift));
    }
  }
  return all;
}

/// A row of scores does not begin with a block: each lane computes the blocks of its scores.
AttentionDropout::Values AttentionDropout::eachAlone(ArrayRef<Score> own) const {
  Value keys = toValue(sizes.keys);
  Values kept;
  for (const Score &score : own) {
    Value value = add(multiply(score.query, keys), score.key), position = remainder(value, wordsOfBlock);
    std::array<Value, 4> words = wordsOf(divide(value, wordsOfBlock));
    Value picked = words[0];
    for (int64_t i = 1; i < wordsOfBlock; ++i)
      picked = select(isEqual(position, i), words[static_cast<size_t>(i)], picked);
    kept.push_back(isWordKept(picked));
  }
  return kept;
}

} // namespace proa
