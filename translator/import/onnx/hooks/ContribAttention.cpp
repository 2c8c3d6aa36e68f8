//! Hooks of the attentions of ONNX Runtime (com.microsoft). Q, K and V are [batch, heads, length, head size].
#include "translator/import/onnx/hooks/ContribAttention.h"

#include "translator/import/onnx/GraphImporter.h"
#include "translator/import/onnx/hooks/Quantization.h"

#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"

#include <cmath>

using namespace mlir;

namespace proa::import {

using pd::DimSize;
using pd::Expression;

namespace contrib {

Expression positions(NodeImporter &node, const DimSize &count, int64_t dim) {
  llvm::SmallVector<int64_t> shape(4 - dim, 1);
  shape[0] = -1;
  return node.tensors().reshape(iota(node.tensors(), count, node.getBuilder().getI64Type()), shape);
}

Expression perExample(NodeImporter &node, Expression x) {
  return node.tensors().reshape(node.tensors().cast(x, node.getBuilder().getI64Type()), {-1, 1, 1, 1});
}

Expression additive(NodeImporter &node, Expression condition, double filter, Type element) {
  pd::TensorBuilder &e = node.tensors();
  return e.select(condition, e.constant(0, element), e.constant(filter, element));
}

namespace {

/// The mask of padding, of one of the forms of the ops, as a condition that broadcasts to [batch, heads,
/// rows, keys].
Expression keptKeys(NodeImporter &node, Expression mask, Expression query, const DimSize &keys) {
  pd::TensorBuilder &e = node.tensors();
  if (mask.rank() == 2)
    mask = e.reshape(mask, {0, 1, 1, -1});
  else if (mask.rank() == 3)
    mask = insertDim(mask, 1);
  if (mask.rank() == 4)
    return mask > 0.0;
  // Lengths, then (for paddings on the left) starts.
  int64_t batch = query.type().getDimSize(0), count = mask.type().getDimSize(0);
  Expression position = positions(node, keys, 3);
  if (count == batch || batch == 1 && count == 1)
    return position < perExample(node, mask);
  if (ShapedType::isDynamic(batch) || ShapedType::isDynamic(count) || count != 2 * batch) {
    node.reportOpen("the mask has " + llvm::Twine(count) + " elements, expected one or two for each example");
    node.stop();
  }
  Expression isBefore = position < perExample(node, slice(mask, 0, 0, batch));
  Expression isAfter = position >= perExample(node, slice(mask, 0, batch, count));
  return node.create<pd::LogicalAndOp>(isBefore, isAfter);
}

/// `filter` for keys after row `first` + i of the query, and with a window for those `window` or more before
/// it; 0 for others.
Expression causalMask(NodeImporter &node, Expression q, Expression k, Expression first, int64_t window,
                      double filter) {
  pd::TensorBuilder &e = node.tensors();
  Expression row = positions(node, DimSize(q, 2), 2) + first, key = positions(node, DimSize(k, 2), 3);
  Expression isKept = key <= row;
  if (window > 0)
    isKept = node.create<pd::LogicalAndOp>(isKept, key > row - static_cast<double>(window));
  return additive(node, isKept, filter, e.computed(q).type().getElementType());
}

/// The number of keys before the queries, as a rank-0 tensor.
Expression pastLength(NodeImporter &node, Expression q, Expression k) {
  pd::TensorBuilder &e = node.tensors();
  return node.wrap(DimSize(k, 2).getValue(e)) - node.wrap(DimSize(q, 2).getValue(e));
}

} // namespace

std::optional<double> givenScale(NodeImporter &node) {
  double scale = node.floatAttribute("scale");
  return scale == 0 ? std::nullopt : std::optional(scale);
}

AttentionForm formOf(NodeImporter &node, Expression q, Expression k, llvm::StringRef mask) {
  AttentionForm form;
  form.scale = givenScale(node);
  double filter = node.floatAttribute("mask_filter_value", -10000);
  Type element = node.tensors().computed(q).type().getElementType();
  if (Value given = node.input(mask))
    form.addends.push_back(
        additive(node, keptKeys(node, node.wrap(given), q, DimSize(k, 2)), filter, element));
  if (Value bias = node.input("attention_bias"))
    form.addends.push_back(bias);
  if (node.boolAttribute("unidirectional"))
    form.addends.push_back(causalMask(node, q, k, pastLength(node, q, k), 0, excluded));
  return form;
}

llvm::SmallVector<Expression> splitBias(Expression bias, llvm::ArrayRef<int64_t> sizes) {
  llvm::SmallVector<Expression> pieces;
  int64_t begin = 0;
  for (int64_t size : sizes) {
    pieces.push_back(slice(bias, bias.rank() - 1, begin, begin + size));
    begin += size;
  }
  return pieces;
}

llvm::SmallVector<int64_t> projectionSizes(NodeImporter &node, int64_t total) {
  if (auto sizes = node.optionalInts("qkv_hidden_sizes"); sizes && sizes->size() == 3)
    return *sizes;
  if (ShapedType::isDynamic(total)) {
    node.reportOpen("input 'weights' has a dynamic dim, expected static ones");
    node.stop();
  }
  return {total / 3, total / 3, total / 3};
}

int64_t requiredHeads(NodeImporter &node, llvm::StringRef name) {
  int64_t heads = node.intAttribute(name);
  if (heads > 0)
    return heads;
  node.report("attribute '" + name + "' is " + llvm::Twine(heads) + ", expected a positive number");
  node.stop();
}

Expression rotatedBy(NodeImporter &node, Expression x, Expression cos, Expression sin, bool isInterleaved) {
  int64_t half = cos.type().getDimSize(3), size = x.type().getDimSize(3);
  if (ShapedType::isDynamic(half) || ShapedType::isDynamic(size)) {
    node.reportOpen("the sizes of a head and of the cache of angles are dynamic, expected static ones");
    node.stop();
  }
  Expression turned = slice(x, 3, 0, 2 * half);
  Expression real = isInterleaved ? slice(turned, 3, 0, 2 * half, 2) : slice(turned, 3, 0, half);
  Expression imaginary = isInterleaved ? slice(turned, 3, 1, 2 * half, 2) : slice(turned, 3, half, 2 * half);
  Expression newReal = real * cos - imaginary * sin, newImaginary = real * sin + imaginary * cos;
  Expression result =
      isInterleaved
          ? reshapeTo(pd::concat({insertDim(newReal, 4), insertDim(newImaginary, 4)}, 4), dimSizesOf(turned))
          : pd::concat({newReal, newImaginary}, 3);
  return 2 * half < size ? pd::concat({result, slice(x, 3, 2 * half, size)}, 3) : result;
}

Expression rotated(NodeImporter &node, Expression x, Expression cos, Expression sin, Expression position,
                   bool isInterleaved) {
  auto at = [&](Expression cache) { // [batch, 1, length, half]
    return insertDim(node.create<pd::GatherOp>(cache, position, Value(), uint64_t(0)), 1);
  };
  return rotatedBy(node, x, at(cos), at(sin), isInterleaved);
}

std::array<Expression, 3> groupedHeads(NodeImporter &node, int64_t heads, int64_t kvHeads) {
  Expression query = node.operand("query");
  if (node.hasInput("key"))
    return {toHeads(query, heads), toHeads(node.operand("key"), kvHeads),
            toHeads(node.operand("value"), kvHeads)};
  Expression all = toHeads(query, heads + 2 * kvHeads);
  return {slice(all, 1, 0, heads), slice(all, 1, heads, heads + kvHeads),
          slice(all, 1, heads + kvHeads, pd::toTheEnd)};
}

} // namespace contrib

namespace onnxhooks {

using namespace contrib;

/// Attention from the input and the weights of the projections.
static void importProjectedAttention(NodeImporter &node, Expression input, Expression weights) {
  int64_t heads = requiredHeads(node, "num_heads");
  for (llvm::StringRef name : {"do_rotary", "past_present_share_buffer"})
    if (node.boolAttribute(name))
      return node.report("attribute '" + name + "' is set, which is not supported");
  node.intAttribute("rotary_embedding_dim");
  Expression projected = node.tensors().matmul(input, weights);
  if (Value bias = node.input("bias"))
    projected = projected + node.wrap(bias);
  llvm::SmallVector<Expression> pieces =
      splitBias(projected, projectionSizes(node, weights.type().getDimSize(1)));
  Expression q = toHeads(pieces[0], heads), k = toHeads(pieces[1], heads), v = toHeads(pieces[2], heads);
  if (Value past = node.input("past")) {
    k = pd::concat({dropDim(slice(node.wrap(past), 0, 0, 1), 0), k}, 2);
    v = pd::concat({dropDim(slice(node.wrap(past), 0, 1, 2), 0), v}, 2);
  }
  if (node.needsOutput("present"))
    node.setOutput("present", pd::concat({insertDim(k, 0), insertDim(v, 0)}, 0));
  node.setOutput("output", fromHeads(attend(node, q, k, v, formOf(node, q, k, "mask_index")).values));
}

void importContribAttention(NodeImporter &node) {
  importProjectedAttention(node, node.operand("input"), node.operand("weights"));
}

void importQAttention(NodeImporter &node) {
  auto floats = [&](llvm::StringRef name) {
    return dequantized(node, node.requiredInput(name), node.requiredInput((name + "_scale").str()),
                       node.input((name + "_zero_point").str()));
  };
  importProjectedAttention(node, floats("input"), floats("weight"));
}

/// Q, K and V of MultiHeadAttention, in one of the forms of its inputs.
static std::array<Expression, 3> headsOf(NodeImporter &node, int64_t heads) {
  pd::TensorBuilder &e = node.tensors();
  Expression query = node.operand("query");
  auto unpacked = [&](Expression packed, int64_t i) { // [batch, length, heads, pieces, size]
    return e.transpose(dropDim(slice(packed, 3, i, i + 1), 3), {0, 2, 1, 3});
  };
  if (query.rank() == 5)
    return {unpacked(query, 0), unpacked(query, 1), unpacked(query, 2)};
  Expression key = node.operand("key");
  if (key.rank() == 5)
    return {toHeads(query, heads), unpacked(key, 0), unpacked(key, 1)};
  Expression value = node.operand("value");
  bool isFromCache = key.rank() == 4;
  if (Value bias = node.input("bias")) {
    int64_t size = query.type().getDimSize(2);
    llvm::SmallVector<Expression> pieces =
        splitBias(node.wrap(bias), {size, size, value.type().getDimSize(value.rank() - 1)});
    query = query + pieces[0];
    if (!isFromCache) {
      key = key + pieces[1];
      value = value + pieces[2];
    }
  }
  if (isFromCache)
    return {toHeads(query, heads), key, value};
  return {toHeads(query, heads), toHeads(key, heads), toHeads(value, heads)};
}

void importMultiHeadAttention(NodeImporter &node) {
  for (llvm::StringRef name : {"past_sequence_length", "cache_indirection"})
    if (node.hasInput(name))
      return node.report("input '" + name +
                         "' is given, which is not supported: caches of the runtime's buffers");
  auto [q, k, v] = headsOf(node, requiredHeads(node, "num_heads"));
  if (Value past = node.input("past_key"))
    k = pd::concat({node.wrap(past), k}, 2);
  if (Value past = node.input("past_value"))
    v = pd::concat({node.wrap(past), v}, 2);
  node.setOutput("present_key", k);
  node.setOutput("present_value", v);
  Attended attended = attend(node, q, k, v, formOf(node, q, k, "key_padding_mask"));
  node.setOutput("output", fromHeads(attended.values));
  node.setOutput("qk", attended.weights);
}

void importContribRotaryEmbedding(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("input"), cos = node.operand("cos_cache"), sin = node.operand("sin_cache");
  node.boolAttribute("is_packed_batching");
  if (double scale = node.floatAttribute("scale", 1); scale != 1)
    return node.report("attribute 'scale' is " + std::to_string(scale) + ", expected 1");
  int64_t heads = node.intAttribute("num_heads"), rotary = node.intAttribute("rotary_embedding_dim");
  bool isFlat = x.rank() == 3;
  if (isFlat && heads == 0) { // all dimensions of a head are rotated
    int64_t half = cos.type().getDimSize(1), hidden = x.type().getDimSize(2);
    if (rotary > 0 || ShapedType::isDynamic(half) || ShapedType::isDynamic(hidden))
      return node.reportOpen("attribute 'num_heads' is missing");
    heads = hidden / (2 * half);
  }
  Expression split = isFlat ? toHeads(x, heads) : x;
  Expression position = e.cast(node.operand("position_ids"), node.getBuilder().getI64Type());
  if (position.rank() == 1) // the position of the first token
    position = e.reshape(iota(e, DimSize(split, 2), node.getBuilder().getI64Type()), {1, -1}) +
               e.reshape(position, {1, 1});
  Expression result = rotated(node, split, cos, sin, position, node.boolAttribute("interleaved"));
  node.setOutput("output", isFlat ? fromHeads(result) : result);
}

/// The bias of T5: a row of the table for each range of distances between query and key. The elements of the
/// table [ranges, heads] are stored by columns.
void importRelativePositionBias(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Type i64 = node.getBuilder().getI64Type(), f32 = node.getBuilder().getF32Type();
  Expression table = node.operand("bias_table");
  int64_t count = table.type().getDimSize(0), most = node.intAttribute("max_distance");
  bool isBidirectional = node.boolAttribute("is_bidirectional");
  if (table.rank() != 2 || !table.type().hasStaticShape() || count < 4 || most <= count / 2)
    return node.reportOpen("the table has type " + llvm::Twine(table.rank() == 2 ? "[ranges, heads]" : "") +
                           ", expected static dims, four ranges or more, and a larger 'max_distance'");
  auto positionsTo = [&](llvm::StringRef name) {
    return iota(e, DimSize::element(e.reshape(e.cast(node.operand(name), i64), {1}), 0), i64);
  };
  Expression distance = insertDim(positionsTo("key_length"), 0) - insertDim(positionsTo("query_length"), 1);
  Expression start = e.constant(0, i64);
  if (isBidirectional) {
    count /= 2;
    start = e.cast(distance > 0.0, i64) * static_cast<double>(count);
    distance = e.abs(distance);
  } else {
    distance = e.maximum(-distance, 0.0);
  }
  // Small distances have a range each, larger ones are divided by their logarithm.
  double small = static_cast<double>(count / 2);
  Expression ratio =
      e.log(e.maximum(e.cast(distance, f32), 1.0) / small) / std::log(static_cast<double>(most) / small);
  Expression large = e.minimum(e.cast(ratio * (static_cast<double>(count) - small), i64) + small,
                               static_cast<double>(count - 1));
  Expression range = start + e.select(distance < small, distance, large);
  Expression byHead = e.reshape(table, {table.type().getDimSize(1), table.type().getDimSize(0)});
  node.setOutput("output", insertDim(node.create<pd::GatherOp>(byHead, range, Value(), uint64_t(1)), 0));
}

//===-- GroupQueryAttention -----------------------------------------------------------------------------===//

namespace {

/// The cache after this step: `past` up to `count` of each example, then `added`.
Expression appended(NodeImporter &node, Expression past, Expression added, Expression count,
                    const DimSize &length) {
  pd::TensorBuilder &e = node.tensors();
  Expression capacity = node.wrap(DimSize(past, 2).getValue(e)), all = pd::concat({past, added}, 2);
  Expression index = positions(node, length, 2);
  Expression source = e.select(index < count, index, index - count + capacity);
  Expression last = node.wrap(DimSize(all, 2).getValue(e)) - 1.0;
  source = e.minimum(source, last); // places after the end are unspecified
  llvm::SmallVector<DimSize> shape = dimSizesOf(all);
  source = expandTo(source, {shape[0], shape[1], length, shape[3]});
  return node.create<pd::TakeAlongAxisOp>(all, source, 2);
}

void refuseUnsupported(NodeImporter &node) {
  for (llvm::StringRef name : {"k_scale", "v_scale", "query_seqlens"})
    if (node.hasInput(name))
      node.report("input '" + name + "' is given, which is not supported");
  for (llvm::StringRef name : {"k_quant_type", "v_quant_type"})
    if (std::string type = node.stringAttribute(name, "NONE"); type != "NONE")
      node.report("attribute '" + name + "' is '" + type + "', expected NONE");
  if (node.intAttribute("sliding_window_cache") != 0)
    node.report("attribute 'sliding_window_cache' is set, which is not supported");
  node.intAttribute("kv_cache_bit_width");
  if (node.getGraph().hasReported())
    node.stop();
}

/// x [batch, heads, length, size], each head divided by its root mean square, times the weight
/// `NAME_norm_weight`.
Expression normalizedHeads(NodeImporter &node, Expression x, llvm::StringRef name) {
  double shared = node.floatAttribute("qk_norm_epsilon", 1e-6);
  double epsilon = node.floatAttribute((name + "_norm_epsilon").str(), shared);
  std::string weight = (name + "_norm_weight").str();
  if (!node.hasInput(weight))
    return x;
  pd::TensorBuilder &e = node.tensors();
  Expression wide = e.computed(x), factor = e.rsqrt(e.mean(wide * wide, {3}) + epsilon);
  return e.cast(wide * factor * e.computed(node.operand(weight)), x.type().getElementType());
}

} // namespace

void importGroupQueryAttention(NodeImporter &node) {
  refuseUnsupported(node);
  pd::TensorBuilder &e = node.tensors();
  Type i64 = node.getBuilder().getI64Type();
  int64_t heads = requiredHeads(node, "num_heads"), kvHeads = requiredHeads(node, "kv_num_heads");
  auto [q, k, v] = groupedHeads(node, heads, kvHeads);
  q = normalizedHeads(node, q, "q");
  k = normalizedHeads(node, k, "k");
  // The number of tokens of each example before this step.
  Expression total = perExample(node, node.operand("seqlens_k")) + 1.0;
  Expression count = e.maximum(total - node.wrap(DimSize(q, 2).getValue(e)), e.constant(0, i64));
  if (node.boolAttribute("do_rotary")) {
    Expression position = node.hasInput("position_ids")
                              ? node.operand("position_ids")
                              : dropDim(dropDim(positions(node, DimSize(q, 2), 2) + count, 3), 1);
    Expression cos = node.operand("cos_cache"), sin = node.operand("sin_cache");
    bool isInterleaved = node.boolAttribute("rotary_interleaved");
    q = rotated(node, q, cos, sin, position, isInterleaved);
    k = rotated(node, k, cos, sin, position, isInterleaved);
  }
  node.boolAttribute("rotary_interleaved");
  for (llvm::StringRef name : {"position_ids", "cos_cache", "sin_cache"})
    node.hasInput(name);
  Expression steps = e.reshape(e.cast(node.operand("total_sequence_length"), i64), {1});
  if (node.hasInput("past_key")) {
    Expression past = node.operand("past_key");
    DimSize length = maximum(e, DimSize(past, 2), DimSize::element(steps, 0));
    k = appended(node, past, k, count, length);
    v = appended(node, node.operand("past_value"), v, count, length);
  }
  node.setOutput("present_key", k);
  node.setOutput("present_value", v);
  AttentionForm form;
  form.scale = givenScale(node);
  form.softcap = node.floatAttribute("softcap");
  int64_t window = node.intAttribute("local_window_size", -1);
  double filter = excluded;
  if (node.intAttribute("causal", 1) != 0)
    form.addends.push_back(causalMask(node, q, k, count, window, filter));
  else
    form.addends.push_back(additive(node, positions(node, DimSize(k, 2), 3) < total, filter,
                                    e.computed(q).type().getElementType()));
  if (Value bias = node.input("attention_bias"))
    form.addends.push_back(bias);
  form.sink = node.input("head_sink");
  if (!form.sink && node.intAttribute("smooth_softmax", -1) == 1)
    form.sink = node.numbers(llvm::SmallVector<double>(heads, 0), q.type().getElementType());
  Attended attended = attend(node, q, k, v, form);
  node.setOutput("output", fromHeads(attended.values));
  if (int64_t kind = node.intAttribute("qk_output"); kind != 0)
    node.setOutput("output_qk", kind == 1 ? attended.biased : attended.weights);
}

} // namespace onnxhooks
} // namespace proa::import
