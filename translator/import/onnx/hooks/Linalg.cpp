//! Hooks of ONNX's matmuls.
#include "translator/import/onnx/GraphImporter.h"

#include "dialects/pd/ops/linalg/Contract.h"

using namespace mlir;

namespace proa::import::onnxhooks {

using pd::Expression;

void importGemm(NodeImporter &node) {
  Expression a = node.operand("A"), b = node.operand("B");
  double alpha = node.floatAttribute("alpha"), beta = node.floatAttribute("beta");
  Expression out =
      node.create<pd::MatmulOp>(a, b, node.boolAttribute("transA"), node.boolAttribute("transB"));
  if (alpha != 1)
    out = out * alpha;
  if (Value c = node.input("C"); c && beta != 0)
    out = out + (beta == 1 ? node.wrap(c) : node.wrap(c) * beta);
  node.intAttribute("broadcast"); // C is broadcast in any case
  node.setOutput("Y", out);
}

} // namespace proa::import::onnxhooks
