//! Hooks of ONNX's attentions and rotary embedding.
#include "translator/import/onnx/GraphImporter.h"
#include "translator/import/onnx/hooks/AttentionForm.h"

#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

#include <cmath>

using namespace mlir;

namespace proa::import::onnxhooks {

using pd::DimSize;
using pd::Expression;

namespace {

class AttentionNode {
public:
  explicit AttentionNode(NodeImporter &node)
      : node(node), e(node.tensors()), q(node.operand("Q")), k(node.operand("K")), v(node.operand("V")),
        type(q.type().getElementType()), isFlat(q.rank() == 3) {}

  void run() {
    readOperands();
    AttentionForm form;
    double scale = node.floatAttribute("scale", 0);
    if (node.hasAttribute("scale"))
      form.scale = scale;
    form.softcap = node.floatAttribute("softcap");
    form.precision = node.typeAttribute("softmax_precision");
    form.addends = biases();
    form.mayLackKeys = mayLackKeys;
    Attended attended = attend(node, q, k, v, form);
    node.setOutput("Y", isFlat ? fromHeads(attended.values) : attended.values);
    int64_t mode = node.intAttribute("qk_matmul_output_mode");
    if (node.needsOutput("qk_matmul_output"))
      node.setOutput("qk_matmul_output", e.cast(shownScores(attended, mode), type));
  }

private:
  void readOperands() {
    int64_t heads = node.intAttribute("q_num_heads"), keyHeads = node.intAttribute("kv_num_heads");
    if (isFlat) {
      if (heads <= 0 || keyHeads <= 0) {
        node.report(
            "attributes 'q_num_heads' and 'kv_num_heads' are missing, expected both for inputs of rank 3");
        node.stop();
      }
      q = toHeads(q, heads);
      k = toHeads(k, keyHeads);
      v = toHeads(v, keyHeads);
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
  }

  /// The scores or weights that the node returns.
  Expression shownScores(const Attended &attended, int64_t mode) {
    switch (mode) {
    case 0:
      return attended.products;
    case 1:
      return attended.capped;
    case 2:
      return attended.biased;
    default:
      return attended.lacksKeys ? e.select(*attended.lacksKeys, 0.0, attended.weights) : attended.weights;
    }
  }

  Expression minusInfinityWhere(Expression isExcluded) {
    return e.select(isExcluded, -INFINITY, node.scalar(0, type));
  }

  /// The addends of the scores.
  llvm::SmallVector<Value> biases() {
    llvm::SmallVector<Value> all;
    auto add = [&](Expression bias) { all.push_back(bias); };
    if (Value mask = node.input("attn_mask"))
      add(maskBias(node.wrap(mask)));
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
    mayLackKeys = node.hasInput("attn_mask") || lengths || left >= 0 || right >= 0;
    if (lengths)
      add(minusInfinityWhere(keys >= lengthColumn()));
    return all;
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
  std::optional<DimSize> past;
  Value lengths;
  bool mayLackKeys = false;
};

} // namespace

void importAttention(NodeImporter &node) { AttentionNode(node).run(); }

/// A graph of FlexAttention, which changes scores or weights; empty if the node has none.
static AttentionForm::Modifier modifierOf(NodeImporter &node, llvm::StringRef name) {
  const onnx::Graph *body = node.graphAttribute(name);
  if (!body)
    return {};
  return [&node, body, name](Expression scores) {
    if (body->inputs.size() != 1 || body->outputs.size() != 1) {
      node.report("graph '" + name + "' has " + llvm::Twine(body->inputs.size()) + " inputs and " +
                  llvm::Twine(body->outputs.size()) + " outputs, expected one of each");
      node.stop();
    }
    NodeImporter::Values changed = node.getGraph().importBody(*body, {scores});
    if (changed.empty())
      node.stop();
    auto type = dyn_cast<RankedTensorType>(changed.front().getType());
    if (!type || type.getElementType() != scores.type().getElementType() || type.getRank() != scores.rank()) {
      node.report("graph '" + name + "' changes the rank or element type of its input, expected neither");
      node.stop();
    }
    return node.wrap(changed.front());
  };
}

void importFlexAttention(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression q = node.operand("Q"), v = node.operand("V");
  Type type = q.type().getElementType();
  AttentionForm form;
  form.precision = node.typeAttribute("softmax_precision");
  if (!form.precision)
    form.precision = e.computed(q).type().getElementType();
  if (double scale = node.floatAttribute("scale", 0); node.hasAttribute("scale"))
    form.scale = scale;
  form.changeScores = modifierOf(node, "score_mod");
  form.changeWeights = modifierOf(node, "prob_mod");
  // The second product is computed in the precision of the softmax.
  Attended attended = attend(node, q, node.operand("K"), e.cast(v, form.precision), form);
  node.setOutput("Y", e.cast(attended.values, type));
}

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
