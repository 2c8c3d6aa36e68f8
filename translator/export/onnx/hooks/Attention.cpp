//! Attention and normalizations that ONNX has as ops since opset 23.
#include "translator/export/onnx/NodeExporter.h"
#include "translator/export/onnx/hooks/Conditions.h"

#include "dialects/pd/ops/attention/FusedAttentionFormula.h"
#include "dialects/pd/ops/nn/RmsNormOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/reference/Reference.h"

using namespace mlir;

namespace proa::exporter::onnxhooks {

bool isAttentionInOnnx(pd::FusedAttentionOp op) {
  bool isInOrder = op.getQPermutation().empty() && op.getKPermutation().empty() &&
                   op.getVPermutation().empty() && op.getOutPermutation().empty();
  bool isAdded = !op.getMask() || isa<FloatType>(pd::tensorType(op.getMask()).getElementType());
  int64_t queries = pd::tensorType(op.getQ()).getDimSize(2), keys = pd::tensorType(op.getK()).getDimSize(2);
  // ONNX counts the positions of queries from the first key, pd from the last one.
  bool isSameCausal = !op.getCausal() || (!mlir::ShapedType::isDynamic(queries) && queries == keys);
  return isInOrder && isAdded && isSameCausal && !pd::windowOf(op.getLeftWindow()) &&
         !pd::windowOf(op.getRightWindow()) && !op.getKeyLengths() && !op.getKeyMask() &&
         !op.getDropoutCall() && op.getMaximum().use_empty() && op.getSum().use_empty();
}

/// Whether an element may be as low as the lowest number. ONNX Runtime leaves such keys out, even where a
/// mask has it for all keys, whose weights are then equal.
static bool mayBeLowest(NodeExporter &node, Value mask, double lowest) {
  const Tensor *known = node.getGraph().parameterOf(mask);
  if (!known)
    return true;
  for (int64_t i = 0; i < known->size(); ++i)
    if (!(pd::realAt(*known, i) > lowest / 2))
      return true;
  return false;
}

/// The mask broadcasts to the scores, as in ONNX. ONNX Runtime takes no mask of one row in opsets 23 and 24.
void exportAttention(NodeExporter &node) {
  auto op = node.get<pd::FusedAttentionOp>();
  std::string mask;
  if (op.getMask())
    mask = node.compute([&](pd::TensorBuilder &e) {
      pd::Expression own = e.wrap(op.getMask());
      auto element = cast<FloatType>(own.type().getElementType());
      double lowest =
          llvm::APFloat::getLargest(element.getFloatSemantics(), /*Negative=*/true).convertToDouble();
      if (mayBeLowest(node, own, lowest))
        own = e.maximum(own, lowest / 2);
      llvm::SmallVector<pd::DimSize> dims = pd::dimSizesOf(own);
      dims[dims.size() - 2] = pd::DimSize(e.wrap(op.getQ()), 2);
      dims.back() = pd::DimSize(e.wrap(op.getK()), 2);
      return llvm::SmallVector<Value>{node.getOpset() > 24 ? own : pd::expandTo(own, dims)};
    })[0];
  std::vector<NodeExporter::Named> attributes{{"scale", static_cast<float>(op.getScale().convertToDouble())}};
  if (op.getCausal())
    attributes.push_back({"is_causal", 1});
  if (double cap = op.getSoftCap().convertToDouble(); cap != 0)
    attributes.push_back({"softcap", static_cast<float>(cap)});
  node.setResult(0, node.node("Attention", {node.of(op.getQ()), node.of(op.getK()), node.of(op.getV()), mask},
                              attributes));
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
