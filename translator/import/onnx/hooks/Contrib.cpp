//! Hooks of ONNX Runtime's normalizations, activations and fused products (com.microsoft).
#include "translator/import/onnx/hooks/Contrib.h"

#include "translator/import/onnx/GraphImporter.h"
#include "translator/import/onnx/hooks/Quantization.h"

#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/linalg/BlockQuantized.h"
#include "dialects/pd/ops/linalg/SolveOps.h"
#include "dialects/pd/ops/math/ActivationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/nn/NormOps.h"
#include "dialects/pd/ops/nn/SoftmaxOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace proa::import {

using pd::DimSize;
using pd::Expression;

/// alpha, or the default of an activation's attribute.
static double otherwise(double alpha, double standard) { return alpha != 0 ? alpha : standard; }

Expression activated(NodeImporter &node, Expression x, llvm::StringRef name, double alpha, double beta) {
  pd::TensorBuilder &e = node.tensors();
  enum class Kind { None, Relu, Tanh, Sigmoid, LeakyRelu, Clip, HardSigmoid, Unknown };
  switch (llvm::StringSwitch<Kind>(name)
              .Case("", Kind::None)
              .Case("Relu", Kind::Relu)
              .Case("Tanh", Kind::Tanh)
              .Case("Sigmoid", Kind::Sigmoid)
              .Case("LeakyRelu", Kind::LeakyRelu)
              .Case("Clip", Kind::Clip)
              .Case("HardSigmoid", Kind::HardSigmoid)
              .Default(Kind::Unknown)) {
  case Kind::None:
    return x;
  case Kind::Relu:
    return node.create<pd::ReluOp>(x);
  case Kind::Tanh:
    return e.tanh(x);
  case Kind::Sigmoid:
    return node.create<pd::SigmoidOp>(x);
  case Kind::LeakyRelu:
    return e.select(x >= 0.0, x, x * otherwise(alpha, 0.01));
  case Kind::Clip:
    return e.maximum(alpha, e.minimum(beta, x));
  case Kind::HardSigmoid:
    return e.maximum(0.0, e.minimum(1.0, x * otherwise(alpha, 0.2) + otherwise(beta, 0.5)));
  case Kind::Unknown:
    break;
  }
  node.report("attribute 'activation' is '" + name + "', which is not supported");
  node.stop();
}

namespace onnxhooks {

//===-- Normalizations ----------------------------------------------------------------------------------===//

namespace {

/// x / root of (the mean of x^2 + epsilon) over the dimensions from `axis` on, after its mean is subtracted
/// unless `isSimplified`; in f32. Sets the outputs of mean and inverse deviation.
Expression normalized(NodeImporter &node, Expression x, int64_t axis, bool isSimplified) {
  pd::TensorBuilder &e = node.tensors();
  axis += axis < 0 ? x.rank() : 0;
  llvm::SmallVector<int64_t> axes = dimsBetween(axis, x.rank());
  double epsilon = node.floatAttribute("epsilon");
  Expression centered = x;
  if (!isSimplified) {
    Expression mean = e.mean(x, axes);
    node.setOutput("mean", mean);
    centered = x - mean;
  }
  Expression inverse = e.rsqrt(e.mean(centered * centered, axes) + epsilon);
  node.setOutput("inv_std_var", inverse);
  return centered * inverse;
}

/// normalized(x) * gamma + beta in the type of x.
Expression scaled(NodeImporter &node, Expression normal, llvm::StringRef gamma, Value beta, Type element) {
  pd::TensorBuilder &e = node.tensors();
  Expression result = normal * e.computed(node.operand(gamma));
  if (beta)
    result = result + e.computed(beta);
  return e.cast(result, element);
}

void importSkipNormalization(NodeImporter &node, bool isSimplified) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("input"), sum = e.computed(x) + e.computed(node.operand("skip"));
  if (Value bias = node.input("bias"))
    sum = sum + e.computed(bias);
  Type element = x.type().getElementType();
  node.setOutput("input_skip_bias_sum", e.cast(sum, element));
  Value beta = isSimplified ? Value() : node.input("beta");
  node.setOutput("output", scaled(node, normalized(node, sum, -1, isSimplified), "gamma", beta, element));
}

} // namespace

