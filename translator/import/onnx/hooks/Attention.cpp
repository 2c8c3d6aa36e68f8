//! Hooks of ONNX's attention and rotary embedding.
//!
//! Attention becomes products and a softmax, which pd-form-fused-attention and pd-form-attention replace.
#include "translator/import/onnx/GraphImporter.h"

#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/nn/SoftmaxOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

#include <cmath>

using namespace mlir;

namespace proa::import::onnxhooks {

using pd::DimSize;
using pd::Expression;

namespace {

/// x [batch, sequence, heads * size] as [batch, heads, sequence, size].
Expression splitHeads(NodeImporter &node, Expression x, int64_t heads) {
  return node.tensors().transpose(node.tensors().reshape(x, {0, 0, heads, -1}), {0, 2, 1, 3});
}

class AttentionNode {
public:
  explicit AttentionNode(NodeImporter &node)
      : node(node), e(node.tensors()), q(node.operand("Q")), k(node.operand("K")), v(node.operand("V")),
        type(q.type().getElementType()), isFlat(q.rank() == 3) {}

  void run() {
    readOperands();
    Expression scores = softcapped(product());
    std::optional<Expression> added = bias();
    Expression biased = added ? scores + *added : scores;
    setScores(1, scores);
    setScores(2, biased);
    Type precision = node.typeAttribute("softmax_precision");
    Expression soft = precision ? e.cast(biased, precision) : biased;
    soft = e.cast(node.create<pd::SoftmaxOp>(soft), type);
    // Without keys to attend to, a row is zero. The product is linear, so that its rows can be replaced
    // instead.
    std::optional<Expression> isEmpty;
    if (added && mayBeEmpty)
      isEmpty = e.equal(e.max(*added, {added->rank() - 1}), -INFINITY);
    if (node.needsOutput("qk_matmul_output"))
      setScores(3, isEmpty ? e.select(*isEmpty, 0.0, soft) : soft);
    Expression out = e.matmul(soft, repeated(v));
    if (isEmpty)
      out = e.select(*isEmpty, 0.0, out);
    if (isFlat)
      out = e.reshape(e.transpose(out, {0, 2, 1, 3}), {0, 0, -1});
    node.setOutput("Y", out);
  }

private:
  void readOperands() {
    heads = node.intAttribute("q_num_heads");
    keyHeads = node.intAttribute("kv_num_heads");
    if (isFlat) {
      if (heads <= 0 || keyHeads <= 0) {
        node.report(
            "attributes 'q_num_heads' and 'kv_num_heads' are missing, expected both for inputs of rank 3");
        node.stop();
      }
      q = splitHeads(node, q, heads);
      k = splitHeads(node, k, keyHeads);
      v = splitHeads(node, v, keyHeads);
    } else {
      heads = q.type().getDimSize(1);
      keyHeads = k.type().getDimSize(1);
    }
    if (heads != keyHeads && (ShapedType::isDynamic(heads) || ShapedType::isDynamic(keyHeads) ||
                              keyHeads == 0 || heads % keyHeads != 0)) {
      node.reportOpen("the numbers of heads of Q and K are dynamic or do not divide, expected static ones");
      node.stop();
    }
    Value pastKey = node.input("past_key"), pastValue = node.input("past_value");
    if (pastKey && pastValue) {
      past = DimSize(node.wrap(pastKey), 2);
      k = pd::concat({node.wrap(pastKey), k}, 2);
      v = pd::concat({node.wrap(pastValue), v}, 2);
    }
    node.setOutput("present_key", k);
    node.setOutput("present_value", v);
    lengths = node.input("nonpad_kv_seqlen");
    mode = node.intAttribute("qk_matmul_output_mode");
  }

  /// Each head of keys or values for all of its queries.
  Expression repeated(Expression x) {
    if (heads == keyHeads)
      return x;
    DimSize batch(x, 0), length(x, 2), size(x, 3);
    Expression all =
        expandTo(insertDim(x, 2), {batch, DimSize(keyHeads), DimSize(heads / keyHeads), length, size});
    return reshapeTo(all, {batch, DimSize(heads), length, size});
  }

  Expression product() {
    double scale = node.floatAttribute("scale", 0);
    Expression keys = repeated(k);
    std::optional<Expression> factor;
    if (node.hasAttribute("scale")) {
      factor = node.scalar(scale, type);
    } else {
      DimSize size(q, 3);
      factor = size.isKnown() ? node.scalar(1 / std::sqrt(static_cast<double>(size.getNumber())), type)
                              : e.rsqrt(e.cast(e.wrap(size.getValue(e)), type));
    }
    // In 16 bits the product of unscaled numbers could overflow.
    bool isShort = type.getIntOrFloatBitWidth() < 32;
    Expression root = isShort ? e.sqrt(*factor) : *factor;
    Expression out =
        isShort ? e.matmul(q * root, keys * root, false, true) : e.matmul(q, keys, false, true) * root;
    setScores(0, out);
    return out;
  }

  Expression softcapped(Expression scores) {
    double cap = node.floatAttribute("softcap");
    return cap > 0 ? e.tanh(scores / cap) * cap : scores;
  }

  void setScores(int64_t ofMode, Expression scores) {
    if (mode == ofMode)
      node.setOutput("qk_matmul_output", e.cast(scores, type));
  }

