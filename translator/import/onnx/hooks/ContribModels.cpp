//! Hooks of ONNX Runtime's fused ops of language models (com.microsoft): norms with gates, routers,
//! embeddings.
#include "translator/import/onnx/hooks/Quantization.h"

#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/ActivationOps.h"
#include "dialects/pd/ops/math/Logic.h"
#include "dialects/pd/ops/search/Order.h"
#include "dialects/pd/ops/sequence/Rows.h"

#include <limits>

using namespace mlir;

namespace proa::import::onnxhooks {

using pd::DimSize;
using pd::Expression;

namespace {

Expression sigmoid(NodeImporter &node, Expression x) { return node.create<pd::SigmoidOp>(x); }

/// x divided by the root mean square along its last dimension.
Expression dividedByRootMeanSquare(NodeImporter &node, Expression x) {
  pd::TensorBuilder &e = node.tensors();
  return x * e.rsqrt(e.mean(x * x, {x.rank() - 1}) + node.floatAttribute("epsilon"));
}

/// x with its last dimension split into rows of `size`.
Expression splitLast(Expression x, int64_t rows, int64_t size) {
  llvm::SmallVector<DimSize> dims = dimSizesOf(x);
  dims.back() = DimSize(rows);
  dims.push_back(DimSize(size));
  return reshapeTo(x, dims);
}

int64_t staticLast(NodeImporter &node, Expression x) {
  int64_t size = x.type().getDimSize(x.rank() - 1);
  if (!ShapedType::isDynamic(size))
    return size;
  node.reportOpen("the last dim is dynamic, expected a static one");
  node.stop();
}

} // namespace

void importGatedRmsNorm(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("X"), scale = e.computed(node.operand("scale"));
  std::string activation = node.stringAttribute("activation", "silu");
  if (activation != "silu" && activation != "swish" && activation != "sigmoid")
    return node.report("attribute 'activation' is '" + activation + "', expected silu, swish or sigmoid");
  int64_t size = staticLast(node, scale), all = staticLast(node, x);
  if (size == 0 || all % size != 0)
    return node.report("the last dim is " + llvm::Twine(all) +
                       ", expected a multiple of the size of 'scale', " + llvm::Twine(size));
  Expression normal = dividedByRootMeanSquare(node, splitLast(e.computed(x), all / size, size)) * scale;
  Expression gate = e.computed(node.operand("gate")), open = sigmoid(node, gate);
  Expression result = reshapeTo(normal, dimSizesOf(x)) * (activation == "sigmoid" ? open : gate * open);
  node.setOutput("Y", e.cast(result, x.type().getElementType()));
}

void importBranchwiseRmsNorm(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("X"), wide = e.computed(x);
  int64_t branches = node.intAttribute("num_branches"), last = staticLast(node, x);
  if (branches > 0 && last % branches == 0)
    wide = splitLast(wide, branches, last / branches);
  Expression normal = dividedByRootMeanSquare(node, wide);
  if (Value given = node.input("scale")) {
    Expression scale = e.computed(given);
    int64_t size = staticLast(node, normal);
    if (scale.rank() == 1 && staticLast(node, scale) != size)
      scale = e.reshape(scale, {-1, size});
    normal = normal * scale;
  }
  node.setOutput("Y", e.cast(reshapeTo(normal, dimSizesOf(x)), x.type().getElementType()));
}

void importLinearAttentionGate(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression a = node.operand("a");
  Type type = a.type().getElementType();
  Expression sum = e.computed(a) + node.operand("dt_bias");
  // softplus
  Expression soft = e.maximum(sum, 0.0) + e.log1p(e.exp(-e.abs(sum)));
  node.setOutput("decay", e.cast(node.operand("decay_scale") * soft, type));
  if (Value b = node.input("b"))
    node.setOutput("beta", e.cast(sigmoid(node, e.computed(b)), type));
}

void importGatedAdd(NodeImporter &node) {
  if (node.hasInput("gate_weight"))
    return node.report("input 'gate_weight' is given, which is not supported");
  node.setOutput("output", node.operand("X") + node.operand("Y") * node.operand("gate"));
}

void importScaledSilu(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("X");
  Type type = x.type().getElementType();
  double alpha = node.floatAttribute("alpha", 1);
  Value scale = node.input("scale");
  Expression wide = e.computed(x);
  Expression scaled = e.cast(scale ? wide * e.computed(e.reshape(node.wrap(scale), {})) : wide * alpha, type);
  node.setOutput("Y", scaled * e.cast(sigmoid(node, e.computed(scaled)), type));
}

void importContribSwiGlu(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression gate = node.operand("gate");
  Type type = gate.type().getElementType();
  Expression linear = gate;
  if (Value up = node.input("up")) {
    linear = node.wrap(up);
  } else {
    int64_t size = staticLast(node, gate), axis = gate.rank() - 1;
    linear = slice(gate, axis, size / 2, size);
    gate = slice(gate, axis, 0, size / 2);
  }
  gate = e.computed(gate);
  linear = e.computed(linear);
  if (double limit = node.floatAttribute("limit"); limit > 0) {
    gate = e.minimum(limit, gate);
    linear = e.maximum(-limit, e.minimum(limit, linear));
  }
  Expression active = gate * sigmoid(node, gate * node.floatAttribute("activation_alpha", 1));
  if (node.boolAttribute("round_activation"))
    active = e.computed(e.cast(active, type));
  double beta = node.floatAttribute("activation_beta");
  node.setOutput("output", e.cast(active * (beta == 0 ? linear : linear + beta), type));
}

/// Scores of experts by sigmoid: of some groups, of which the best experts are selected.
void importMoeGroupRouter(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  constexpr double none = -std::numeric_limits<double>::infinity();
  Expression logits = node.operand("logits");
  if (Value weight = node.input("projection_weight"))
    logits = e.matmul(logits, node.wrap(weight), false, true);
  int64_t experts = staticLast(node, logits), groups = node.intAttribute("n_group", 1);
  int64_t count = node.intAttribute("top_k"), ofGroups = node.intAttribute("topk_group", 1);
  int64_t ofGroup = node.intAttribute("group_topk", 1);
  double sentinel = node.floatAttribute("router_sentinel");
  if (groups < 1 || experts % groups != 0)
    return node.report("attribute 'n_group' is " + llvm::Twine(groups) + ", expected a divisor of " +
                       llvm::Twine(experts));
  Expression weights = sigmoid(node, e.computed(e.reshape(logits, {-1, experts})));
  Expression scores = weights + node.operand("expert_bias");
  node.setOutput("selection_scores", scores);
  node.setOutput("router_weights", weights);
  if (!node.needsOutput("router_probs"))
    return;
  Expression byGroup = e.reshape(scores, {-1, groups, experts / groups});
  Expression best = slice(pd::descending(byGroup).values, 2, 0, std::min(ofGroup, experts / groups));
  Expression ofBest = e.sum(best, {2}, /*keepdim=*/false);
  Expression isActive = insertDim(pd::descendingRank(ofBest) < static_cast<double>(ofGroups), 2);
  Expression active = e.reshape(e.select(isActive, byGroup, none), {-1, experts});
  Expression isChosen = both(pd::descendingRank(active) < static_cast<double>(count), active > none);
  Expression result = e.select(isChosen, e.log(e.maximum(weights, 1e-20)), sentinel);
  node.setOutput("router_probs", e.cast(result, logits.type().getElementType()));
}

/// The embeddings of BERT, of which ONNX Runtime's dynamic quantization quantizes the tables.
void importQEmbedLayerNormalization(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  auto table = [&](llvm::StringRef name, llvm::StringRef of) {
    return dequantized(node, node.requiredInput(name), node.requiredInput((of + "_scale").str()),
                       node.requiredInput((of + "_zero_point").str()));
  };
  auto looked = [&](Expression rows, Expression ids) { return pd::gatherRows(rows, ids); };
  Expression ids = node.operand("input_ids");
  Expression position = e.reshape(iota(e, DimSize(ids, 1), node.getBuilder().getI64Type()), {1, -1});
  Expression sum = looked(table("word_embedding_quant", "word_embedding"), ids) +
                   looked(table("position_embedding_quant", "position_embedding"), position);
  if (Value segments = node.input("segment_ids"))
    sum = sum + looked(table("segment_embedding", "segment_embedding"), node.wrap(segments));
  Expression centered = sum - e.mean(sum, {2});
  Expression normal = dividedByRootMeanSquare(node, centered) * table("gamma_quant", "gamma");
  node.setOutput("layernorm_out", normal + table("beta_quant", "beta"));
  Value mask = node.input("mask");
  Expression counted = mask ? node.wrap(mask) : ids * 0.0;
  Type i32 = node.getBuilder().getI32Type();
  node.setOutput("mask_index_out", e.cast(e.sum(e.cast(counted, i32), {1}, /*keepdim=*/false), i32));
}

/// All slices of a size along a dimension, as an additional last dimension.
void importUnfoldTensor(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("input");
  int64_t dim = node.intAttribute("dim", -1), size = node.intAttribute("size"),
          step = node.intAttribute("step", 1);
  dim += dim < 0 ? x.rank() : 0;
  if (dim < 0 || dim >= x.rank() || size < 1 || step < 1)
    return node.report("attributes dim, size and step are " + llvm::Twine(dim) + ", " + llvm::Twine(size) +
                       " and " + llvm::Twine(step) + ", expected an axis and positive numbers");
  int64_t length = x.type().getDimSize(dim);
  if (ShapedType::isDynamic(length) || length < size)
    return node.reportOpen("the dim is dynamic or smaller than 'size', expected a static one");
  int64_t count = (length - size) / step + 1;
  llvm::SmallVector<int64_t> indices;
  for (int64_t i = 0; i < count; ++i)
    for (int64_t k = 0; k < size; ++k)
      indices.push_back(i * step + k);
  Expression taken =
      node.create<pd::GatherOp>(x, node.integers(indices), Value(), static_cast<uint64_t>(dim));
  llvm::SmallVector<DimSize> dims = dimSizesOf(taken);
  dims[dim] = DimSize(count);
  dims.insert(dims.begin() + dim + 1, DimSize(size));
  llvm::SmallVector<int64_t> order;
  for (int64_t i = 0; i <= x.rank(); ++i)
    if (i != dim + 1)
      order.push_back(i);
  order.push_back(dim + 1);
  node.setOutput("output", e.transpose(reshapeTo(taken, dims), order));
}

} // namespace proa::import::onnxhooks
