//! Reference kernel of quantized embeddings.
#include "dialects/pd/ops/nn/EmbeddingOps.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/Reference.h"

using namespace mlir;

namespace proa::pd {

LogicalResult LookupTableDequantOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                     llvm::MutableArrayRef<Tensor> results, RandomState *) {
  auto padding = static_cast<int64_t>(getPaddingIdx());
  std::vector<int64_t> ids = integersOf(operands[1]), dims(operands[1].dims());
  int64_t columns = operands[0].dims()[1], width = 4 * (columns - 2);
  dims.back() = width;
  results[0] = Tensor(results[0].dtype(), dims);
  for (auto [i, id] : llvm::enumerate(ids)) {
    bool isPadding = id == padding && padding != -1;
    if (!isPadding && (id < 0 || id >= operands[0].dims()[0]))
      return failure();
    for (int64_t k = 0; k < width; ++k) {
      int64_t position = isPadding ? 0 : id * columns;
      double least = realAt(operands[0], position), most = realAt(operands[0], position + 1);
      double code = operands[0].as<uint8_t>()[4 * (position + 2) + k];
      setReal(results[0], static_cast<int64_t>(i) * width + k,
              isPadding ? 0 : least + (most - least) * code / 256);
    }
  }
  return success();
}

} // namespace proa::pd
