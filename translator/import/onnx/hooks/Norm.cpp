//! Hooks of ONNX's normalizations.
#include "translator/import/onnx/GraphImporter.h"

#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/nn/NormOps.h"
#include "dialects/pd/ops/nn/RmsNormOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

#include <numeric>

using namespace mlir;

namespace proa::import::onnxhooks {

using pd::DimSize;
using pd::Expression;

/// A vector with one element for each channel, as [1, channels, 1, ...]; other tensors, which have the dims
/// of an example, as [1, ...].
static Expression perChannel(NodeImporter &node, Expression vector, int64_t rank) {
  if (vector.rank() != 1)
    return insertDim(vector, 0);
  llvm::SmallVector<int64_t> shape(rank, 1);
  shape[1] = -1;
  return node.tensors().reshape(vector, shape);
}

/// Mean and (biased) variance of x over axes, keeping them.
static std::pair<Expression, Expression> momentsOf(NodeImporter &node, Expression x,
                                                   llvm::ArrayRef<int64_t> axes) {
  pd::TensorBuilder &e = node.tensors();
  Expression mean = e.mean(x, axes), centered = x - mean;
  return {mean, e.mean(centered * centered, axes)};
}

//===-- Batch normalization -----------------------------------------------------------------------------===//

/// The formula, for what pd.batch_norm defines otherwise: one element in each channel, and statistics of each
/// element of an example (`spatial` 0).
static void importBatchNormFormula(NodeImporter &node, bool isTraining) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("X");
  bool isSpatial = node.intAttribute("spatial", 1) != 0;
  llvm::SmallVector<int64_t> axes{0};
  for (int64_t d = 2; isSpatial && d < x.rank(); ++d)
    axes.push_back(d);
  Expression wide = e.computed(x);
  auto parameter = [&](llvm::StringRef name) {
    return e.cast(perChannel(node, node.operand(name), x.rank()), wide.type().getElementType());
  };
  Expression oldMean = parameter("input_mean|mean"), oldVariance = parameter("input_var|var");
  Expression mean = oldMean, variance = oldVariance;
  if (isTraining)
    std::tie(mean, variance) = momentsOf(node, wide, axes);
  Expression normal = (wide - mean) * e.rsqrt(variance + node.floatAttribute("epsilon"));
  node.setOutput("Y", e.cast(normal * parameter("scale") + parameter("B"), x.type().getElementType()));
  double momentum = node.floatAttribute("momentum");
  auto set = [&](llvm::StringRef name, llvm::StringRef input, Expression value) {
    Expression like = node.operand(input);
    llvm::SmallVector<DimSize> shape = dimSizesOf(like);
    node.setOutput(name, e.cast(reshapeTo(value, shape), like.type().getElementType()));
  };
  if (!isTraining)
    return;
  set("running_mean|mean", "input_mean|mean", oldMean * momentum + mean * (1 - momentum));
  set("running_var|var", "input_var|var", oldVariance * momentum + variance * (1 - momentum));
  set("saved_mean", "input_mean|mean", mean);
  set("saved_var", "input_var|var", variance);
}

/// Whether each channel of x has more than one element.
static bool hasManyPerChannel(Expression x) {
  bool isMany = false;
  for (auto [i, dim] : llvm::enumerate(x.type().getShape()))
    isMany |= i != 1 && !ShapedType::isDynamic(dim) && dim > 1;
  return isMany;
}

static bool trainsBatchNorm(NodeImporter &node) {
  if (node.since() >= 14)
    return node.boolAttribute("training_mode");
  if (node.since() < 7)
    return !node.boolAttribute("is_test");
  // Further outputs mean training.
  return llvm::any_of(llvm::ArrayRef<llvm::StringRef>{"mean", "var", "saved_mean", "saved_var"},
                      [&](llvm::StringRef output) { return node.needsOutput(output); });
}

void importBatchNormalization(NodeImporter &node) {
  Expression x = node.operand("X");
  bool isTraining = trainsBatchNorm(node);
  bool isPlain = node.intAttribute("spatial", 1) != 0 && x.rank() >= 2 && node.operand("scale").rank() == 1 &&
                 !node.needsOutput("saved_mean") && !node.needsOutput("saved_var");
  if (!isPlain || (isTraining && !hasManyPerChannel(x)))
    return importBatchNormFormula(node, isTraining);
  node.addAttribute("is_test", node.getBuilder().getBoolAttr(!isTraining));
  node.importByTable();
}

//===-- Normalization over the last dimensions ----------------------------------------------------------===//

/// The axis from which on x is normalized.
static int64_t normalizedAxis(NodeImporter &node, Expression x) {
  int64_t axis = node.intAttribute("axis", -1), rank = x.rank();
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  node.report("attribute 'axis' is " + llvm::Twine(axis) + ", expected a dimension of a tensor of rank " +
              llvm::Twine(rank));
  node.stop();
}

/// A scale or bias with one element for each normalized element, as a vector; null if it must be broadcast.
static Value asNormalizedVector(NodeImporter &node, Expression x, int64_t axis, Value parameter) {
  llvm::ArrayRef<int64_t> dims = x.type().getShape().drop_front(axis);
  auto type = cast<RankedTensorType>(parameter.getType());
  bool isSame = type.getShape() == dims && (type.hasStaticShape() || dims.size() == 1);
  if (!isSame)
    return {};
  return dims.size() == 1 ? parameter : Value(node.tensors().reshape(node.wrap(parameter), {-1}));
}

