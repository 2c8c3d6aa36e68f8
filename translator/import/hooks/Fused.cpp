//! Hooks of legacy ops that stand for several: fused ones, which are taken apart. Passes fuse again what is
//! worth it.
#include "translator/import/LegacyTable.h"
#include "translator/import/hooks/Formula.h"

#include "dialects/pd/ir/Infer.h"

using namespace mlir;

namespace proa::import::hooks {
namespace {

NamedAttribute integer(OpImporter &importer, llvm::StringRef name, int64_t value) {
  return importer.named(name, importer.getBuilder().getI64IntegerAttr(value));
}

NamedAttribute flag(OpImporter &importer, llvm::StringRef name, bool value) {
  return importer.named(name, importer.getBuilder().getBoolAttr(value));
}

NamedAttribute word(OpImporter &importer, llvm::StringRef name, llvm::StringRef value) {
  return importer.named(name, importer.getBuilder().getStringAttr(value));
}

NamedAttribute integers(OpImporter &importer, llvm::StringRef name, llvm::ArrayRef<int64_t> value) {
  return importer.named(name, importer.getBuilder().getDenseI64ArrayAttr(value));
}

/// The activation of that name; x itself for an empty one and "identity".
Value activated(OpImporter &importer, Value x, llvm::StringRef name) {
  if (!x || name.empty() || name == "identity")
    return x;
  if (!llvm::is_contained({"relu", "sigmoid", "tanh", "gelu", "relu6"}, name)) {
    importer.report("activation '" + name +
                    "' is not known, expected relu, relu6, sigmoid, tanh, gelu, identity or none");
    return {};
  }
  return importer.createOne(("pd." + name).str(), {{x}});
}

/// x, flattened to a matrix, times the weight, plus a bias, which may be null.
Value fullyConnected(OpImporter &importer, Value x, Value weight, Value bias, int64_t rows) {
  Value out =
      importer.createOne("pd.matmul_with_flatten", {{x}, {weight}},
                         {integer(importer, "x_num_col_dims", rows), integer(importer, "y_num_col_dims", 1)});
  if (!out || !bias)
    return out;
  Value vector = importer.createOne("pd.reshape", {{bias}, {}}, {integers(importer, "shape", {-1})});
  return vector ? importer.createOne("pd.add", {{out}, {vector}}) : Value();
}

/// y's dimensions at x's from `axis` on; -1: at the last ones.
Value alignedTo(OpImporter &importer, Value y, Value x, int64_t axis) {
  int64_t rank = pd::tensorType(x).getRank(), own = pd::tensorType(y).getRank();
  if (axis < 0 || own >= rank || axis + own >= rank)
    return y;
  llvm::SmallVector<int64_t> shape(own, 0);
  shape.append(rank - axis - own, 1);
  return importer.createOne("pd.reshape", {{y}, {}}, {integers(importer, "shape", shape)});
}

bool isBinary(llvm::StringRef functor) { return functor.starts_with("elementwise_"); }

Value applyBinary(OpImporter &importer, llvm::StringRef functor, Value x, Value y) {
  if (functor == "elementwise_add")
    return importer.createOne("pd.add", {{x}, {y}});
  if (functor == "elementwise_mul")
    return importer.createOne("pd.multiply", {{x}, {y}});
  importer.report("attribute 'functor_list' holds '" + functor +
                  "', expected elementwise_add or elementwise_mul");
  return {};
}

Value applyUnary(OpImporter &importer, llvm::StringRef functor, Value x) {
  if (functor != "scale")
    return activated(importer, x, functor);
  Builder &builder = importer.getBuilder();
  return importer.createOne(
      "pd.scale", {{x}, {}, {}},
      {importer.named("scale", builder.getF64FloatAttr(importer.floatAttribute("scale", 0)))});
}

Value layerNorm(OpImporter &importer, Value x, Value scale, Value bias, int64_t axis, Operands &results) {
  Builder &builder = importer.getBuilder();
  results = importer.create(
      "pd.layer_norm", {{x}, scale ? Operands{scale} : Operands{}, bias ? Operands{bias} : Operands{}},
      {importer.named("epsilon", builder.getF64FloatAttr(importer.floatAttribute("epsilon", 1e-5))),
       integer(importer, "begin_norm_axis", axis)});
  return results.empty() ? Value() : results[0];
}

} // namespace

void importFc(OpImporter &importer) {
  Value x = importer.requiredInput("Input"), weight = importer.requiredInput("W");
  if (!x || !weight)
    return;
  if (importer.boolAttribute("padding_weights", false))
    return importer.report("attribute 'padding_weights' is true: padded weights can't be imported");
  Value out = fullyConnected(importer, x, weight, importer.input("Bias"),
                             importer.intAttribute("in_num_col_dims", 1));
  if (Value residual = importer.input("ResidualData"))
    out = importer.createOne("pd.add", {{out}, {residual}});
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
  Value inner = binaryIsOuter ? applyUnary(importer, functors[1], y)
                              : applyBinary(importer, functors[1], x, alignedTo(importer, y, x, axis));
  if (!inner)
    return;
  Value out = binaryIsOuter ? applyBinary(importer, functors[0], x, alignedTo(importer, inner, x, axis))
                            : applyUnary(importer, functors[0], inner);
  importer.setOutput("Out", out);
  importer.setOutput("IntermediateOut", inner);
}

/// The normalized sum of x and y.
void importSkipLayerNorm(OpImporter &importer) {
  Value x = importer.requiredInput("X"), y = importer.requiredInput("Y");
  Operands results;
  Value sum = x && y ? importer.createOne("pd.add", {{x}, {y}}) : Value();
  if (sum)
    importer.setOutput("Out", layerNorm(importer, sum, importer.input("Scale"), importer.input("Bias"),
                                        importer.intAttribute("begin_norm_axis", 2), results));
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
  Value sum = connected ? importer.createOne("pd.add", {{connected}, {y}}) : Value();
  Operands results;
  if (!sum || !layerNorm(importer, sum, importer.input("Scale"), importer.input("Bias1"),
                         importer.intAttribute("begin_norm_axis", 1), results))
    return;
  importer.setOutput("Out", results[0]);
  importer.setOutput("Mean", results[1]);
  importer.setOutput("Variance", results[2]);
}

/// The normalized sum of rows of several tables.
void importEmbeddingEltwiseLayerNorm(OpImporter &importer) {
  Operands ids = importer.inputs("Ids"), tables = importer.inputs("Embs");
  if (ids.empty() || ids.size() != tables.size())
    return importer.report("inputs 'Ids' and 'Embs' hold " + llvm::Twine(ids.size()) + " and " +
                           llvm::Twine(tables.size()) + " variables, expected as many of both");
  Value sum;
  for (auto [index, table] : llvm::zip(ids, tables)) {
    auto type = pd::tensorType(index);
    // Ids may have a last dimension of 1, which the rows replace.
    if (type.getRank() == 3)
      index = importer.createOne("pd.squeeze", {{index}, {}}, {integers(importer, "axis", {2})});
    Value rows = index ? importer.createOne("pd.embedding", {{index}, {table}}) : Value();
    sum = sum && rows ? importer.createOne("pd.add", {{sum}, {rows}}) : rows;
    if (!sum)
      return;
  }
  Operands results;
  importer.setOutput("Out",
                     layerNorm(importer, sum, importer.input("Scale"), importer.input("Bias"), 2, results));
}

void importFusionRepeatedFcRelu(OpImporter &importer) {
  Value out = importer.requiredInput("X");
  Operands weights = importer.inputs("W"), biases = importer.inputs("Bias"), steps;
  if (weights.empty() || weights.size() != biases.size())
    return importer.report("inputs 'W' and 'Bias' hold " + llvm::Twine(weights.size()) + " and " +
                           llvm::Twine(biases.size()) + " variables, expected as many of both");
  for (auto [weight, bias] : llvm::zip(weights, biases)) {
    out = out ? activated(importer, fullyConnected(importer, out, weight, bias, 1), "relu") : Value();
    if (!out)
      return;
    steps.push_back(out);
  }
  steps.pop_back();
  importer.setOutputs("ReluOut", steps);
  importer.setOutput("Out", out);
}

/// Each sequence of each input becomes one row; the rows of all inputs stand side by side.
void importFusionSeqpoolConcat(OpImporter &importer) {
  if (!importer.boolAttribute("use_cvm", true))
    return importer.report("attribute 'use_cvm' is false, expected true");
  Operands rows, levels = importer.innermostLods("X"), inputs = importer.inputs("X");
  if (levels.size() != inputs.size() || inputs.empty())
    return;
  for (auto [x, offsets] : llvm::zip(inputs, levels)) {
    Operands pooled =
        importer.create("pd.sequence_pool", {{x}, {offsets}},
                        {word(importer, "pooltype", importer.stringAttribute("pooltype", "SUM"))});
    if (pooled.empty())
      return;
    if (importer.legacyOp().type == "fusion_seqpool_cvm_concat")
      pooled = importer.create("pd.cvm", {{pooled[0]}}, {flag(importer, "use_cvm", true)});
    if (pooled.empty())
      return;
    rows.push_back(pooled[0]);
  }
  Value out = importer.createOne("pd.concat", {rows, {}},
                                 {integer(importer, "axis", importer.intAttribute("axis", 1))});
  // Each row is a sequence: offsets 0, 1, 2, ...
  Value ones = importer.createOne("pd.full_like", {{levels[0]}, {}},
                                  {importer.named("value", importer.getBuilder().getF64FloatAttr(1))});
  Value offsets = ones ? importer.createOne("pd.cumsum", {{ones}, {}},
                                            {integer(importer, "axis", 0), flag(importer, "exclusive", true)})
                       : Value();
  importer.setOutput("Out", out);
  if (out && offsets)
    importer.setOutputLod("Out", {offsets});
}

void importFusedEmbeddingSeqPool(OpImporter &importer) {
  Value table = importer.requiredInput("W"), ids = importer.requiredInput("Ids");
  Operands levels = importer.innermostLods("Ids");
  if (!table || !ids || levels.size() != 1)
    return;
  // Each of the ids of a row gives a part of the row.
  Value rows =
      importer.createOne("pd.embedding", {{ids}, {table}},
                         {integer(importer, "padding_idx", importer.intAttribute("padding_idx", -1))});
  rows =
      rows ? importer.createOne("pd.flatten_to_matrix", {{rows}}, {integer(importer, "axis", 1)}) : Value();
  if (!rows)
    return;
  Operands pooled =
      importer.create("pd.sequence_pool", {{rows}, {levels[0]}}, {word(importer, "pooltype", "SUM")});
  if (!pooled.empty())
    importer.setOutput("Out", pooled[0]);
}

void importFusionSeqconvEltaddRelu(OpImporter &importer) {
  Value x = importer.requiredInput("X"), filter = importer.requiredInput("Filter"),
        bias = importer.requiredInput("Bias");
  Operands levels = importer.innermostLods("X");
  if (!x || !filter || !bias || levels.size() != 1)
    return;
  Value out =
      importer.createOne("pd.sequence_conv", {{x}, {levels[0]}, {}, {filter}},
                         {integer(importer, "context_length", importer.intAttribute("contextLength", 1)),
                          integer(importer, "context_start", importer.intAttribute("contextStart", 0)),
                          integer(importer, "context_stride", importer.intAttribute("contextStride", 1))});
  out = out ? importer.createOne("pd.add", {{out}, {bias}}) : Value();
  importer.setOutput("Out", activated(importer, out, "relu"));
  if (out)
    importer.setOutputLod("Out", importer.lod("X"));
}

/// The rows of the others, repeated as the sequences of the first are long, beside it; then a fully connected
/// layer.
void importFusionSeqexpandConcatFc(OpImporter &importer) {
  Operands inputs = importer.inputs("X"), levels = importer.lod("X");
  Value weight = importer.requiredInput("FCWeight");
  if (!weight || inputs.size() < 2)
    return importer.report("input 'X' holds " + llvm::Twine(inputs.size()) +
                           " variables, expected two or more");
  if (levels.size() != 1)
    return importer.report("the first of input 'X' has " + llvm::Twine(levels.size()) +
                           " LoD levels, expected one");
  Operands parts{inputs[0]};
  for (Value rows : llvm::ArrayRef(inputs).drop_front()) {
    parts.push_back(importer.createOne("pd.sequence_expand_as", {{rows}, {inputs[0]}, {levels[0]}}));
    if (!parts.back())
      return;
  }
  Value joined = importer.createOne("pd.concat", {parts, {}}, {integer(importer, "axis", 1)});
  Value out = joined ? fullyConnected(importer, joined, weight, importer.input("FCBias"), 1) : Value();
  out = activated(importer, out, importer.stringAttribute("fc_activation", "identity"));
  importer.setOutput("Out", out);
  if (out)
    importer.setOutputLod("Out", levels);
}

/// A gru whose input is multiplied with a weight first. Paddle's kernel does not look at origin_mode.
void importFusionGru(OpImporter &importer) {
  Value x = importer.requiredInput("X"), weightX = importer.requiredInput("WeightX"),
        weight = importer.requiredInput("WeightH");
  Operands levels = importer.innermostLods("X");
  if (!x || !weightX || !weight || levels.size() != 1)
    return;
  Value projected = fullyConnected(importer, x, weightX, importer.input("Bias"), 1),
        h0 = importer.input("H0");
  if (!projected)
    return;
  Value hidden = importer.createOne(
      "pd.gru", {{projected}, {weight}, {levels[0]}, h0 ? Operands{h0} : Operands{}, {}},
      {word(importer, "activation", importer.stringAttribute("activation", "tanh")),
       word(importer, "gate_activation", importer.stringAttribute("gate_activation", "sigmoid")),
       flag(importer, "is_reverse", importer.boolAttribute("is_reverse", false))});
  importer.setOutput("Hidden", hidden);
  if (hidden)
    importer.setOutputLod("Hidden", importer.lod("X"));
}

namespace {

/// An lstm of given products of its input, whose LoD is that in `slot`.
void importLstmOf(OpImporter &importer, Value projected, Value bias, llvm::StringRef slotOfLod) {
  Value weight = importer.requiredInput("WeightH"), h0 = importer.input("H0"), c0 = importer.input("C0");
  Operands levels = importer.innermostLods(slotOfLod);
  if (!projected || !bias || !weight || levels.size() != 1)
    return;
  Operands results = importer.create(
      "pd.lstm",
      {{projected},
       {weight},
       {bias},
       {levels[0]},
       h0 ? Operands{h0} : Operands{},
       c0 ? Operands{c0} : Operands{}},
      {flag(importer, "use_peepholes", importer.boolAttribute("use_peepholes", true)),
       flag(importer, "is_reverse", importer.boolAttribute("is_reverse", false)),
       word(importer, "gate_activation", importer.stringAttribute("gate_activation", "sigmoid")),
       word(importer, "cell_activation", importer.stringAttribute("cell_activation", "tanh")),
       word(importer, "candidate_activation", importer.stringAttribute("candidate_activation", "tanh"))});
  if (results.empty())
    return;
  for (auto [slot, value] : {std::pair("Hidden", results[0]), std::pair("Cell", results[1])}) {
    importer.setOutput(slot, value);
    importer.setOutputLod(slot, importer.lod(slotOfLod));
  }
}

} // namespace

/// An lstm whose input is multiplied with a weight first.
void importFusionLstm(OpImporter &importer) {
  Value x = importer.requiredInput("X"), weight = importer.requiredInput("WeightX");
  if (x && weight)
    importLstmOf(importer, fullyConnected(importer, x, weight, Value(), 1), importer.requiredInput("Bias"),
                 "X");
}

/// One whose products stand in a table, with the bias in them: of Bias the peepholes count alone.
void importFusedEmbeddingFcLstm(OpImporter &importer) {
  Value ids = importer.requiredInput("Ids"), table = importer.requiredInput("Embeddings"),
        bias = importer.requiredInput("Bias");
  if (!ids || !table || !bias)
    return;
  int64_t width =
      pd::tensorType(table).getRank() == 2 ? pd::tensorType(table).getDimSize(1) : ShapedType::kDynamic;
  if (ShapedType::isDynamic(width))
    return importer.reportOpen("expected a table of a known width");
  Formula f(importer);
  Value used = f.make("pd.full_like", {{f.columns(bias, 0, width)}, {}});
  if (importer.boolAttribute("use_peepholes", true))
    used = f.beside(used, f.columns(bias, width, std::numeric_limits<int64_t>::max()));
  importLstmOf(importer, f.gather(table, f.reshape(ids, {-1})), used, "Ids");
}

/// The first version may be given a tensor of the extents that it is to have.
void importCropV1(OpImporter &importer) {
  Value x = importer.requiredInput("X"), like = importer.input("Y"), offsets = importer.input("Offsets");
  if (!x)
    return;
  Operands shape;
  if (like)
    shape.push_back(importer.createOne("pd.shape", {{like}}));
  importer.setOutput("Out",
                     importer.createOne("pd.crop", {{x}, shape, offsets ? Operands{offsets} : Operands{}},
                                        {integers(importer, "shape", importer.intsAttribute("shape")),
                                         integers(importer, "offsets", importer.intsAttribute("offsets"))}));
}

/// Until Paddle 3.2 the op also added a bias and a residual before, and said where the normalized dimensions
/// begin.
void importRmsNorm(OpImporter &importer) {
  if (!importer.inputSlot("norm_weight"))
    return importer.importByTable();
  Value x = importer.requiredInput("x"), weight = importer.requiredInput("norm_weight");
  if (!x || !weight)
    return;
  if (importer.floatAttribute("quant_scale", -1) > 0)
    return importer.report("attribute 'quant_scale': results in int8 are not supported");
  Formula f(importer);
  for (const char *slot : {"bias", "residual"})
    if (Value added = importer.input(slot); added && x)
      x = f.add(x, added);
  if (!x)
    return;
  auto type = pd::tensorType(x);
  int64_t axis = importer.intAttribute("begin_norm_axis", -1);
  axis = axis < 0 ? axis + type.getRank() : axis;
  if (axis < 0 || axis >= type.getRank())
    return importer.report("attribute 'begin_norm_axis' is no dimension of " + llvm::Twine(type.getRank()));
  llvm::SmallVector<Value> results =
      importer.create("pd.rms_norm", {{x}, {weight}},
                      {integers(importer, "normalized_shape", type.getShape().drop_front(axis)),
                       f.number("epsilon", importer.floatAttribute("epsilon", 1e-5))});
  Value out = results.empty() ? Value() : results.front();
  if (Value bias = importer.input("norm_bias"); bias && out)
    out = f.add(out, f.reshape(bias, type.getShape().drop_front(axis)));
  importer.setOutput("out", out);
  importer.setOutput("residual_out", x);
}

} // namespace proa::import::hooks