void importSkipLayerNormalization(NodeImporter &node) { importSkipNormalization(node, false); }
void importSkipSimplifiedLayerNormalization(NodeImporter &node) { importSkipNormalization(node, true); }

void importSimplifiedLayerNormalization(NodeImporter &node) {
  Expression x = node.operand("X");
  if (node.intAttribute("stash_type", 1) != 1)
    return node.report("attribute 'stash_type' is not 1, which is not supported");
  Expression normal = normalized(node, node.tensors().computed(x), node.intAttribute("axis", -1), true);
  node.setOutput("Y", scaled(node, normal, "scale", {}, node.operand("scale").type().getElementType()));
}

void importEmbedLayerNormalization(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  node.intAttribute("mask_index_type");
  auto looked = [&](llvm::StringRef table, Expression ids) {
    return node.create<pd::GatherOp>(node.operand(table), ids, Value(), uint64_t(0));
  };
  Expression ids = node.operand("input_ids"), sum = looked("word_embedding", ids);
  Value given = node.input("position_ids");
  Expression position =
      given ? node.wrap(given) : e.reshape(iota(e, DimSize(ids, 1), node.getBuilder().getI64Type()), {1, -1});
  sum = sum + looked("position_embedding", position);
  if (Value segments = node.input("segment_ids"))
    sum = sum + looked("segment_embedding", node.wrap(segments));
  node.setOutput("embedding_sum", sum);
  Value beta = node.requiredInput("beta");
  Expression normal = normalized(node, e.computed(sum), -1, false);
  node.setOutput("output", scaled(node, normal, "gamma", beta, sum.type().getElementType()));
  Type i32 = node.getBuilder().getI32Type();
  if (Value mask = node.input("mask"))
    node.setOutput("mask_index", e.cast(e.sum(e.cast(node.wrap(mask), i32), {1}, false), i32));
  else if (node.needsOutput("mask_index"))
    node.setOutput("mask_index", e.cast(e.sum(ids * 0.0, {1}, false), i32));
}

/// Group normalization of x, which has the channels last or second, and the activation after it.
static void importContribGroupNorm(NodeImporter &node, Expression x) {
  bool isLast = node.intAttribute("channels_last", 1) != 0;
  auto parameter = [&](llvm::StringRef name) {
    return node.tensors().cast(node.operand(name), x.type().getElementType());
  };
  Expression out = node.create<pd::GroupNormOp>(
      x, parameter("gamma"), parameter("beta"), llvm::APFloat(node.floatAttribute("epsilon")),
      node.intAttribute("groups"), isLast ? pd::DataFormat::NHWC : pd::DataFormat::NCHW);
  if (node.intAttribute("activation") == 1)
    out = node.create<pd::SwishOp>(out, llvm::APFloat(1.0));
  node.setOutput("Y", out);
}

void importGroupNorm(NodeImporter &node) { importContribGroupNorm(node, node.operand("X")); }

void importSkipGroupNorm(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("X"), skip = node.operand("skip");
  bool isLast = node.intAttribute("channels_last", 1) != 0;
  auto perChannel = [&](Expression value) { // [batch or 1, channels]
    return e.reshape(value,
                     isLast ? llvm::ArrayRef<int64_t>{0, 1, 1, -1} : llvm::ArrayRef<int64_t>{0, -1, 1, 1});
  };
  Expression sum = x + (skip.rank() == 2 ? perChannel(skip) : skip);
  if (Value bias = node.input("bias"))
    sum = sum + perChannel(insertDim(node.wrap(bias), 0));
  node.setOutput("S", sum);
  importContribGroupNorm(node, sum);
}

//===-- Activations -------------------------------------------------------------------------------------===//

void importContribGelu(NodeImporter &node) {
  node.setOutput("Y", node.create<pd::GeluOp>(node.operand("X"), /*approximate=*/false));
}

