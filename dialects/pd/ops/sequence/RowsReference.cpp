//! Reference kernels of integer ops on rows, the sizes of whose results depend on data.
#include "dialects/pd/ops/sequence/RowsOps.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/Reference.h"

using namespace mlir;

namespace proa::pd {

LogicalResult RowPositionsOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                               llvm::MutableArrayRef<Tensor> results, RandomState *) {
  std::vector<int64_t> offsets = integersOf(operands[1]), sequence, position;
  for (size_t i = 0; i + 1 < offsets.size(); ++i)
    for (int64_t row = offsets[i]; row < offsets[i + 1]; ++row) {
      sequence.push_back(static_cast<int64_t>(i));
      position.push_back(row - offsets[i]);
    }
  results[0] = vectorOf(results[0].dtype(), sequence);
  results[1] = vectorOf(results[1].dtype(), position);
  return success(static_cast<int64_t>(sequence.size()) == operands[0].dims()[0]);
}

LogicalResult RangesOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                         llvm::MutableArrayRef<Tensor> results, RandomState *) {
  std::vector<int64_t> starts = integersOf(operands[0]), lengths = integersOf(operands[1]), rows, offsets{0};
  for (size_t i = 0; i < starts.size(); ++i) {
    for (int64_t k = 0; k < lengths[i]; ++k)
      rows.push_back(starts[i] + k);
    offsets.push_back(static_cast<int64_t>(rows.size()));
  }
  results[0] = vectorOf(results[0].dtype(), rows);
  results[1] = vectorOf(results[1].dtype(), offsets);
  return success();
}

} // namespace proa::pd
