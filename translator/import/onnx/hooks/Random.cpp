//! Hooks of ONNX's random numbers. Their distributions are ONNX's; the numbers differ from the numbers of
//! other runtimes.
#include "translator/import/onnx/GraphImporter.h"

#include "dialects/pd/ops/nn/SoftmaxOps.h"
#include "dialects/pd/ops/random/Random.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

#include "llvm/ADT/bit.h"

using namespace mlir;

namespace proa::import::onnxhooks {

using pd::Expression;

/// A key for each value of the attribute, which is a float; 0 without one: other numbers in each run.
static int64_t seedOf(NodeImporter &node) {
  return static_cast<int64_t>(llvm::bit_cast<uint32_t>(static_cast<float>(node.floatAttribute("seed", 0))));
}

/// Fills a tensor of the attribute `shape`, or the dims of `like`, by an op with these parameters.
static void fillAtRandom(NodeImporter &node, llvm::StringRef op, Value like,
                         llvm::ArrayRef<std::pair<llvm::StringRef, double>> parameters) {
  mlir::Builder &types = node.getBuilder();
  Type type = node.typeAttribute("dtype");
  if (!type && like)
    type = cast<RankedTensorType>(like.getType()).getElementType();
  if (!type)
    node.stop();
  llvm::SmallVector<NamedAttribute> attributes{node.named("dtype", TypeAttr::get(type)),
                                               node.named("seed", types.getI64IntegerAttr(seedOf(node)))};
  NodeImporter::Values shape;
  if (like && !cast<RankedTensorType>(like.getType()).hasStaticShape())
    shape.push_back(shapeTensor(node.tensors(), dimSizesOf(node.wrap(like))));
  else
    attributes.push_back(node.named(
        "shape", types.getDenseI64ArrayAttr(like ? cast<RankedTensorType>(like.getType()).getShape()
                                                 : llvm::ArrayRef<int64_t>(node.intsAttribute("shape")))));
  for (auto [name, value] : parameters)
    attributes.push_back(node.named(name, types.getF64FloatAttr(value)));
  NodeImporter::Values results = node.createByName(op, {shape, {}, {}}, attributes);
  if (!results.empty())
    node.setOutput("output", results[0]);
}

static void importNormal(NodeImporter &node, Value like) {
  fillAtRandom(node, "pd.gaussian", like,
               {{"mean", node.floatAttribute("mean")}, {"std", node.floatAttribute("scale")}});
}
static void importUniform(NodeImporter &node, Value like) {
  fillAtRandom(node, "pd.uniform", like,
               {{"min", node.floatAttribute("low")}, {"max", node.floatAttribute("high")}});
}

void importRandomNormal(NodeImporter &node) { importNormal(node, {}); }
void importRandomNormalLike(NodeImporter &node) { importNormal(node, node.requiredInput("input")); }
void importRandomUniform(NodeImporter &node) { importUniform(node, {}); }
void importRandomUniformLike(NodeImporter &node) { importUniform(node, node.requiredInput("input")); }

void importBernoulli(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("input");
  Type type = node.typeAttribute("dtype");
  Expression out = node.create<pd::BernoulliOp>(e.computed(x), seedOf(node));
  node.setOutput("output", e.cast(out, type ? type : x.type().getElementType()));
}

void importMultinomial(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  // The input has logarithms of probabilities, up to an addend for each row.
  Expression probabilities = node.create<pd::SoftmaxOp>(e.computed(node.operand("input")));
  Expression out = node.create<pd::MultinomialOp>(probabilities, Value(), node.intAttribute("sample_size"),
                                                  true, seedOf(node));
  node.setOutput("output", e.cast(out, node.typeAttribute("dtype")));
}

} // namespace proa::import::onnxhooks
