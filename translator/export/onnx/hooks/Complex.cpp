//! Functions of complex numbers, of real ones. ONNX does not compute with complex numbers.
#include "translator/export/onnx/NodeExporter.h"
#include "translator/export/onnx/hooks/Conditions.h"

#include "dialects/pd/ops/math/ComplexOps.h"

#include <numbers>

using namespace mlir;

namespace proa::exporter::onnxhooks {

/// A real number is its own conjugate and its real part.
void exportSameNumber(NodeExporter &node) { node.setResult(0, node.of(node.getOp()->getOperand(0))); }

void exportAngle(NodeExporter &node) {
  node.exportAs([&](pd::TensorBuilder &e) {
    pd::Expression x = e.operand(0), none = e.constant(0, x.type().getElementType());
    return e.results({e.select(x < 0.0, std::numbers::pi, none)});
  });
}

} // namespace proa::exporter::onnxhooks
