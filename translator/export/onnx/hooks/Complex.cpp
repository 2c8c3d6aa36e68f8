//! Complex numbers, which are pairs of real ones along a last dimension in ONNX. Functions of them are
//! written by ComplexPairs.h.
#include "translator/export/onnx/NodeExporter.h"
#include "translator/export/onnx/hooks/Conditions.h"

#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/ComplexOps.h"
#include "dialects/pd/ops/shape/JoinOps.h"

#include <numbers>

using namespace mlir;

namespace proa::exporter::onnxhooks {

/// A real number is its own conjugate and its real component.
void exportSameNumber(NodeExporter &node) { node.setResult(0, node.of(node.getOp()->getOperand(0))); }

void exportAngle(NodeExporter &node) {
  node.exportAs([&](pd::TensorBuilder &e) {
    pd::Expression x = e.operand(0), none = e.constant(0, x.type().getElementType());
    return e.results({e.select(x < 0.0, std::numbers::pi, none)});
  });
}

/// One of the two components of a complex number.
void exportComponent(NodeExporter &node) {
  int64_t index = isa<pd::ImagOp>(node.getOp()) ? 1 : 0;
  std::string pairs = node.of(node.getOp()->getOperand(0)), known = node.getGraph().componentOf(pairs, index);
  Type i64 = IntegerType::get(node.getOp()->getContext(), 64);
  node.setResult(0, !known.empty()
                        ? known
                        : node.node("Gather", {pairs, node.scalar(static_cast<double>(index), i64)},
                                    {{"axis", int64_t(-1)}}));
}

void exportNoImaginaryComponent(NodeExporter &node) {
  node.exportAs([&](pd::TensorBuilder &e) {
    return llvm::SmallVector<Value>{
        e.create<pd::FullLikeOp>(e.operand(0), Value(), e.getBuilder().getF64FloatAttr(0), TypeAttr())};
  });
}

void exportComplex(NodeExporter &node) {
  auto op = node.get<pd::ComplexOp>();
  std::vector<std::string> names = node.compute([&](pd::TensorBuilder &e) {
    Value re = op.getRe(), im = op.getIm();
    if (re.getType() != im.getType()) { // selections broadcast
      Type boolean = e.getBuilder().getI1Type();
      Value isFirst = e.constant(1, boolean);
      std::tie(re, im) =
          std::pair(e.create<pd::WhereOp>(isFirst, re, im), e.create<pd::WhereOp>(isFirst, im, re));
    }
    Value components[] = {re, im};
    return llvm::SmallVector<Value>{
        e.create<pd::StackOp>(ValueRange(components), pd::tensorType(re).getRank()), re, im};
  });
  node.getGraph().setComponents(names[0], names[1], names[2]);
  node.setResult(0, names[0]);
}

} // namespace proa::exporter::onnxhooks