void importLayerNormalization(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("X");
  int64_t axis = normalizedAxis(node, x);
  Type element = x.type().getElementType(), stash = node.typeAttribute("stash_type");
  Value scale = node.requiredInput("Scale"), bias = node.input("B");
  // ONNX Runtime's op before opset 17 may have another type of scale, bias and result than of x.
  Type result = cast<RankedTensorType>(scale.getType()).getElementType();
  if (result != element) {
    scale = e.cast(node.wrap(scale), stash);
    bias = bias ? Value(e.cast(node.wrap(bias), stash)) : bias;
    x = e.cast(x, stash);
  }
  Value scales = asNormalizedVector(node, x, axis, scale),
        biases = bias ? asNormalizedVector(node, x, axis, bias) : Value();
  bool isFused = scales && (!bias || biases);
  // pd has no normalization from dimension 0 on.
  Expression image = axis == 0 ? insertDim(x, 0) : x;
  double epsilon = node.floatAttribute("epsilon");
  auto norm = node.createOp<pd::LayerNormOp>(image, isFused ? scales : Value(), isFused ? biases : Value(),
                                             llvm::APFloat(epsilon), std::max<int64_t>(axis, 1));
  Expression out = axis == 0 ? dropDim(node.wrap(norm.getOut()), 0) : node.wrap(norm.getOut());
  if (!isFused) {
    out = out * node.wrap(scale);
    out = bias ? out + node.wrap(bias) : out;
  }
  node.setOutput("Y", e.cast(out, result));
  llvm::SmallVector<DimSize> shape = dimSizesOf(x);
  std::fill(shape.begin() + axis, shape.end(), DimSize(1));
  auto statistic = [&](Value value) { return reshapeTo(e.cast(node.wrap(value), stash), shape); };
  if (node.needsOutput("Mean"))
    node.setOutput("Mean", statistic(norm.getMean()));
  if (node.needsOutput("InvStdDev"))
    node.setOutput("InvStdDev", e.rsqrt(statistic(norm.getVariance()) + epsilon));
}

void importRmsNormalization(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("X"), scale = node.operand("scale");
  int64_t axis = normalizedAxis(node, x);
  double epsilon = node.floatAttribute("epsilon");
  Type element = x.type().getElementType(), stash = node.typeAttribute("stash_type");
  llvm::ArrayRef<int64_t> dims = x.type().getShape().drop_front(axis);
  Value scales = asNormalizedVector(node, x, axis, scale);
  if (scales && !llvm::is_contained(dims, ShapedType::kDynamic) && !element.isF64())
    return node.setOutput("Y", node.create<pd::RmsNormOp>(x, scales, dims, llvm::APFloat(epsilon)));
  Expression wide = e.cast(x, stash);
  llvm::SmallVector<int64_t> axes = llvm::to_vector(llvm::seq(axis, x.rank()));
  Expression normal = wide * e.rsqrt(e.mean(wide * wide, axes) + epsilon);
  node.setOutput("Y", e.cast(normal, element) * scale);
}

//===-- Normalization of groups of channels -------------------------------------------------------------===//

void importGroupNormalization(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("X");
  int64_t groups = node.intAttribute("num_groups");
  auto parameter = [&](llvm::StringRef name) {
    Expression vector = node.operand(name);
    if (node.since() >= 21)
      return vector;
    // One for each group.
    llvm::SmallVector<DimSize> pairs{DimSize(groups), divide(e, DimSize(x, 1), groups)};
    return e.reshape(expandTo(insertDim(vector, 1), pairs), {-1});
  };
  node.typeAttribute("stash_type"); // pd computes in float32 at least
  node.setOutput("Y", node.create<pd::GroupNormOp>(x, parameter("scale"), parameter("bias"),
                                                   llvm::APFloat(node.floatAttribute("epsilon")), groups,
                                                   pd::DataFormat::NCHW));
}

//===-- Others ------------------------------------------------------------------------------------------===//

void importLpNormalization(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("input"), wide = e.computed(x);
  int64_t axis = normalizedAxis(node, x);
  Expression norm =
      node.intAttribute("p") == 1 ? e.sum(e.abs(wide), {axis}) : e.sqrt(e.sum(wide * wide, {axis}));
  // 0 / 0 is 0.
  Expression safe = e.select(e.equal(norm, 0), 1, norm);
  node.setOutput("output", e.cast(wide / safe, x.type().getElementType()));
}

void importLrn(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("X");
  int64_t size = node.intAttribute("size", 1);
  llvm::SmallVector<DimSize> shape = dimSizesOf(x);
  Expression image = x.rank() == 4 ? x : e.reshape(x, {0, 0, -1, 1});
  Expression out =
      node.create<pd::LrnOp>(image, size, llvm::APFloat(node.floatAttribute("bias")),
                             llvm::APFloat(node.floatAttribute("alpha") / static_cast<double>(size)),
                             llvm::APFloat(node.floatAttribute("beta")), pd::DataFormat::NCHW);
  node.setOutput("Y", x.rank() == 4 ? out : reshapeTo(out, shape));
}

void importMeanVarianceNormalization(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("X"), wide = e.computed(x);
  llvm::SmallVector<int64_t> axes = node.intsAttribute("axes");
  auto [mean, variance] = momentsOf(node, wide, axes);
  Expression out = (wide - mean) / (e.sqrt(variance) + 1e-9);
  node.setOutput("Y", e.cast(out, x.type().getElementType()));
}

} // namespace proa::import::onnxhooks
