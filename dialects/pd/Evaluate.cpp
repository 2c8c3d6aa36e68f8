#include "dialects/pd/Evaluate.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;

namespace proa::pd {
namespace {

/// Constants above this size are not made by folding.
constexpr int64_t maxFoldedElements = 4096;

llvm::SmallVector<int64_t> broadcastStrides(const Tensor &operand, llvm::ArrayRef<int64_t> dims) {
  llvm::SmallVector<int64_t> own = rowMajorStrides(operand.dims());
  llvm::SmallVector<int64_t> strides(dims.size(), 0);
  size_t offset = dims.size() - own.size();
  for (size_t i = 0; i < own.size(); ++i)
    strides[offset + i] = operand.dims()[i] == 1 ? 0 : own[i];
  return strides;
}

void evaluateElementwise(ScalarOpInterface op, llvm::ArrayRef<Tensor> operands, Tensor &result) {
  HostScalarBuilder builder(result.dtype());
  llvm::SmallVector<llvm::SmallVector<int64_t>> strides;
  for (const Tensor &operand : operands)
    strides.push_back(broadcastStrides(operand, result.dims()));
  llvm::SmallVector<HostScalar> scalars(operands.size());
  forEachIndex(result.dims(), [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    for (size_t k = 0; k < operands.size(); ++k) {
      int64_t at = 0;
      for (size_t d = 0; d < index.size(); ++d)
        at += index[d] * strides[k][d];
      scalars[k] = loadScalar(operands[k], at);
    }
    storeScalar(result, position, op.evaluateScalar(builder, scalars));
  });
}

} // namespace

llvm::SmallVector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> dims) {
  llvm::SmallVector<int64_t> strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;)
    strides[i - 1] = strides[i] * dims[i];
  return strides;
}

void forEachIndex(llvm::ArrayRef<int64_t> dims, llvm::function_ref<void(llvm::ArrayRef<int64_t>, int64_t)> f) {
  if (llvm::is_contained(dims, 0))
    return;
  llvm::SmallVector<int64_t> index(dims.size(), 0);
  for (int64_t position = 0;; ++position) {
    f(index, position);
    size_t d = dims.size();
    while (d > 0 && ++index[d - 1] == dims[d - 1])
      index[--d] = 0;
    if (d == 0)
      return;
  }
}

Tensor tensorFromAttribute(ElementsAttr attribute) {
  auto type = cast<RankedTensorType>(attribute.getType());
  DType dtype = *dtypeOf(type.getElementType());
  Tensor tensor(dtype, std::vector<int64_t>(type.getShape()));
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    llvm::ArrayRef<char> data = resource.getRawHandle().getBlob()->getData();
    std::memcpy(tensor.data(), data.data(), std::min(data.size(), tensor.bytes()));
    return tensor;
  }
  auto dense = cast<DenseElementsAttr>(attribute);
  if (dtype == DType::Bool) {
    for (auto [i, value] : llvm::enumerate(dense.getValues<bool>()))
      tensor.as<uint8_t>()[i] = value;
    return tensor;
  }
  llvm::ArrayRef<char> raw = dense.getRawData();
  size_t size = sizeOf(dtype);
  if (dense.isSplat())
    for (int64_t i = 0; i < tensor.size(); ++i)
      std::memcpy(static_cast<char *>(tensor.data()) + i * size, raw.data(), size);
  else
    std::memcpy(tensor.data(), raw.data(), tensor.bytes());
  return tensor;
}

DenseElementsAttr attributeFromTensor(MLIRContext *context, const Tensor &tensor) {
  auto type = RankedTensorType::get(tensor.dims(), elementTypeOf(context, tensor.dtype()));
  if (tensor.dtype() == DType::Bool) {
    llvm::SmallVector<bool> values(tensor.as<uint8_t>(), tensor.as<uint8_t>() + tensor.size());
    return DenseElementsAttr::get(type, llvm::ArrayRef<bool>(values));
  }
  return DenseElementsAttr::getFromRawBuffer(type,
                                             llvm::ArrayRef<char>(static_cast<const char *>(tensor.data()), tensor.bytes()));
}

Result<llvm::SmallVector<Tensor>> evaluateOp(Operation *op, llvm::ArrayRef<Tensor> operands) {
  llvm::SmallVector<Tensor> results;
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return problem(op->getName().getStringRef().str(), "the reference evaluator needs static result types");
    auto dtype = dtypeOf(tensor.getElementType());
    if (!dtype)
      return problem(op->getName().getStringRef().str(), "the element type has no host representation");
    results.emplace_back(*dtype, std::vector<int64_t>(tensor.getShape()));
  }
  if (auto scalar = dyn_cast<ScalarOpInterface>(op)) {
    evaluateElementwise(scalar, operands, results[0]);
    return results;
  }
  if (auto primitive = dyn_cast<EvaluatableOpInterface>(op); primitive && succeeded(primitive.evaluate(operands, results)))
    return results;
  return problem(op->getName().getStringRef().str(), "the reference evaluator can't run this op");
}

OpFoldResult foldByEvaluation(Operation *op, llvm::ArrayRef<Attribute> operands) {
  if (op->getNumResults() != 1 || llvm::is_contained(operands, Attribute()))
    return {};
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !type.hasStaticShape() || type.getNumElements() > maxFoldedElements)
    return {};
  llvm::SmallVector<Tensor> tensors;
  for (Attribute operand : operands) {
    auto elements = dyn_cast<ElementsAttr>(operand);
    if (!elements || elements.getNumElements() > maxFoldedElements)
      return {};
    tensors.push_back(tensorFromAttribute(elements));
  }
  auto results = evaluateOp(op, tensors);
  if (!results)
    return {};
  return attributeFromTensor(op->getContext(), (*results)[0]);
}

} // namespace proa::pd
