//! Hooks of ONNX Runtime's attentions with caches of a fixed size, and of ops of decoders (com.microsoft).
#include "translator/import/onnx/GraphImporter.h"
#include "translator/import/onnx/hooks/ContribAttention.h"

#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/Logic.h"
#include "dialects/pd/ops/sequence/Rows.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

#include <limits>

using namespace mlir;

namespace proa::import::onnxhooks {

using namespace contrib;
using pd::DimSize;
using pd::Expression;

namespace {

/// The cache [batch, heads, capacity, size] with `added` at the positions from `count` [batch, 1, 1, 1] on.
Expression written(NodeImporter &node, Expression past, Expression added, Expression count) {
  pd::TensorBuilder &e = node.tensors();
  Expression position = positions(node, DimSize(past, 2), 2) - count;
  Expression length = e.wrap(DimSize(added, 2).getValue(e));
  Expression isNew = both(position >= 0.0, position < length);
  Expression source = e.minimum(e.maximum(position, 0.0), length - 1.0);
  llvm::SmallVector<DimSize> shape = dimSizesOf(past);
  shape[0] = DimSize(added, 0);
  Expression fresh = node.create<pd::TakeAlongAxisOp>(added, expandTo(source, shape), 2);
  return e.select(isNew, fresh, past);
}

/// The rows of a cache by beams: row t of beam j is row t of beam indirection[batch, j, t]; the last row
/// is its own.
Expression ofBeams(NodeImporter &node, Expression cache, Expression indirection) {
  pd::TensorBuilder &e = node.tensors();
  llvm::SmallVector<DimSize> dims = dimSizesOf(cache);
  DimSize batch(indirection, 0), beams(indirection, 1);
  Type i64 = node.getBuilder().getI64Type();
  Expression index = sliceBetween(pd::asInts(indirection), 2, DimSize(0), dims[2]);
  Expression isLast = iota(e, dims[2], i64) == e.wrap(dims[2].getValue(e)) - 1.0;
  index = e.select(isLast, e.reshape(iota(e, beams, i64), {1, -1, 1}), index);
  index = expandTo(insertDim(insertDim(index, 2), 4), {batch, beams, dims[1], dims[2], dims[3]});
  Expression split = reshapeTo(cache, {batch, beams, dims[1], dims[2], dims[3]});
  return reshapeTo(node.create<pd::TakeAlongAxisOp>(split, index, 1), dims);
}

/// Q, K and V of DecoderMaskedMultiHeadAttention, one token each, without keys and values of a cross
/// attention.
llvm::SmallVector<Expression> tokenPieces(NodeImporter &node, Expression query) {
  llvm::SmallVector<Expression> pieces{query};
  if (!node.hasInput("key")) {
    int64_t size = query.type().getDimSize(2) / 3;
    pieces = splitBias(query, {size, size, size});
  } else if (Expression key = node.operand("key"); key.rank() == 3) {
    pieces.append({key, node.operand("value")});
  }
  if (Value bias = node.input("bias")) {
    int64_t size = pieces[0].type().getDimSize(2);
    auto sizeOfValues = pieces.size() > 2 ? pieces[2].type().getDimSize(2) : size;
    for (auto [piece, addend] : llvm::zip(pieces, splitBias(node.wrap(bias), {size, size, sizeOfValues})))
      piece = piece + addend;
  }
  return pieces;
}

} // namespace

void importDecoderMaskedAttention(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  int64_t heads = requiredHeads(node, "num_heads");
  bool sharesBuffer = node.boolAttribute("past_present_share_buffer");
  node.boolAttribute("output_qk");
  node.hasInput("beam_width"); // a dim of cache_indirection
  llvm::SmallVector<Expression> pieces = tokenPieces(node, node.operand("query"));
  Expression q = toHeads(pieces[0], heads), k = q, v = q;
  Value count = node.input("past_sequence_length");
  if (pieces.size() == 1) { // keys of an encoder
    k = node.operand("key");
    v = node.operand("value");
  } else {
    k = toHeads(pieces[1], heads);
    v = toHeads(pieces[2], heads);
    if (sharesBuffer) {
      if (!count)
        return node.report("has no input 'past_sequence_length', which a shared buffer needs");
      Expression before = e.reshape(pd::asInts(node.wrap(count)), {1, 1, 1, 1});
      k = written(node, node.operand("past_key"), k, before);
      v = written(node, node.operand("past_value"), v, before);
    } else if (node.hasInput("past_key")) {
      k = pd::concat({node.operand("past_key"), k}, 2);
      v = pd::concat({node.operand("past_value"), v}, 2);
    }
    node.setOutput("present_key", k);
    node.setOutput("present_value", v);
    if (sharesBuffer) {
      DimSize total = pd::dimSizeOf(e.reshape(pd::asInts(node.wrap(count)), {}) + 1.0);
      k = sliceBetween(k, 2, DimSize(0), total);
      v = sliceBetween(v, 2, DimSize(0), total);
    }
    if (Value indirection = node.input("cache_indirection")) {
      k = ofBeams(node, k, node.wrap(indirection));
      v = ofBeams(node, v, node.wrap(indirection));
    }
  }
  Attended attended = attend(node, q, k, v, formOf(node, q, k, "mask_index"));
  node.setOutput("output", fromHeads(attended.values));
  node.setOutput("qk", attended.products);
}

//===-- SparseAttention ---------------------------------------------------------------------------------===//

namespace {

/// Whether block [row, column] of each layout counts, from lists of columns of each row: [layouts, rows,
/// columns].
Expression denseBlocks(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Type i64 = node.getBuilder().getI64Type(), f32 = node.getBuilder().getF32Type();
  Expression ends = pd::asInts(node.operand("block_row_indices"));
  Expression columns = pd::asInts(node.operand("block_col_indices"));
  Expression first = insertDim(slice(ends, 1, 0, -1), 2), end = insertDim(slice(ends, 1, 1, pd::toTheEnd), 2);
  Expression entry = e.reshape(iota(e, DimSize(columns, 1), i64), {1, 1, -1});
  Expression column = e.reshape(iota(e, DimSize(first, 1), i64), {1, 1, -1});
  Expression isOfRow = e.cast(both(entry >= first, entry < end), f32);  // [layouts, rows, entries]
  Expression isOfColumn = e.cast(insertDim(columns, 2) == column, f32); // [layouts, entries, columns]
  return e.matmul(isOfRow, isOfColumn) > 0.0;
}

/// Whether each query [batch, 1, length, 1] at `row` counts each key: [batch, heads, length, keys].
Expression blockMask(NodeImporter &node, Expression row, const DimSize &keys, int64_t heads, int64_t block) {
  pd::TensorBuilder &e = node.tensors();
  Type i64 = node.getBuilder().getI64Type();
  Expression blocks = denseBlocks(node), size = e.constant(static_cast<double>(block), i64);
  int64_t layouts = blocks.type().getDimSize(0);
  if (ShapedType::isDynamic(layouts) || layouts < 1) {
    node.reportOpen("the number of layouts is dynamic or 0, expected a static one");
    node.stop();
  }
  auto blockOf = [&](Expression position) { return node.create<pd::FloorDivideOp>(position, size); };
  auto at = [&](Expression x, Expression index, uint64_t axis) {
    return node.create<pd::GatherOp>(x, index, Value(), axis);
  };
  Expression ofRows =
      at(blocks, dropDim(dropDim(blockOf(row), 3), 1), 1); // [layouts, batch, length, columns]
  Expression ofKeys = at(ofRows, blockOf(iota(e, keys, i64)), 3);
  llvm::SmallVector<int64_t> layoutOfHead;
  for (int64_t head = 0; head < heads; ++head)
    layoutOfHead.push_back(head % layouts);
  return at(e.transpose(ofKeys, {1, 0, 2, 3}), node.integers(layoutOfHead), 1);
}

} // namespace

void importSparseAttention(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  int64_t heads = requiredHeads(node, "num_heads"), kvHeads = requiredHeads(node, "kv_num_heads");
  int64_t block = requiredHeads(node, "sparse_block_size");
  auto [q, k, v] = groupedHeads(node, heads, kvHeads);
  node.hasInput("total_sequence_length"); // the largest length of all examples
  Expression lengths = perExample(node, node.operand("key_total_sequence_lengths"));
  Expression count = e.maximum(lengths - e.wrap(DimSize(q, 2).getValue(e)), 0.0);
  Expression row = positions(node, DimSize(q, 2), 2) + count;
  bool isInterleaved = node.boolAttribute("rotary_interleaved");
  if (node.boolAttribute("do_rotary")) {
    Expression position = dropDim(dropDim(row, 3), 1);
    q = rotated(node, q, node.operand("cos_cache"), node.operand("sin_cache"), position, isInterleaved);
    k = rotated(node, k, node.operand("cos_cache"), node.operand("sin_cache"), position, isInterleaved);
  }
  k = written(node, node.operand("past_key"), k, count);
  v = written(node, node.operand("past_value"), v, count);
  node.setOutput("present_key", k);
  node.setOutput("present_value", v);
  AttentionForm form;
  form.scale = givenScale(node);
  DimSize keys(k, 2);
  Expression isKept = both(positions(node, keys, 3) <= row, blockMask(node, row, keys, heads, block));
  form.addends.push_back(additive(node, isKept, excluded, e.computed(q).type().getElementType()));
  node.setOutput("output", fromHeads(attend(node, q, k, v, form).values));
}

/// Rotary embeddings of images and texts: each angle belongs to one of three positions of a token.
void importMRotaryEmbedding(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("input"), cos = node.operand("cos_cache"), sin = node.operand("sin_cache");
  Expression position = pd::asInts(node.operand("position_ids")); // [3, batch, length]
  llvm::SmallVector<int64_t> sections = node.intsAttribute("mrope_section");
  int64_t half = cos.type().getDimSize(1), heads = node.intAttribute("num_heads");
  node.intAttribute("rotary_embedding_dim");
  node.boolAttribute("is_packed_batching");
  if (sections.size() != 3 || ShapedType::isDynamic(half) || (x.rank() == 3 && heads < 1))
    return node.report("has no 'num_heads', three entries of 'mrope_section' or static caches, expected all");
  if (double scale = node.floatAttribute("scale", 1); scale != 1)
    return node.report("attribute 'scale' is " + std::to_string(scale) + ", expected 1");
  llvm::SmallVector<double> isOfStream(static_cast<size_t>(3 * half), 0);
  bool isMixed = node.intAttribute("mrope_layout") == 1;
  for (int64_t i = 0; i < half; ++i) {
    int64_t stream = i < sections[0] ? 0 : i < sections[0] + sections[1] ? 1 : 2;
    if (isMixed)
      stream = i < 3 * sections[i % 3] ? i % 3 : 0;
    isOfStream[static_cast<size_t>(stream * half + i)] = 1;
  }
  Type type = cos.type().getElementType();
  Expression share = e.reshape(node.numbers(isOfStream, type), {3, 1, 1, half});
  auto at = [&](Expression cache) { // [batch, 1, length, half]
    Expression all = node.create<pd::GatherOp>(cache, position, Value(), uint64_t(0));
    return insertDim(e.sum(all * share, {0}, /*keepdim=*/false), 1);
  };
  Expression split = x.rank() == 3 ? toHeads(x, heads) : x;
  Expression result = rotatedBy(node, split, at(cos), at(sin), node.boolAttribute("interleaved"));
  node.setOutput("output", x.rank() == 3 ? fromHeads(result) : result);
}

/// Scores without the tokens that would repeat an n-gram of the ids.
void importNGramRepeatBlock(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Type i64 = node.getBuilder().getI64Type();
  Expression ids = pd::asInts(node.operand("input_ids")), scores = node.operand("scores");
  int64_t size = requiredHeads(node, "ngram_size"), length = ids.type().getDimSize(1);
  if (ShapedType::isDynamic(length))
    return node.reportOpen("the number of ids is dynamic, expected a static one");
  if (length < size)
    return node.setOutput("scores_out", scores);
  // Whether the n-gram at each position begins as the next one does, [batch, positions].
  std::optional<Expression> isRepeated;
  for (int64_t i = 0; i + 1 < size; ++i) {
    Expression isSame = slice(ids, 1, i, length - size + i + 1) ==
                        slice(ids, 1, length - size + i + 1, length - size + i + 2);
    isRepeated = isRepeated ? both(*isRepeated, isSame) : isSame;
  }
  Expression last = insertDim(slice(ids, 1, size - 1, length), 2);
  Expression isBlocked = last == e.reshape(iota(e, DimSize(scores, 1), i64), {1, 1, -1});
  if (isRepeated)
    isBlocked = both(isBlocked, insertDim(*isRepeated, 2));
  Expression isAny = e.max(e.cast(isBlocked, node.getBuilder().getF32Type()), {1}, /*keepdim=*/false) > 0.0;
  node.setOutput("scores_out", e.select(isAny, -std::numeric_limits<double>::infinity(), scores));
}

} // namespace proa::import::onnxhooks
