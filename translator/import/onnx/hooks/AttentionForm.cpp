//! Attention as products and a softmax, which pd-form-attention replaces.
#include "translator/import/onnx/hooks/AttentionForm.h"

#include "dialects/pd/ops/nn/SoftmaxOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include <cmath>

using namespace mlir;

namespace proa::import {

using pd::DimSize;
using pd::Expression;

Expression toHeads(Expression x, int64_t heads) {
  pd::TensorBuilder &e = x.owner();
  return e.transpose(e.reshape(x, {0, 0, heads, -1}), {0, 2, 1, 3});
}

Expression fromHeads(Expression x) {
  pd::TensorBuilder &e = x.owner();
  return e.reshape(e.transpose(x, {0, 2, 1, 3}), {0, 0, -1});
}

/// x with each of its heads repeated for all heads of q that it serves.
static Expression repeatedHeads(NodeImporter &node, Expression x, Expression q) {
  int64_t own = x.type().getDimSize(1), heads = q.type().getDimSize(1);
  if (own == heads)
    return x;
  if (ShapedType::isDynamic(own) || ShapedType::isDynamic(heads) || own == 0 || heads % own != 0) {
    node.reportOpen("the numbers of heads of Q and K are dynamic or do not divide, expected static ones");
    node.stop();
  }
  DimSize batch(x, 0), length(x, 2), size(x, 3);
  Expression all = expandTo(insertDim(x, 2), {batch, DimSize(own), DimSize(heads / own), length, size});
  return reshapeTo(all, {batch, DimSize(heads), length, size});
}

static Expression scaledProducts(NodeImporter &node, Expression q, Expression keys,
                                 std::optional<double> scale) {
  pd::TensorBuilder &e = node.tensors();
  Type type = q.type().getElementType();
  DimSize size(q, 3);
  if (!scale && size.isKnown())
    scale = 1 / std::sqrt(static_cast<double>(size.getNumber()));
  Expression factor = scale ? node.scalar(*scale, type) : e.rsqrt(e.cast(e.wrap(size.getValue(e)), type));
  if (type.getIntOrFloatBitWidth() >= 32)
    return e.matmul(q, keys, false, true) * factor;
  // In 16 bits the product of unscaled numbers could overflow.
  Expression root = e.sqrt(factor);
  return e.matmul(q * root, keys * root, false, true);
}

/// The softmax of scores that have one more key, without a value.
static Expression softmaxWithSink(NodeImporter &node, Expression scores, Value sink) {
  pd::TensorBuilder &e = node.tensors();
  Expression extra = e.reshape(e.cast(node.wrap(sink), scores.type().getElementType()), {1, -1, 1, 1});
  Expression top = e.maximum(e.max(scores, {3}), extra), powers = e.exp(scores - top);
  return powers / (e.sum(powers, {3}) + e.exp(extra - top));
}

Attended attend(NodeImporter &node, Expression q, Expression k, Expression v, const AttentionForm &form) {
  pd::TensorBuilder &e = node.tensors();
  Type type = q.type().getElementType();
  Expression products = scaledProducts(node, q, repeatedHeads(node, k, q), form.scale);
  Expression capped = form.softcap > 0 ? e.tanh(products / form.softcap) * form.softcap : products;
  std::optional<Expression> addend, lacksKeys;
  for (Value value : form.addends) {
    Expression cast = e.cast(node.wrap(value), type);
    addend = addend ? *addend + cast : cast;
  }
  Expression biased = addend ? capped + *addend : capped;
  Expression scores = form.precision ? e.cast(biased, form.precision) : biased;
  if (form.changeScores)
    scores = form.changeScores(scores);
  Expression weights =
      form.sink ? softmaxWithSink(node, scores, form.sink) : node.create<pd::SoftmaxOp>(scores);
  if (form.changeWeights)
    weights = form.changeWeights(weights);
  weights = e.cast(weights, v.type().getElementType());
  Expression values = e.matmul(weights, repeatedHeads(node, v, q));
  // The product is linear, so that its rows can be replaced instead of rows of the weights.
  if (addend && form.mayLackKeys) {
    lacksKeys = e.equal(e.max(*addend, {addend->rank() - 1}), -INFINITY);
    values = e.select(*lacksKeys, 0.0, values);
  }
  return {values, products, capped, biased, weights, lacksKeys};
}

} // namespace proa::import
