//! The hook of ONNX's dropout.
#include "translator/import/onnx/GraphImporter.h"

#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/nn/DropoutOps.h"

using namespace mlir;

namespace proa::import::onnxhooks {

using pd::Expression;

/// Whether elements are set to zero. In opsets 7 to 11 the op is one of inference.
static bool dropsElements(NodeImporter &node) {
  if (node.since() < 7)
    return !node.boolAttribute("is_test");
  if (!node.hasInput("training_mode"))
    return false;
  std::optional<Tensor> mode = node.known("training_mode");
  if (!mode)
    node.stop();
  return mode->size() == 1 && pd::loadScalar(*mode, 0).integer != 0;
}

void importDropout(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("data");
  Type i1 = node.getBuilder().getI1Type();
  if (!dropsElements(node)) {
    node.floatAttribute("ratio", 0);
    node.intAttribute("seed");
    node.setOutput("output", x);
    if (node.needsOutput("mask"))
      node.setOutput("mask", node.create<pd::FullLikeOp>(x, Value(), llvm::APFloat(1.0), TypeAttr::get(i1)));
    return;
  }
  double ratio = node.floatAttribute("ratio", 0.5);
  bool hasSeed = node.hasAttribute("seed");
  int64_t seed = node.intAttribute("seed");
  auto dropout = node.createOp<pd::DropoutOp>(x, Value(), Value(), Value(), llvm::APFloat(ratio), false,
                                              pd::DropoutMode::UpscaleInTrain, seed, hasSeed);
  node.setOutput("output", dropout.getOut());
  node.setOutput("mask", e.cast(node.wrap(dropout.getMask()), i1));
}

} // namespace proa::import::onnxhooks
