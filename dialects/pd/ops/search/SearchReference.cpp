//! Reference kernel of nonzero.
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/Reference.h"

using namespace mlir;

namespace proa::pd {

LogicalResult NonzeroOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                          llvm::MutableArrayRef<Tensor> results, RandomState *) {
  std::vector<int64_t> indices;
  int64_t count = 0, rank = static_cast<int64_t>(operands[0].dims().size());
  forEachIndex(operands[0].dims(), [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    HostScalar value = loadScalar(operands[0], position);
    if (value.isInteger() ? value.integer == 0 : value.value == 0.0)
      return;
    indices.insert(indices.end(), index.begin(), index.end());
    ++count;
  });
  results[0] = Tensor(results[0].dtype(), {count, rank});
  for (auto [i, at] : llvm::enumerate(indices))
    storeScalar(results[0], static_cast<int64_t>(i), HostScalar::of(at));
  return success();
}

} // namespace proa::pd
