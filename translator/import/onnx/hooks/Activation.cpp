//! Hooks of activations of ONNX.
#include "translator/import/onnx/hooks/Dims.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/math/ActivationOps.h"
#include "dialects/pd/ops/nn/SoftmaxOps.h"
#include "dialects/pd/ops/search/SearchOps.h"

using namespace mlir;

namespace proa::import::onnxhooks {

void importGelu(NodeImporter &node) {
  std::string approximate = node.stringAttribute("approximate");
  if (approximate != "none" && approximate != "tanh")
    return node.report("has approximate '" + approximate + "', expected none or tanh");
  node.addAttribute("approximate", node.getBuilder().getBoolAttr(approximate == "tanh"));
  node.importByTable();
}

void importPRelu(NodeImporter &node) {
  Expression x = node.operand("X"), slope = node.operand("slope");
  // Before opset 7 there is one slope for each channel.
  if (node.since() < 7 && slope.rank() == 1 && x.rank() > 2) {
    Ints shape(x.rank() - 1, 1);
    shape[0] = -1;
    slope = node.tensors().reshape(slope, shape);
  }
  node.setOutput("Y", node.tensors().select(x < 0.0, x * slope, x));
}

void importShrink(NodeImporter &node) {
  TensorBuilder &e = node.tensors();
  Expression input = node.operand("input"), x = e.computed(input);
  double bias = node.floatAttribute("bias"), bound = node.floatAttribute("lambd");
  if (!isa<FloatType>(x.type().getElementType()))
    x = e.cast(x, e.getBuilder().getF64Type());
  Expression y = e.select(x < -bound, x + bias, e.select(x > bound, x - bias, 0.0));
  node.setOutput("output", e.cast(y, input.type().getElementType()));
}

void importThresholdedRelu(NodeImporter &node) {
  Expression x = node.operand("X");
  node.setOutput("Y", node.tensors().select(x > node.floatAttribute("alpha"), x, 0.0));
}

/// Applies a function of x and an axis. Before opset 13 it is a function of the rows of a matrix, whose
/// columns are the dimensions from the axis on.
static void importAlongAxis(NodeImporter &node,
                            llvm::function_ref<Expression(Expression, int64_t)> function) {
  Expression x = node.operand("input");
  int64_t axis = node.intAttribute("axis");
  bool isOfMatrix = node.since() < 13;
  if (x.rank() > 0 && !(isOfMatrix && axis == x.rank()))
    axis = axisIn(node, axis, x.rank());
  if (!isOfMatrix ||
      (axis < x.rank() &&
       llvm::all_of(x.type().getShape().drop_front(axis + 1), [](int64_t size) { return size == 1; })))
    return node.setOutput("output", function(x, axis));
  node.setOutput("output", pd::reshapeTo(function(asMatrix(x, axis), 1), pd::dimSizesOf(x)));
}

void importSoftmaxOfMatrix(NodeImporter &node) {
  importAlongAxis(node, [&](Expression x, int64_t axis) { return node.create<pd::SoftmaxOp>(x, axis); });
}

/// Not pd.log_softmax, which is bounded from below.
void importLogSoftmax(NodeImporter &node) {
  TensorBuilder &e = node.tensors();
  importAlongAxis(node, [&](Expression input, int64_t axis) {
    Expression x = e.computed(input);
    Ints axes = x.rank() == 0 ? Ints() : Ints{axis};
    Expression shifted = x - e.max(x, axes);
    return e.cast(shifted - e.log(e.sum(e.exp(shifted), axes)), input.type().getElementType());
  });
}

/// 1 at the first largest element.
void importHardmax(NodeImporter &node) {
  TensorBuilder &e = node.tensors();
  importAlongAxis(node, [&](Expression x, int64_t axis) {
    if (x.rank() == 0)
      return e.constant(1, x.type().getElementType());
    Expression largest =
        node.create<pd::ArgmaxOp>(x, Value(), axis, /*keepdims=*/true, /*flatten=*/false, TypeAttr());
    Expression index = indicesAlong(e, DimSize(x, axis), axis, x.rank());
    return e.indicator(index == largest, x);
  });
}

void importSwiGlu(NodeImporter &node) {
  Expression a = node.operand("A"), b = node.operand("B");
  if (a.rank() != b.rank()) {
    node.report("its inputs have ranks " + llvm::Twine(a.rank()) + " and " + llvm::Twine(b.rank()) +
                ", expected equal shapes");
    node.stop();
  }
  double alpha = node.floatAttribute("alpha", 1);
  node.setOutput("Y", alpha == 1 ? node.create<pd::SwigluOp>(a, b)
                                 : node.create<pd::SwishOp>(a, llvm::APFloat(alpha)) * b);
}

} // namespace proa::import::onnxhooks
