//! Hooks of ONNX Runtime's attentions of packed tokens (com.microsoft): the tokens of all sequences are rows
//! of one tensor, without the padding.
#include "translator/import/onnx/hooks/ContribAttention.h"

#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/math/ActivationOps.h"
#include "dialects/pd/ops/search/Order.h"
#include "dialects/pd/ops/sequence/Rows.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

using namespace mlir;

namespace proa::import::onnxhooks {

using namespace contrib;
using pd::DimSize;
using pd::Expression;

namespace {

/// Where the tokens are in the padded tensor.
struct Packing {
  Expression offsets; ///< of the tokens in [batch * length]: [tokens]
  DimSize batch, length;

  /// `offsets` of all tokens, then of padding, is [batch, length].
  Packing(NodeImporter &node, llvm::StringRef name, const DimSize &tokens)
      : offsets(node.operand(name)), batch(offsets, 0), length(offsets, 1) {
    Expression flat = node.tensors().reshape(pd::asInts(offsets), {-1});
    offsets = sliceBetween(flat, 0, DimSize(0), tokens);
  }

  /// Rows [tokens, ...] as [batch, length, ...] with zeros for padding.
  Expression padded(Expression rows) const {
    pd::TensorBuilder &e = rows.owner();
    llvm::SmallVector<DimSize> dims = dimSizesOf(rows);
    dims[0] = multiply(e, batch, length);
    Expression zeros = expandTo(e.constant(0, rows.type().getElementType()), dims);
    Expression all =
        e.wrap(e.create<pd::ScatterNdOp>(zeros, insertDim(offsets, 1), rows, pd::ScatterReduce::Assign));
    dims[0] = batch;
    dims.insert(dims.begin() + 1, length);
    return reshapeTo(all, dims);
  }

  /// The rows of tokens of x [batch, length, ...].
  Expression packed(Expression x) const {
    llvm::SmallVector<DimSize> dims = dimSizesOf(x);
    dims.erase(dims.begin());
    dims[0] = multiply(x.owner(), batch, length);
    return pd::gatherRows(reshapeTo(x, dims), offsets);
  }
};

/// The attention of packed Q, K and V [tokens, hidden], by keys of the same sequence.
void importPacked(NodeImporter &node, llvm::ArrayRef<Expression> pieces) {
  pd::TensorBuilder &e = node.tensors();
  int64_t heads = requiredHeads(node, "num_heads");
  Packing packing(node, "token_offset", DimSize(pieces[0], 0));
  auto split = [&](Expression x) { return toHeads(packing.padded(x), heads); };
  Expression q = split(pieces[0]), k = split(pieces[1]), v = split(pieces[2]);
  Expression lengths = pd::sequencesOf(pd::asInts(node.operand("cumulative_sequence_length"))).lengths;
  AttentionForm form;
  form.scale = givenScale(node);
  Expression isKey = positions(node, DimSize(k, 2), 3) < perExample(node, lengths);
  form.addends.push_back(additive(node, isKey, excluded, e.computed(q).type().getElementType()));
  if (Value bias = node.input("attention_bias"))
    form.addends.push_back(bias);
  node.setOutput("output", packing.packed(fromHeads(attend(node, q, k, v, form).values)));
}

} // namespace

void importPackedAttention(NodeImporter &node) {
  Expression weights = node.operand("weights");
  Expression projected = node.tensors().matmul(node.operand("input"), weights) + node.operand("bias");
  importPacked(node, splitBias(projected, projectionSizes(node, weights.type().getDimSize(1))));
}

void importPackedMultiHeadAttention(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  node.floatAttribute("mask_filter_value"); // of padding, which has no influence on tokens
  Expression query = node.operand("query");
  llvm::SmallVector<Expression> pieces;
  if (query.rank() == 4) // [tokens, heads, 3, size]
    for (int64_t i = 0; i < 3; ++i)
      pieces.push_back(e.reshape(dropDim(slice(query, 2, i, i + 1), 2), {0, -1}));
  else
    pieces = {query, node.operand("key"), node.operand("value")};
  if (Value bias = node.input("bias")) {
    int64_t size = pieces[0].type().getDimSize(1), valueSize = pieces[2].type().getDimSize(1);
    for (auto [piece, addend] : llvm::zip(pieces, splitBias(node.wrap(bias), {size, size, valueSize})))
      piece = piece + addend;
  }
  importPacked(node, pieces);
}

void importRemovePadding(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Type i32 = node.getBuilder().getI32Type();
  Expression x = node.operand("input"), lengths = pd::asInts(node.operand("sequence_token_count"));
  DimSize batch(x, 0), length(x, 1);
  Expression position = insertDim(iota(e, length, node.getBuilder().getI64Type()), 0);
  Expression isToken = reshapeTo(expandTo(position < insertDim(lengths, 1), {batch, length}), {-1});
  // Tokens first; equal elements keep their order.
  Expression offsets = pd::descending(pd::asInts(isToken)).indices;
  Expression ends = pd::offsetsOfLengths(lengths);
  Expression count = e.sum(lengths, {0}, /*keepdim=*/false);
  Expression rows = e.reshape(x, {-1, x.type().getDimSize(2)});
  node.setOutput("output", pd::gatherRows(rows, sliceBetween(offsets, 0, DimSize(0), pd::dimSizeOf(count))));
  node.setOutput("token_offset", e.cast(reshapeTo(offsets, {batch, length}), i32));
  node.setOutput("cumulated_seq_len", e.cast(ends, i32));
  node.setOutput("max_seq_len", e.cast(e.max(lengths, {0}), i32));
}

void importRestorePadding(NodeImporter &node) {
  Expression rows = node.operand("input");
  node.setOutput("output", Packing(node, "token_offset", DimSize(rows, 0)).padded(rows));
}

/// WavLM's bias of scores: the relative one times gates that are computed from queries.
void importGatedRelativePositionBias(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  int64_t heads = requiredHeads(node, "num_heads");
  Expression query = node.operand("query_layer") + node.operand("query_bias");
  if (node.hasInput("token_offset"))
    query = Packing(node, "token_offset", DimSize(query, 0)).padded(query);
  Expression gates = e.matmul(toHeads(query, heads), node.operand("weight")) + node.operand("bias");
  gates = node.create<pd::SigmoidOp>(e.sum(e.reshape(gates, {0, 0, 0, 2, -1}), {4}, /*keepdim=*/false));
  Expression update = slice(gates, 3, 0, 1), reset = slice(gates, 3, 1, 2);
  node.setOutput("output", (update * (reset * node.operand("eco_a") - 1.0) + 2.0) * node.operand("rel_pos"));
}

} // namespace proa::import::onnxhooks
