//! Attention and normalizations that ONNX has as ops since opset 23.
#include "translator/export/onnx/NodeExporter.h"
#include "translator/export/onnx/hooks/Conditions.h"

#include "dialects/pd/ops/nn/AttentionOps.h"
#include "dialects/pd/ops/nn/ScaledAttention.h"
#include "dialects/pd/ops/shape/DimSize.h"

using namespace mlir;

namespace proa::exporter::onnxhooks {

bool isAttentionInOnnx(pd::AttentionOp op) {
  return pd::tensorType(op.getQ()).getRank() == 4 && op.getMaximum().use_empty() && op.getSum().use_empty();
}

/// The bias broadcasts to the scores, as a mask of floats does in ONNX. ONNX Runtime takes no mask of one row
/// in opset 23.
void exportAttention(NodeExporter &node) {
  auto op = node.get<pd::AttentionOp>();
  std::string bias;
  if (op.getBias())
    bias = node.compute([&](pd::TensorBuilder &e) {
      llvm::SmallVector<pd::DimSize> dims = pd::dimSizesOf(e.wrap(op.getBias()));
      dims.insert(dims.begin(), std::max<int64_t>(0, 2 - static_cast<int64_t>(dims.size())), pd::DimSize(1));
      pd::Expression mask = pd::reshapeTo(e.wrap(op.getBias()), dims);
      dims[dims.size() - 2] = pd::DimSize(e.wrap(op.getQ()), 2);
      dims.back() = pd::DimSize(e.wrap(op.getK()), 2);
      return llvm::SmallVector<Value>{node.getOpset() > 23 ? mask : pd::expandTo(mask, dims)};
    })[0];
  node.setResult(0, node.node("Attention", {node.of(op.getQ()), node.of(op.getK()), node.of(op.getV()), bias},
                              {{"scale", static_cast<float>(op.getScale().convertToDouble())}}));
}

bool isPlainRmsNorm(pd::RmsNormOp op) { return op.getScale() && op.getInvvar().use_empty(); }

void exportRmsNorm(NodeExporter &node) {
  auto op = node.get<pd::RmsNormOp>();
  auto count = static_cast<int64_t>(op.getNormalizedShape().size());
  std::string scale = node.of(op.getScale());
  if (count != pd::tensorType(op.getScale()).getRank())
    scale = node.reshape(scale, op.getNormalizedShape());
  node.setResult(
      0, node.node("RMSNormalization", {node.of(op.getX()), scale},
                   {{"axis", -count}, {"epsilon", static_cast<float>(op.getEpsilon().convertToDouble())}}));
}

} // namespace proa::exporter::onnxhooks
