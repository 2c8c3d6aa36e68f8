//! Hooks of fused legacy ops, which become several ops. Passes fuse again where it pays.
#include "translator/import/common/TensorOps.h"
#include "translator/import/legacy/LegacyTable.h"
#include "translator/import/legacy/hooks/Activations.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/linalg/Contract.h"
#include "dialects/pd/ops/nn/ClickThrough.h"
#include "dialects/pd/ops/nn/EmbeddingOps.h"
#include "dialects/pd/ops/nn/NormOps.h"
#include "dialects/pd/ops/nn/RmsNormOps.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/sequence/Recurrent.h"
#include "dialects/pd/ops/sequence/SequenceOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/View.h"

using namespace mlir;

namespace proa::import::hooks {
namespace {

/// The activation of that name; x itself for an empty one and "identity".
Value activated(OpImporter &importer, Value x, llvm::StringRef name) {
  if (!x || name.empty() || name == "identity")
    return x;
  if (llvm::is_contained({"relu", "relu6", "sigmoid", "tanh", "gelu"}, name))
    return activation(importer.wrap(x), name);
  importer.report("activation '" + name +
                  "' is not known, expected relu, relu6, sigmoid, tanh, gelu, identity or none");
  return {};
}

/// x, flattened to a matrix, times the weight, plus a bias, which may be null.
Expression fullyConnected(OpImporter &importer, Value x, Value weight, Value bias, int64_t rows) {
  TensorBuilder &e = importer.tensors();
  Expression out = e.wrap(e.create<pd::MatmulWithFlattenOp>(x, weight, rows, 1));
  return bias ? out + e.reshape(e.wrap(bias), {-1}) : out;
}

/// Aligns the dims of y with the dims of x from `axis` on; -1: with the last ones.
Expression alignedTo(Expression y, Expression x, int64_t axis) {
  int64_t rank = x.rank(), own = y.rank();
  if (axis < 0 || own >= rank || axis + own >= rank)
    return y;
  llvm::SmallVector<int64_t> shape(own, 0);
  shape.append(rank - axis - own, 1);
  return y.owner().reshape(y, shape);
}

bool isBinary(llvm::StringRef functor) { return functor.starts_with("elementwise_"); }

Value applyBinary(OpImporter &importer, llvm::StringRef functor, Expression x, Expression y) {
  if (functor == "elementwise_add")
    return x + y;
  if (functor == "elementwise_mul")
    return x * y;
  importer.report("attribute 'functor_list' holds '" + functor +
                  "', expected elementwise_add or elementwise_mul");
  return {};
}

Value applyUnary(OpImporter &importer, llvm::StringRef functor, Value x) {
  if (functor != "scale")
    return activated(importer, x, functor);
  return scale(importer.wrap(x), importer.floatAttribute("scale", 0));
}

/// A layer norm with the attribute epsilon of the legacy op. `factor` and `bias` may be null.
pd::LayerNormOp layerNorm(OpImporter &importer, Value x, Value factor, Value bias, int64_t axis) {
  return pd::LayerNormOp::create(importer.getBuilder(), importer.getLocation(), x, factor, bias,
                                 llvm::APFloat(importer.floatAttribute("epsilon", 1e-5)), axis);
}

} // namespace

void importFc(OpImporter &importer) {
  Value x = importer.requiredInput("Input"), weight = importer.requiredInput("W");
  if (!x || !weight)
    return;
  if (importer.boolAttribute("padding_weights", false))
    return importer.report("attribute 'padding_weights' is true: padded weights are not supported");
  Expression out = fullyConnected(importer, x, weight, importer.input("Bias"),
                                  importer.intAttribute("in_num_col_dims", 1));
  if (Value residual = importer.input("ResidualData"))
    out = out + importer.wrap(residual);
  importer.setOutput("Out", activated(importer, out, importer.stringAttribute("activation_type", "")));
}

/// Unary(Binary(x, y)), or Binary(x, Unary(y)) where the binary function comes first.
void importFusedElementwise(OpImporter &importer) {
  Value x = importer.requiredInput("X"), y = importer.requiredInput("Y");
  llvm::SmallVector<std::string> functors = importer.stringsAttribute("functor_list");
  if (!x || !y)
    return;
  // The gradient op names the functions' gradients.
  for (std::string &functor : functors)
    functor = llvm::StringRef(functor).drop_back(llvm::StringRef(functor).ends_with("_grad") ? 5 : 0).str();
  if (functors.size() != 2 || isBinary(functors[0]) == isBinary(functors[1]))
    return importer.report("attribute 'functor_list' must name one function of two operands and one of one");
  int64_t axis = importer.intAttribute("axis", -1);
  bool binaryIsOuter = isBinary(functors[0]);
  Expression left = importer.wrap(x), right = importer.wrap(y);
  Value inner = binaryIsOuter ? applyUnary(importer, functors[1], y)
                              : applyBinary(importer, functors[1], left, alignedTo(right, left, axis));
  if (!inner)
    return;
  Value out = binaryIsOuter
                  ? applyBinary(importer, functors[0], left, alignedTo(importer.wrap(inner), left, axis))
                  : applyUnary(importer, functors[0], inner);
  importer.setOutput("Out", out);
  importer.setOutput("IntermediateOut", inner);
}

/// The normalized sum of x and y.
void importSkipLayerNorm(OpImporter &importer) {
  Value x = importer.requiredInput("X"), y = importer.requiredInput("Y");
  if (x && y)
    importer.setOutput("Out",
                       layerNorm(importer, importer.wrap(x) + importer.wrap(y), importer.input("Scale"),
                                 importer.input("Bias"), importer.intAttribute("begin_norm_axis", 2))
                           .getOut());
}

/// The normalized sum of y and a fully connected layer.
void importFcElementwiseLayerNorm(OpImporter &importer) {
  Value x = importer.requiredInput("X"), weight = importer.requiredInput("W"),
        y = importer.requiredInput("Y");
  if (!x || !weight || !y)
    return;
  Value connected = fullyConnected(importer, x, weight, importer.input("Bias0"),
                                   importer.intAttribute("x_num_col_dims", 1));
  connected = activated(importer, connected, importer.stringAttribute("activation_type", ""));
  if (!connected)
    return;
  auto norm = layerNorm(importer, importer.wrap(connected) + importer.wrap(y), importer.input("Scale"),
                        importer.input("Bias1"), importer.intAttribute("begin_norm_axis", 1));
  importer.setOutput("Out", norm.getOut());
  importer.setOutput("Mean", norm.getMean());
  importer.setOutput("Variance", norm.getVariance());
}

/// The normalized sum of rows of several tables.
void importEmbeddingEltwiseLayerNorm(OpImporter &importer) {
  Operands ids = importer.inputs("Ids"), tables = importer.inputs("Embs");
  if (ids.empty() || ids.size() != tables.size())
    return importer.report("inputs 'Ids' and 'Embs' hold " + llvm::Twine(ids.size()) + " and " +
                           llvm::Twine(tables.size()) + " variables, expected as many of both");
  TensorBuilder &e = importer.tensors();
  Value sum;
  for (auto [index, table] : llvm::zip(ids, tables)) {
    // Ids may have a last dimension of 1, which the rows replace.
    if (pd::tensorType(index).getRank() == 3)
      index = e.create<pd::SqueezeOp>(index, Value(), llvm::ArrayRef<int64_t>(2));
    Expression rows = e.wrap(e.create<pd::EmbeddingOp>(index, table));
    sum = sum ? e.wrap(sum) + rows : rows;
  }
  importer.setOutput("Out",
                     layerNorm(importer, sum, importer.input("Scale"), importer.input("Bias"), 2).getOut());
}

void importFusionRepeatedFcRelu(OpImporter &importer) {
  Value out = importer.requiredInput("X");
  Operands weights = importer.inputs("W"), biases = importer.inputs("Bias"), steps;
  if (weights.empty() || weights.size() != biases.size())
    return importer.report("inputs 'W' and 'Bias' hold " + llvm::Twine(weights.size()) + " and " +
                           llvm::Twine(biases.size()) + " variables, expected as many of both");
  for (auto [weight, bias] : llvm::zip(weights, biases)) {
    if (!out)
      return;
    out = activated(importer, fullyConnected(importer, out, weight, bias, 1), "relu");
    steps.push_back(out);
  }
  steps.pop_back();
  importer.setOutputs("ReluOut", steps);
  importer.setOutput("Out", out);
}

/// Each sequence of each input becomes one row. The rows of all inputs are concatenated.
void importFusionSeqpoolConcat(OpImporter &importer) {
  if (!importer.boolAttribute("use_cvm", true))
    return importer.report("attribute 'use_cvm' is false, expected true");
  Operands rows, levels = importer.innermostLods("X"), inputs = importer.inputs("X");
  if (levels.size() != inputs.size() || inputs.empty())
    return;
  auto pooling = importer.enumAttribute<pd::SequencePoolType>("pooltype", "SUM");
  if (!pooling)
    return;
  TensorBuilder &e = importer.tensors();
  for (auto [x, offsets] : llvm::zip(inputs, levels)) {
    rows.push_back(e.create<pd::SequencePoolOp>(x, offsets, *pooling, llvm::APFloat(0.0)));
    if (importer.legacyOp().type == "fusion_seqpool_cvm_concat")
      rows.back() = e.create<pd::CvmOp>(rows.back(), Value(), true);
  }
  importer.setOutput("Out", concat(importer.tensors(), rows, importer.intAttribute("axis", 1)));
  // Each row is a sequence: offsets 0, 1, 2, ...
  Expression ones = fullLike(importer.wrap(levels[0]), 1);
  importer.setOutputLod("Out",
                        {apply<pd::CumsumOp>(ones, Value(), 0, /*flatten=*/false, /*exclusive=*/true)});
}

void importFusedEmbeddingSeqPool(OpImporter &importer) {
  Value table = importer.requiredInput("W"), ids = importer.requiredInput("Ids");
  Operands levels = importer.innermostLods("Ids");
  if (!table || !ids || levels.size() != 1)
    return;
  // Each of the ids of a row gives a piece of the row.
  TensorBuilder &e = importer.tensors();
  Value rows = e.create<pd::EmbeddingOp>(ids, table, importer.intAttribute("padding_idx", -1));
  rows = e.create<pd::FlattenToMatrixOp>(rows, 1);
  importer.setOutput(
      "Out", e.create<pd::SequencePoolOp>(rows, levels[0], pd::SequencePoolType::Sum, llvm::APFloat(0.0)));
}

void importFusionSeqconvEltaddRelu(OpImporter &importer) {
  Value x = importer.requiredInput("X"), filter = importer.requiredInput("Filter"),
        bias = importer.requiredInput("Bias");
  Operands levels = importer.innermostLods("X");
  if (!x || !filter || !bias || levels.size() != 1)
    return;
  Expression out = importer.wrap(importer.tensors().create<pd::SequenceConvOp>(
      x, levels[0], Value(), filter, importer.intAttribute("contextLength", 1),
      importer.intAttribute("contextStart", 0), importer.intAttribute("contextStride", 1)));
  importer.setOutput("Out", activated(importer, out + importer.wrap(bias), "relu"));
  importer.setOutputLod("Out", importer.lod("X"));
}

/// The first input, beside it the rows of the others, repeated by the sequence lengths of the first; then a
/// fully connected layer.
void importFusionSeqexpandConcatFc(OpImporter &importer) {
  Operands inputs = importer.inputs("X"), levels = importer.lod("X");
  Value weight = importer.requiredInput("FCWeight");
  if (!weight || inputs.size() < 2)
    return importer.report("input 'X' holds " + llvm::Twine(inputs.size()) +
                           " variables, expected two or more");
  if (levels.size() != 1)
    return importer.report("the first of input 'X' has " + llvm::Twine(levels.size()) +
                           " LoD levels, expected one");
  Operands pieces{inputs[0]};
  TensorBuilder &e = importer.tensors();
  for (Value rows : llvm::ArrayRef(inputs).drop_front())
    pieces.push_back(e.create<pd::SequenceExpandAsOp>(rows, inputs[0], levels[0]));
  Value out = fullyConnected(importer, concat(e, pieces, 1), weight, importer.input("FCBias"), 1);
  out = activated(importer, out, importer.stringAttribute("fc_activation", "identity"));
  importer.setOutput("Out", out);
  if (out)
    importer.setOutputLod("Out", levels);
}

/// A gru after a projection of its input. Paddle's kernel does not read origin_mode.
void importFusionGru(OpImporter &importer) {
  Value x = importer.requiredInput("X"), weightX = importer.requiredInput("WeightX"),
        weight = importer.requiredInput("WeightH");
  Operands levels = importer.innermostLods("X");
  if (!x || !weightX || !weight || levels.size() != 1)
    return;
  Value projected = fullyConnected(importer, x, weightX, importer.input("Bias"), 1),
        h0 = importer.input("H0");
  auto activation = importer.enumAttribute<pd::Activation>("activation", "tanh"),
       gate = importer.enumAttribute<pd::Activation>("gate_activation", "sigmoid");
  if (!activation || !gate)
    return;
  Value hidden = importer.tensors().create<pd::GruOp>(projected, weight, levels[0], h0, Value(), *activation,
                                                      *gate, importer.boolAttribute("is_reverse", false));
  importer.setOutput("Hidden", hidden);
  importer.setOutputLod("Hidden", importer.lod("X"));
}

namespace {

/// An lstm of the projected input, with the LoD of `slotOfLod`.
void importLstmOf(OpImporter &importer, Value projected, Value bias, llvm::StringRef slotOfLod) {
  Value weight = importer.requiredInput("WeightH"), h0 = importer.input("H0"), c0 = importer.input("C0");
  Operands levels = importer.innermostLods(slotOfLod);
  if (!projected || !bias || !weight || levels.size() != 1)
    return;
  auto gate = importer.enumAttribute<pd::Activation>("gate_activation", "sigmoid"),
       cell = importer.enumAttribute<pd::Activation>("cell_activation", "tanh"),
       candidate = importer.enumAttribute<pd::Activation>("candidate_activation", "tanh");
  if (!gate || !cell || !candidate)
    return;
  auto lstm = importer.createOp<pd::LstmOp>(
      projected, weight, bias, levels[0], h0, c0, importer.boolAttribute("use_peepholes", true),
      importer.boolAttribute("is_reverse", false), *gate, *cell, *candidate);
  for (auto [slot, value] : {std::pair("Hidden", lstm.getHidden()), std::pair("Cell", lstm.getCell())}) {
    importer.setOutput(slot, value);
    importer.setOutputLod(slot, importer.lod(slotOfLod));
  }
}

} // namespace

/// An lstm after a projection of its input.
void importFusionLstm(OpImporter &importer) {
  Value x = importer.requiredInput("X"), weight = importer.requiredInput("WeightX");
  if (x && weight)
    importLstmOf(importer, fullyConnected(importer, x, weight, Value(), 1), importer.requiredInput("Bias"),
                 "X");
}

/// An lstm whose projected inputs, with the bias added, are rows of a table. Only the peepholes of Bias are
/// read.
void importFusedEmbeddingFcLstm(OpImporter &importer) {
  Value ids = importer.requiredInput("Ids"), table = importer.requiredInput("Embeddings"),
        bias = importer.requiredInput("Bias");
  if (!ids || !table || !bias)
    return;
  int64_t width =
      pd::tensorType(table).getRank() == 2 ? pd::tensorType(table).getDimSize(1) : ShapedType::kDynamic;
  if (ShapedType::isDynamic(width))
    return importer.reportOpen("expected a table of a known width");
  TensorBuilder &e = importer.tensors();
  Expression all = e.wrap(bias), used = fullLike(columns(all, 0, width), 0);
  if (importer.boolAttribute("use_peepholes", true))
    used = beside(used, columns(all, width, toTheEnd));
  importLstmOf(importer, gather(e.wrap(table), e.reshape(e.wrap(ids), {-1})), used, "Ids");
}

/// The first version may have a tensor of the result's shape.
void importCropV1(OpImporter &importer) {
  Value x = importer.requiredInput("X"), like = importer.input("Y"), offsets = importer.input("Offsets");
  if (!x)
    return;
  TensorBuilder &e = importer.tensors();
  Value shape = like ? e.create<pd::ShapeOp>(like) : Value();
  importer.setOutput("Out", e.create<pd::CropOp>(x, shape, offsets, importer.intsAttribute("shape"),
                                                 importer.intsAttribute("offsets")));
}

/// Until Paddle 3.2 the op also added a bias and a residual first, and had the first normalized dimension as
/// an attribute.
void importRmsNorm(OpImporter &importer) {
  if (!importer.inputSlot("norm_weight"))
    return importer.importByTable();
  Value x = importer.requiredInput("x"), weight = importer.requiredInput("norm_weight");
  if (!x || !weight)
    return;
  if (importer.floatAttribute("quant_scale", -1) > 0)
    return importer.report("attribute 'quant_scale': results in int8 are not supported");
  TensorBuilder &e = importer.tensors();
  for (const char *slot : {"bias", "residual"})
    if (Value added = importer.input(slot))
      x = e.wrap(x) + e.wrap(added);
  auto type = pd::tensorType(x);
  int64_t axis = importer.intAttribute("begin_norm_axis", -1);
  axis = axis < 0 ? axis + type.getRank() : axis;
  if (axis < 0 || axis >= type.getRank())
    return importer.report("attribute 'begin_norm_axis' must be a dimension of " +
                           llvm::Twine(type.getRank()));
  llvm::ArrayRef<int64_t> normalized = type.getShape().drop_front(axis);
  Expression out = e.wrap(e.create<pd::RmsNormOp>(x, weight, normalized,
                                                  llvm::APFloat(importer.floatAttribute("epsilon", 1e-5))));
  if (Value bias = importer.input("norm_bias"))
    out = out + (normalized.size() == 1 ? e.wrap(bias) : e.reshape(e.wrap(bias), normalized));
  importer.setOutput("out", out);
  importer.setOutput("residual_out", x);
}

} // namespace proa::import::hooks
