#include "translator/import/onnx/hooks/Dims.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/ops/shape/View.h"
#include "dialects/pd/reference/Evaluate.h"

using namespace mlir;

namespace proa::import::onnxhooks {

int64_t axisIn(NodeImporter &node, int64_t axis, int64_t rank) {
  if (FailureOr<int64_t> index = pd::normalizeAxis(axis, rank); succeeded(index))
    return *index;
  node.report("has axis " + llvm::Twine(axis) + ", expected one from " + llvm::Twine(-rank) + " to " +
              llvm::Twine(rank - 1));
  node.stop();
}

int64_t axisOf(NodeImporter &node, Expression x, llvm::StringRef attribute) {
  return axisIn(node, node.intAttribute(attribute), x.rank());
}

Ints axesIn(NodeImporter &node, llvm::ArrayRef<int64_t> axes, int64_t rank) {
  Ints indices;
  for (int64_t axis : axes) {
    int64_t index = axisIn(node, axis, rank);
    if (llvm::is_contained(indices, index)) {
      node.report("lists axis " + llvm::Twine(index) + " twice");
      node.stop();
    }
    indices.push_back(index);
  }
  return indices;
}

std::optional<Ints> knownInts(NodeImporter &node, Value tensor) {
  std::optional<Tensor> known = node.getGraph().knownTensor(tensor);
  if (!known)
    return std::nullopt;
  Ints list;
  for (int64_t i = 0; i < known->size(); ++i)
    list.push_back(pd::loadScalar(*known, i).integer);
  return list;
}

std::optional<Ints> numbersIn(llvm::ArrayRef<DimSize> dims) {
  Ints sizes;
  for (const DimSize &size : dims) {
    if (!size.isKnown())
      return std::nullopt;
    sizes.push_back(size.getNumber());
  }
  return sizes;
}

/// The number of elements of a vector; ends the hook, with a report, if it is dynamic.
static int64_t staticSize(NodeImporter &node, Value vector) {
  RankedTensorType type = pd::tensorType(vector);
  if (type.hasStaticShape())
    return type.getNumElements();
  node.reportOpen("has a list of integers of dynamic length, expected a static one");
  node.stop();
}

Dims dimsInput(NodeImporter &node, llvm::StringRef name) {
  Expression list = node.operand(name);
  if (std::optional<Ints> known = knownInts(node, list))
    return Dims(known->begin(), known->end());
  int64_t size = staticSize(node, list);
  if (list.rank() == 0)
    list = node.tensors().reshape(list, {1});
  FailureOr<Ints> elements = pd::knownElements(list);
  Dims dims;
  for (int64_t i = 0; i < size; ++i)
    dims.push_back(succeeded(elements) && (*elements)[i] != pd::unknown ? DimSize((*elements)[i])
                                                                        : DimSize::element(list, i));
  return dims;
}

IntList IntList::of(NodeImporter &node, llvm::StringRef name) {
  Value tensor = node.input(name);
  if (!tensor)
    return {node.optionalInts(name), {}};
  if (std::optional<Ints> known = knownInts(node, tensor))
    return {*known, {}};
  return {std::nullopt, node.tensors().cast(node.wrap(tensor), node.getBuilder().getI64Type())};
}

int64_t IntList::size(NodeImporter &node) const {
  return numbers ? static_cast<int64_t>(numbers->size()) : staticSize(node, tensor);
}

Expression IntList::asTensor(NodeImporter &node) const {
  return numbers ? node.integers(*numbers) : node.wrap(tensor);
}

Expression filled(Expression value, llvm::ArrayRef<DimSize> dims) {
  return pd::expandTo(asScalar(value), dims);
}

Expression indicesAlong(TensorBuilder &e, const DimSize &size, int64_t axis, int64_t rank) {
  Ints shape(rank, 1);
  shape[axis] = -1;
  return e.reshape(pd::iota(e, size, e.getBuilder().getI64Type()), shape);
}

Expression asMatrix(Expression x, int64_t axis) {
  TensorBuilder &e = x.owner();
  return e.wrap(e.create<pd::FlattenToMatrixOp>(x, static_cast<uint64_t>(axis)));
}

} // namespace proa::import::onnxhooks
