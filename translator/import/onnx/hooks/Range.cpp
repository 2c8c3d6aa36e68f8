//! Hooks of ops of ONNX that create sequences, windows and matrices.
#include "translator/import/onnx/hooks/Dims.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/creation/RangeOps.h"
#include "dialects/pd/ops/shape/DiagonalOps.h"

using namespace mlir;

namespace proa::import::onnxhooks {

void importRange(NodeImporter &node) {
  TensorBuilder &e = node.tensors();
  Type element = pd::tensorType(node.requiredInput("start")).getElementType();
  Type type = element;
  if (element.isF16() || element.isBF16()) {
    Type stash = node.since() >= 27 ? node.typeAttribute("stash_type") : Type();
    type = stash ? stash : e.getBuilder().getF32Type();
  }
  auto bound = [&](llvm::StringRef name) { return e.cast(asScalar(node.operand(name)), type); };
  Expression range =
      node.create<pd::ArangeOp>(bound("start"), bound("limit"), bound("delta"), TypeAttr::get(type));
  node.setOutput("output", e.cast(range, element));
}

/// The column minus the row of each element of a matrix of these dims.
static Expression diagonalIndices(TensorBuilder &e, const DimSize &rows, const DimSize &columns) {
  return indicesAlong(e, columns, 1, 2) - indicesAlong(e, rows, 0, 2);
}

void importEyeLike(NodeImporter &node) {
  TensorBuilder &e = node.tensors();
  Expression input = node.operand("input");
  if (input.rank() != 2)
    return node.report("has an input of rank " + llvm::Twine(input.rank()) + ", expected a matrix");
  Type type = node.typeAttribute("dtype");
  Expression diagonal = diagonalIndices(e, DimSize(input, 0), DimSize(input, 1));
  Expression isOnDiagonal = e.equal(diagonal, static_cast<double>(node.intAttribute("k")));
  node.setOutput("output", e.cast(isOnDiagonal, type ? type : input.type().getElementType()));
}

void importTrilu(NodeImporter &node) {
  TensorBuilder &e = node.tensors();
  Expression input = node.operand("input|X");
  bool isUpper = node.boolAttribute("upper");
  Value k = node.input("k");
  std::optional<Ints> known = k ? knownInts(node, k) : Ints{0};
  if (known)
    return node.setOutput("output|Y", isUpper ? node.create<pd::TriuOp>(input, (*known)[0])
                                              : node.create<pd::TrilOp>(input, (*known)[0]));
  if (input.rank() < 2)
    return node.report("has an input of rank " + llvm::Twine(input.rank()) + ", expected 2 or more");
  Expression diagonal =
      diagonalIndices(e, DimSize(input, input.rank() - 2), DimSize(input, input.rank() - 1));
  Expression bound = e.cast(asScalar(node.wrap(k)), e.getBuilder().getI64Type());
  Expression isKept = isUpper ? diagonal >= bound : diagonal <= bound;
  node.setOutput("output|Y", e.select(isKept, input, e.constant(0, input.type().getElementType())));
}

/// a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N).
void importCosineWindow(NodeImporter &node) {
  TensorBuilder &e = node.tensors();
  Expression size = e.cast(asScalar(node.operand("size")), e.getBuilder().getI64Type());
  Type type = node.typeAttribute("output_datatype"), f64 = e.getBuilder().getF64Type();
  std::optional<Ints> known = knownInts(node, size);
  DimSize count = known ? DimSize((*known)[0]) : pd::dimSizeOf(size);
  Expression length = e.cast(valueOf(e, count), f64) - (node.boolAttribute("periodic") ? 0.0 : 1.0);
  Expression angle =
      e.cast(pd::iota(e, count, e.getBuilder().getI64Type()), f64) * (2 * llvm::numbers::pi) / length;
  llvm::StringRef name = node.getNode().type;
  double a0 = name == "BlackmanWindow" ? 0.42 : name == "HannWindow" ? 0.5 : 25.0 / 46;
  double a2 = name == "BlackmanWindow" ? 0.08 : 0;
  Expression window = a0 - (1 - a0 - a2) * e.cos(angle);
  if (a2 != 0)
    window = window + a2 * e.cos(2.0 * angle);
  if (type)
    node.setOutput("output", e.cast(window, type));
}

} // namespace proa::import::onnxhooks