void importBiasGelu(NodeImporter &node) {
  node.setOutput("C", node.create<pd::GeluOp>(node.operand("A") + node.operand("B"), /*approximate=*/false));
}

void importFastGelu(NodeImporter &node) {
  Expression x = node.operand("X");
  if (Value bias = node.input("bias"))
    x = x + node.wrap(bias);
  node.setOutput("Y", node.create<pd::GeluOp>(x, /*approximate=*/true));
}

void importQuickGelu(NodeImporter &node) {
  Expression x = node.operand("X");
  node.setOutput("Y", x * node.create<pd::SigmoidOp>(x * node.floatAttribute("alpha")));
}

void importBiasSplitGelu(NodeImporter &node) {
  Expression x = node.operand("X") + node.operand("bias");
  int64_t size = x.type().getDimSize(x.rank() - 1);
  if (ShapedType::isDynamic(size))
    return node.reportOpen("the last dim is dynamic, expected a static one");
  Expression left = slice(x, x.rank() - 1, 0, size / 2), right = slice(x, x.rank() - 1, size / 2, size);
  node.setOutput("Y", left * node.create<pd::GeluOp>(right, /*approximate=*/false));
}

void importBiasAdd(NodeImporter &node) {
  node.setOutput("Y", node.operand("X") + node.operand("bias") + node.operand("skip"));
}

void importBiasSoftmax(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("data"), bias = node.operand("bias");
  int64_t axis = node.intAttribute("axis", 1);
  axis += axis < 0 ? x.rank() : 0;
  // Of the inner broadcast the bias [leading dims, 1, trailing dims] repeats within the rows before `axis`.
  node.boolAttribute("is_inner_broadcast");
  Expression sum = x + bias;
  llvm::SmallVector<int64_t> axes = dimsBetween(axis, x.rank());
  Expression wide = e.computed(sum), powers = e.exp(wide - e.max(wide, axes));
  node.setOutput("output", e.cast(powers / e.sum(powers, axes), x.type().getElementType()));
}

//===-- Products ----------------------------------------------------------------------------------------===//

namespace {

/// A matrix whose dimension 0 and batch dimensions change places: [b, m, ..., n] as [m, ..., b, n].
Expression withoutBatchFirst(NodeImporter &node, Expression x, bool isTransposed) {
  if (!isTransposed || x.rank() < 3)
    return x;
  llvm::SmallVector<int64_t> order = dimsBetween(1, x.rank() - 1);
  order.append({0, x.rank() - 1});
  return node.tensors().transpose(x, order);
}

} // namespace

void importInverse(NodeImporter &node) { node.setOutput("Y", node.create<pd::InverseOp>(node.operand("X"))); }

void importFusedMatMul(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression a = withoutBatchFirst(node, node.operand("A"), node.boolAttribute("transBatchA"));
  Expression b = withoutBatchFirst(node, node.operand("B"), node.boolAttribute("transBatchB"));
  Expression out = e.matmul(a, b, node.boolAttribute("transA"), node.boolAttribute("transB"));
  double alpha = node.floatAttribute("alpha", 1);
  node.setOutput("Y", alpha == 1 ? out : out * alpha);
}

void importFusedGemm(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression out = e.matmul(node.operand("A"), node.operand("B"), node.boolAttribute("transA"),
                            node.boolAttribute("transB"));
  if (double alpha = node.floatAttribute("alpha", 1); alpha != 1)
    out = out * alpha;
  double beta = node.floatAttribute("beta", 1);
  if (Value c = node.input("C"); c && beta != 0)
    out = out + (beta == 1 ? node.wrap(c) : node.wrap(c) * beta);
  node.floatAttribute("activation_gamma");
  node.setOutput("Y",
                 activated(node, out, node.stringAttribute("activation"),
                           node.floatAttribute("activation_alpha"), node.floatAttribute("activation_beta")));
}

