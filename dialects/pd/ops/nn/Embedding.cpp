#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/nn/EmbeddingOps.h"
#include "dialects/pd/ops/nn/Nn.h"
#include "dialects/pd/reference/Evaluate.h"

#include <cstring>

using namespace mlir;

namespace proa::pd {

LogicalResult inferEmbeddingOf(std::optional<Location> location, RankedTensorType x, RankedTensorType weight,
                               int64_t paddingIndex, Results &results) {
  if (weight.getRank() != 2)
    return inferenceError(location,
                          "C1: weight must have rank 2, found rank " + llvm::Twine(weight.getRank()));
  int64_t rows = weight.getDimSize(0);
  if (paddingIndex < -1 || (!ShapedType::isDynamic(rows) && paddingIndex >= rows))
    return inferenceError(location, "C2: padding_idx must be -1 or one of the " + llvm::Twine(rows) +
                                        " rows, found " + llvm::Twine(paddingIndex));
  llvm::SmallVector<int64_t> shape(x.getShape());
  shape.push_back(weight.getDimSize(1));
  results.push_back(RankedTensorType::get(shape, weight.getElementType()));
  return success();
}

LogicalResult EmbeddingOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  const Tensor &ids = operands[0], &weight = operands[1];
  int64_t rows = weight.dims()[0];
  size_t rowBytes = weight.dims()[1] * sizeOf(weight.dtype());
  auto *out = static_cast<char *>(results[0].data());
  for (int64_t i = 0; i < ids.size(); ++i, out += rowBytes) {
    int64_t row = loadScalar(ids, i).integer;
    if (row < 0 || row >= rows)
      return failure();
    if (row == static_cast<int64_t>(getPaddingIdx()))
      std::memset(out, 0, rowBytes);
    else
      std::memcpy(out, static_cast<const char *>(weight.data()) + row * rowBytes, rowBytes);
  }
  return success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/nn/Embedding.cpp.inc"
#include "dialects/pd/ops/nn/Embedding.methods.inc"
#include "dialects/pd/ops/nn/Embedding.scalar.inc"