  Expression minusInfinityWhere(Expression isExcluded) {
    return e.select(isExcluded, -INFINITY, node.scalar(0, type));
  }

  /// The addend of the scores; nothing if all keys count.
  std::optional<Expression> bias() {
    std::optional<Expression> sum;
    auto add = [&](Expression part) { sum = sum ? *sum + part : part; };
    if (Value mask = node.input("attn_mask")) {
      mayBeEmpty = true;
      add(maskBias(node.wrap(mask)));
    }
    Expression positions = queryPositions(), keys = iota(e, DimSize(k, 2), node.getBuilder().getI64Type());
    Expression distance = positions - keys;
    if (node.boolAttribute("is_causal"))
      add(minusInfinityWhere(distance < 0));
    int64_t left = node.intAttribute("left_window_size", -1),
            right = node.intAttribute("right_window_size", -1);
    if (left >= 0)
      add(minusInfinityWhere(distance > static_cast<double>(left)));
    if (right >= 0)
      add(minusInfinityWhere(distance < -static_cast<double>(right)));
    mayBeEmpty |= lengths || left >= 0 || right >= 0;
    if (lengths)
      add(minusInfinityWhere(keys >= lengthColumn()));
    return sum;
  }

  /// The valid lengths of keys as [batch, 1, 1, 1].
  Expression lengthColumn() {
    return e.reshape(e.cast(node.wrap(lengths), node.getBuilder().getI64Type()), {-1, 1, 1, 1});
  }

  /// The positions of the queries among the keys, as a column.
  Expression queryPositions() {
    Type i64 = node.getBuilder().getI64Type();
    DimSize queries(q, 2);
    Expression column = e.reshape(iota(e, queries, i64), {-1, 1});
    if (past)
      return column + e.wrap(past->getValue(e));
    return lengths ? column + (lengthColumn() - e.wrap(queries.getValue(e))) : column;
  }

  /// A mask as an addend, with minus infinity for keys after its end.
  Expression maskBias(Expression mask) {
    if (mask.type().getElementType().isInteger(1))
      mask = e.select(mask, node.scalar(0, type), -INFINITY);
    else
      mask = e.cast(mask, type);
    int64_t last = mask.rank() - 1;
    DimSize given(mask, last), keys(k, 2);
    if (given.isKnown() && keys.isKnown() ? given.getNumber() == keys.getNumber() : !given.isKnown())
      return mask;
    llvm::SmallVector<DimSize> rest = dimSizesOf(mask);
    rest.back() = given.isKnown() && keys.isKnown() ? DimSize(keys.getNumber() - given.getNumber())
                                                    : sum(e, keys, DimSize(-given.getNumber()));
    return pd::concat({mask, expandTo(node.scalar(-INFINITY, type), rest)}, last);
  }

  NodeImporter &node;
  pd::TensorBuilder &e;
  Expression q, k, v;
  Type type;
  bool isFlat;
  int64_t heads = 0, keyHeads = 0, mode = 0;
  std::optional<DimSize> past;
  Value lengths;
  bool mayBeEmpty = false; ///< whether a query may have no key
};

} // namespace

void importAttention(NodeImporter &node) { AttentionNode(node).run(); }

/// Cosines or sines [batch or 1, sequence, 1, size / 2] of the positions.
static Expression rotaryCache(NodeImporter &node, llvm::StringRef name) {
  Expression cache = node.operand(name);
  if (Value positions = node.input("position_ids"))
    cache = node.create<pd::GatherOp>(cache, positions, Value(), 0);
  return insertDim(cache, 2);
}

void importRotaryEmbedding(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("X");
  bool isFlat = x.rank() == 3, isInterleaved = node.boolAttribute("interleaved");
  int64_t heads = node.intAttribute("num_heads");
  // [batch, sequence, heads, size]
  Expression in = isFlat ? e.reshape(x, {0, 0, heads, -1}) : e.transpose(x, {0, 2, 1, 3});
  Expression cosines = rotaryCache(node, "cos_cache"), sines = rotaryCache(node, "sin_cache");
  int64_t rotated = node.intAttribute("rotary_embedding_dim"), half = cosines.type().getDimSize(3);
  if (rotated == 0 && ShapedType::isDynamic(half)) {
    node.reportOpen("the size of a head is dynamic, expected a static one");
    node.stop();
  }
  rotated = rotated == 0 ? 2 * half : rotated;
  half = rotated / 2;
  Expression first = isInterleaved ? slice(in, 3, 0, rotated, 2) : slice(in, 3, 0, half),
             second = isInterleaved ? slice(in, 3, 1, rotated, 2) : slice(in, 3, half, rotated);
  Expression real = cosines * first - sines * second, imaginary = sines * first + cosines * second;
  Expression turned = isInterleaved ? e.reshape(pd::concat({insertDim(real, 4), insertDim(imaginary, 4)}, 4),
                                                {0, 0, 0, rotated})
                                    : pd::concat({real, imaginary}, 3);
  if (in.type().getDimSize(3) != rotated)
    turned = pd::concat({turned, slice(in, 3, rotated, pd::toTheEnd)}, 3);
  node.setOutput("Y", isFlat ? e.reshape(turned, {0, 0, -1}) : e.transpose(turned, {0, 2, 1, 3}));
}

} // namespace proa::import::onnxhooks
