//! Hooks of ONNX Runtime's mixtures of experts (com.microsoft). Only the experts that a token has chosen are
//! computed: the tokens are sorted by expert, and pd.grouped_matmul multiplies each group by the weights of
//! its expert.
#include "translator/import/onnx/hooks/Contrib.h"
#include "translator/import/onnx/hooks/Dims.h"

#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/linalg/BlockQuantized.h"
#include "dialects/pd/ops/linalg/Grouped.h"
#include "dialects/pd/ops/math/ActivationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/search/SearchOps.h"

#include "llvm/ADT/StringSwitch.h"

#include <limits>

using namespace mlir;

namespace proa::import::onnxhooks {

static Expression rowsAt(NodeImporter &node, Expression x, Expression index) {
  return node.create<pd::GatherOp>(x, index, Value(), uint64_t(0));
}

/// The function between the two products of an expert.
static Expression activatedExpert(NodeImporter &node, Expression x) {
  pd::TensorBuilder &e = node.tensors();
  std::string name = node.stringAttribute("activation_type", "relu");
  double alpha = node.floatAttribute("activation_alpha", 1), beta = node.floatAttribute("activation_beta", 0);
  double limit = node.floatAttribute("swiglu_limit", std::numeric_limits<double>::infinity());
  int64_t fusion = node.intAttribute("swiglu_fusion");
  enum class Kind { Relu, Gelu, Silu, Swiglu, Identity, Unknown };
  switch (llvm::StringSwitch<Kind>(name)
              .Case("relu", Kind::Relu)
              .Case("gelu", Kind::Gelu)
              .Case("silu", Kind::Silu)
              .Case("swiglu", Kind::Swiglu)
              .Case("identity", Kind::Identity)
              .Default(Kind::Unknown)) {
  case Kind::Relu:
    return node.create<pd::ReluOp>(x);
  case Kind::Gelu:
    return node.create<pd::GeluOp>(x, /*approximate=*/true);
  case Kind::Silu:
    return x * e.sigmoid(x);
  case Kind::Identity:
    return x;
  case Kind::Swiglu: {
    if (fusion != 1 && fusion != 2)
      break;
    // Gates and values are interleaved, or one half each.
    int64_t width = x.type().getDimSize(1), stride = fusion == 1 ? 2 : 1,
            half = fusion == 1 ? width : width / 2;
    Expression gate = pd::slice(x, 1, 0, half, stride);
    Expression value = pd::slice(x, 1, fusion == 1 ? 1 : half, width, stride);
    gate = e.minimum(limit, gate);
    value = e.maximum(-limit, e.minimum(limit, value));
    return gate * e.sigmoid(gate * alpha) * (value + beta);
  }
  case Kind::Unknown:
    node.report("attribute 'activation_type' is '" + name +
                "', expected relu, gelu, silu, swiglu or identity");
    node.stop();
  }
  node.report("attribute 'swiglu_fusion' is " + llvm::Twine(fusion) +
              ", expected 1 or 2: other layouts have weights "
              "fc3, which are not supported");
  node.stop();
}

namespace {

/// The tokens of each expert: each token is there once for each of its k experts.
struct Routing {
  Expression order;   ///< the places of (token, choice) pairs, sorted by expert
  Expression tokens;  ///< the token of each sorted pair
  Expression experts; ///< the expert of each sorted pair
  Expression sizes;   ///< the number of pairs of each expert
  Expression weights; ///< of pairs in the order of tokens, [tokens, k]
  int64_t choices;
};

/// The layers of all experts: weights [experts, out, in] and biases [experts, out], if there are any.
struct ExpertLayer {
  Expression weights;
  Value bias;
};

} // namespace

static Routing routed(NodeImporter &node, bool normalizes) {
  pd::TensorBuilder &e = node.tensors();
  Type i64 = node.getBuilder().getI64Type();
  Expression logits = e.computed(node.requiredInput("router_probs"));
  int64_t choices = node.intAttribute("k", 1), experts = logits.type().getDimSize(1);
  if (choices < 1 || ShapedType::isDynamic(experts) || choices > experts) {
    node.report("attribute 'k' is " + llvm::Twine(choices) + ", expected 1 to the number of experts");
    node.stop();
  }
  Expression powers = e.exp(logits - e.max(logits, {1}));
  Expression probabilities = powers / e.sum(powers, {1});
  auto sorted = node.createOp<pd::ArgsortOp>(probabilities, int64_t(1), /*descending=*/true, /*stable=*/true);
  Expression weights = pd::slice(node.wrap(sorted.getOut()), 1, 0, choices);
  Expression chosen = e.reshape(pd::slice(node.wrap(sorted.getIndices()), 1, 0, choices), {-1});
  if (normalizes)
    weights = weights / e.sum(weights, {1});
  auto byExpert = node.createOp<pd::ArgsortOp>(chosen, int64_t(0), /*descending=*/false, /*stable=*/true);
  Expression order = node.wrap(byExpert.getIndices());
  Expression tokens = node.create<pd::FloorDivideOp>(order, e.constant(static_cast<double>(choices), i64));
  Expression isOwn = pd::insertDim(chosen, 1) == pd::iota(e, experts, i64);
  return {order,   tokens, node.wrap(byExpert.getOut()), e.sum(e.cast(isOwn, i64), {0}, false),
          weights, choices};
}

static Expression product(NodeImporter &node, Expression x, const ExpertLayer &layer,
                          const Routing &routing) {
  pd::TensorBuilder &e = node.tensors();
  Expression out = node.create<pd::GroupedMatmulOp>(x, layer.weights, routing.sizes, /*transpose_y=*/true);
  return layer.bias
             ? out + rowsAt(node, e.cast(node.wrap(layer.bias), out.type().getElementType()), routing.experts)
             : out;
}

/// The weighted sum of the experts of each token.
static void mixExperts(NodeImporter &node, const ExpertLayer &first, const ExpertLayer &second,
                       bool normalizes) {
  pd::TensorBuilder &e = node.tensors();
  if (node.hasInput("fc3_experts_weights") || node.hasInput("fc3_experts_bias"))
    return node.report("has weights fc3, which are not supported");
  if (node.boolAttribute("use_sparse_mixer") || node.boolAttribute("swiglu_limit_after_activation"))
    return node.report(
        "attribute 'use_sparse_mixer' or 'swiglu_limit_after_activation' is set, which is not supported");
  Expression input = node.operand("input");
  Dims dims = pd::dimSizesOf(input);
  Expression x = e.reshape(input, {-1, input.type().getShape().back()});
  Routing routing = routed(node, normalizes);
  Expression inner = activatedExpert(node, product(node, rowsAt(node, x, routing.tokens), first, routing));
  Expression out = product(node, inner, second, routing);
  // Back to the order of tokens.
  auto inverse = node.createOp<pd::ArgsortOp>(routing.order, int64_t(0), false, true);
  int64_t width = out.type().getDimSize(1);
  Expression byToken =
      e.reshape(rowsAt(node, out, node.wrap(inverse.getIndices())), {-1, routing.choices, width});
  Expression weights = e.cast(pd::insertDim(routing.weights, 2), out.type().getElementType());
  Expression sum = e.sum(byToken * weights, {1}, false);
  node.setOutput("output", e.cast(pd::reshapeTo(sum, dims), input.type().getElementType()));
}

void importMoe(NodeImporter &node) {
  ExpertLayer first{node.operand("fc1_experts_weights"), node.input("fc1_experts_bias")};
  ExpertLayer second{node.operand("fc2_experts_weights"), node.input("fc2_experts_bias")};
  mixExperts(node, first, second, node.boolAttribute("normalize_routing_weights"));
}

/// Quantized weights [experts, out, bytes] as numbers of the type of the input; scales [experts, out] or
/// [experts, out, blocks]. Without blocks zero points are packed along `out`.
static ExpertLayer dequantizedLayer(NodeImporter &node, llvm::StringRef name, int64_t bits) {
  pd::TensorBuilder &e = node.tensors();
  Type f32 = node.getBuilder().getF32Type();
  Expression packed = node.operand((name + "_experts_weights").str()),
             scales = node.operand((name + "_scales").str());
  int64_t experts = packed.type().getDimSize(0), rows = packed.type().getDimSize(1);
  int64_t columns = packed.type().getDimSize(2) * 8 / bits,
          blocks = scales.rank() == 3 ? scales.type().getDimSize(2) : 1;
  if (!packed.type().hasStaticShape() || !scales.type().hasStaticShape() || columns % blocks != 0) {
    node.report("weights and scales of " + name + " have dynamic dims, or blocks of different sizes");
    node.stop();
  }
  Expression codes =
      e.reshape(pd::unpackBits(packed, bits, columns), {experts, rows, blocks, columns / blocks});
  Expression zero = e.constant(1 << (bits - 1), f32);
  if (Value given = node.input((name + "_zero_points").str())) {
    Expression points = scales.rank() == 3 ? pd::unpackBits(node.wrap(given), bits, blocks)
                                           : pd::unpackBits(node.wrap(given), bits, rows);
    zero = e.cast(e.reshape(points, {experts, rows, blocks, 1}), f32);
  }
  Expression factors = e.cast(e.reshape(scales, {experts, rows, blocks, 1}), f32);
  Expression weights = e.reshape((e.cast(codes, f32) - zero) * factors, {experts, rows, columns});
  Type element = node.operand("input").type().getElementType();
  return {e.cast(weights, element), node.input((name + "_experts_bias").str())};
}

/// ONNX Runtime normalizes the weights of experts whatever the attribute says.
void importQMoe(NodeImporter &node) {
  int64_t bits = node.intAttribute("expert_weight_bits", 4);
  std::string type = node.stringAttribute("quant_type", "int");
  node.boolAttribute("normalize_routing_weights");
  node.intAttribute("accuracy_level");
  node.intAttribute("block_size"); // as many blocks as the scales have
  if (type != "int" || (bits != 2 && bits != 4 && bits != 8) ||
      node.intAttribute("weights_prepacked", -1) > 0)
    return node.report("expected integers of 2, 4 or 8 bits that are not prepacked, found " +
                       llvm::Twine(bits) + " bits of type '" + type + "'");
  for (llvm::StringRef name : {"fc1_expert_weight_bits", "fc2_expert_weight_bits", "fc3_expert_weight_bits"})
    if (node.intAttribute(name, bits) != bits)
      return node.report("attribute '" + name +
                         "' differs from 'expert_weight_bits', which is not supported");
  mixExperts(node, dequantizedLayer(node, "fc1", bits), dequantizedLayer(node, "fc2", bits),
             /*normalizes=*/true);
}

} // namespace proa::import::onnxhooks