/// Distances of all pairs of rows.
void importCDist(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression a = node.operand("A"), b = node.operand("B");
  std::string metric = node.stringAttribute("metric");
  if (metric != "euclidean" && metric != "sqeuclidean")
    return node.report("attribute 'metric' is '" + metric + "', expected euclidean or sqeuclidean");
  Expression squares = e.sum(a * a, {1}) + e.reshape(e.sum(b * b, {1}), {1, -1});
  Expression squared = e.maximum(squares - e.matmul(a, b, false, true) * 2.0, 0.0);
  node.setOutput("C", metric == "euclidean" ? e.sqrt(squared) : squared);
}

void importMatMulNBits(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression a = node.operand("A"), packed = node.operand("B"), scales = node.operand("scales");
  int64_t inner = node.intAttribute("K"), outer = node.intAttribute("N"), bits = node.intAttribute("bits", 4);
  int64_t block = node.intAttribute("block_size"), blocks = block > 0 ? (inner + block - 1) / block : 0;
  node.intAttribute("accuracy_level");
  if (inner <= 0 || outer <= 0 || blocks == 0 || (bits != 2 && bits != 4 && bits != 8))
    return node.report("attributes K, N, block_size and bits are " + std::to_string(inner) + ", " +
                       std::to_string(outer) + ", " + std::to_string(block) + " and " + std::to_string(bits) +
                       ", expected positive numbers and 2, 4 or 8 bits");
  if (node.intAttribute("weight_prepacked") != 0 || node.hasInput("g_idx"))
    return node.report("has prepacked weights or indices of groups, which are not supported");
  if (a.type().isDynamicDim(static_cast<unsigned>(a.rank() - 1))) {
    llvm::SmallVector<int64_t> shape(static_cast<size_t>(a.rank()), 0);
    shape.back() = inner;
    a = e.reshape(a, shape);
  }
  // Scales are read for several columns at once.
  Type type = a.type().getElementType();
  auto perBlock = [&](Expression values) {
    return e.transpose(e.cast(e.reshape(values, {outer, blocks}), type), {1, 0});
  };
  Value zeros;
  if (Value given = node.input("zero_points")) {
    Expression points = node.wrap(given);
    if (!isa<FloatType>(points.type().getElementType()))
      points = pd::unpackBits(e.reshape(points, {outer, -1}), bits, blocks);
    zeros = perBlock(points);
  }
  Expression out =
      node.create<pd::BlockQuantizedMatmulOp>(a, e.reshape(packed, {outer, -1}), perBlock(scales), zeros,
                                              static_cast<uint64_t>(block), static_cast<uint64_t>(bits));
  if (Value bias = node.input("bias"))
    out = out + node.wrap(bias);
  node.setOutput("Y", out);
}

/// Weights of two 4-bit numbers in each byte, the first one in the high bits: places in a table of 16 floats,
/// times the scale of their block.
void importMatMulBnb4(NodeImporter &node) {
  static constexpr double fp4[] = {
      0,   5.208333333e-03,  0.66666667,  1,  0.33333333,  0.5,  0.16666667,  0.25,
      -0., -5.208333333e-03, -0.66666667, -1, -0.33333333, -0.5, -0.16666667, -0.25};
  // The quantiles of the normal distribution (Dettmers et al., "QLoRA", 2023).
  static constexpr double nf4[] = {-1.0,
                                   -0.6961928009986877,
                                   -0.5250730514526367,
                                   -0.39491748809814453,
                                   -0.28444138169288635,
                                   -0.18477343022823334,
                                   -0.09105003625154495,
                                   0.0,
                                   0.07958029955625534,
                                   0.16093020141124725,
                                   0.24611230194568634,
                                   0.33791524171829224,
                                   0.44070982933044434,
                                   0.5626170039176941,
                                   0.7229568362236023,
                                   1.0};
  pd::TensorBuilder &e = node.tensors();
  Type i32 = node.getBuilder().getI32Type(), f32 = node.getBuilder().getF32Type();
  int64_t inner = node.intAttribute("K"), outer = node.intAttribute("N"),
          block = node.intAttribute("block_size");
  int64_t type = node.intAttribute("quant_type");
  node.boolAttribute("training_mode");
  if (inner <= 0 || outer <= 0 || block <= 0 || type < 0 || type > 1)
    return node.report("attributes K, N, block_size and quant_type are " + llvm::Twine(inner) + ", " +
                       llvm::Twine(outer) + ", " + llvm::Twine(block) + " and " + llvm::Twine(type) +
                       ", expected positive numbers and 0 or 1");
  if (node.intAttribute("transB", 1) != 1)
    return node.report("attribute 'transB' is 0, expected 1");
  Expression bytes = e.cast(e.reshape(node.operand("B"), {-1, 1}), i32);
  Expression halves = node.create<pd::BitwiseRightShiftOp>(bytes, node.numbers({4, 0}, i32), true);
  Expression codes = e.reshape(node.create<pd::BitwiseAndOp>(halves, e.constant(15, i32)), {-1});
  Expression values =
      node.create<pd::GatherOp>(node.numbers(type == 0 ? fp4 : nf4, f32), codes, Value(), uint64_t(0));
  // The last block may be smaller.
  int64_t count = inner * outer, blocks = (count + block - 1) / block;
  Expression a = node.operand("A"), scales = e.cast(e.reshape(node.operand("absmax"), {blocks, 1}), f32);
  Expression scale =
      slice(e.reshape(scales * expandTo(e.constant(1, f32), {blocks, block}), {-1}), 0, 0, count);
  Expression weights = e.reshape(slice(values, 0, 0, count) * scale, {outer, inner});
  node.setOutput("Y", e.matmul(a, e.cast(weights, a.type().getElementType()), false, true));
}

