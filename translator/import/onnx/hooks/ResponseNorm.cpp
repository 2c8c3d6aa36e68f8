//! Hooks of the local response normalization of ONNX.
#include "translator/import/onnx/hooks/Dims.h"

#include "dialects/pd/ops/nn/NormOps.h"

using namespace mlir;

namespace proa::import::onnxhooks {

void importLrn(NodeImporter &node) {
  Expression x = node.operand("X");
  int64_t size = node.intAttribute("size");
  if (x.rank() < 2 || size < 1)
    return node.report("has size " + llvm::Twine(size) + " and an operand of rank " + llvm::Twine(x.rank()) +
                       ", expected a positive size and rank 2 or more");
  TensorBuilder &e = node.tensors();
  Dims dims = pd::dimSizesOf(x);
  DimSize positions = 1;
  for (const DimSize &dim : llvm::ArrayRef(dims).drop_front(2))
    positions = multiply(e, positions, dim);
  Expression image = x.rank() == 4 ? x : pd::reshapeTo(x, {dims[0], dims[1], positions, 1});
  auto number = [&](llvm::StringRef name) { return llvm::APFloat(node.floatAttribute(name)); };
  auto norm = node.createOp<pd::LrnOp>(image, size, number("bias"),
                                       llvm::APFloat(node.floatAttribute("alpha") / size), number("beta"));
  node.setOutput("Y", pd::reshapeTo(node.wrap(norm->getResult(0)), dims));
}

} // namespace proa::import::onnxhooks