/// Rows of a table that is quantized in blocks along another dimension.
void importGatherBlockQuantized(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Type i64 = node.getBuilder().getI64Type(), f32 = node.getBuilder().getF32Type();
  Expression data = node.operand("data"), scales = node.operand("scales");
  int64_t rank = data.rank(), bits = node.intAttribute("bits", 4),
          block = node.intAttribute("block_size", 128);
  auto dimension = [&](llvm::StringRef name, int64_t otherwise) {
    int64_t axis = node.intAttribute(name, otherwise);
    return axis < 0 ? axis + rank : axis;
  };
  int64_t rows = dimension("gather_axis", 0), along = dimension("quantize_axis", 1);
  if (rows == along || rows < 0 || along < 0 || rows >= rank || along >= rank || block < 1 ||
      (bits != 2 && bits != 4 && bits != 8))
    return node.report(
        "expected two dimensions 'gather_axis' and 'quantize_axis', a positive 'block_size', and "
        "2, 4 or 8 'bits'");
  // Bytes have `bits` bits for each number; the elements of int4 and uint4 are integers already.
  bool isPacked = data.type().getElementType().isUnsignedInteger(8) &&
                  node.getGraph().storedType(data) == onnx::DataType::Undefined;
  Expression index = e.cast(node.operand("indices"), i64), size = e.wrap(DimSize(data, rows).getValue(e));
  index = e.select(index < 0.0, index + size, index);
  auto taken = [&](Expression table) { return node.create<pd::GatherOp>(table, index, Value(), rows); };
  auto values = [&](Expression codes, int64_t count) {
    return e.cast(isPacked ? pd::unpackBits(codes, bits, count) : codes, f32);
  };
  int64_t shift = along > rows ? index.rank() - 1 : 0;
  Expression codes = values(taken(data), pd::toTheEnd);
  Expression blocks = node.create<pd::FloorDivideOp>(iota(e, DimSize(codes, along + shift), i64),
                                                     e.constant(static_cast<double>(block), i64));
  auto perNumber = [&](Expression perBlock) {
    return node.create<pd::GatherOp>(perBlock, blocks, Value(), along + shift);
  };
  Expression ofRows = taken(scales);
  if (Value zeros = node.input("zero_points"))
    codes = codes - perNumber(values(taken(node.wrap(zeros)), scales.type().getDimSize(rank - 1)));
  else if (isPacked)
    codes = codes - static_cast<double>(1 << (bits - 1));
  node.setOutput("output", e.cast(codes * e.cast(perNumber(ofRows), f32), scales.type().getElementType()));
}

} // namespace onnxhooks
} // namespace proa::import
