#include "lib/runtime/kernels/matmul/MatrixStack.h"

#include "lib/runtime/plan/Library.h"

#include <algorithm>

namespace proa::runtime {

MatrixStack::MatrixStack(std::span<const int64_t> dims)
    : rows(dims[dims.size() - 2]), columns(dims.back()), batch(dims.begin(), dims.end() - 2) {
  for (int64_t dim : batch)
    count *= dim;
}

std::vector<int64_t> MatrixStack::dimsWith(std::initializer_list<int64_t> last) const {
  std::vector<int64_t> dims = batch;
  dims.insert(dims.end(), last);
  return dims;
}

BroadcastStack::BroadcastStack(const std::vector<int64_t> &operand, const std::vector<int64_t> &result) {
  if (operand == result)
    return;
  int64_t count = 1;
  for (int64_t dim : result)
    count *= dim;
  offsets.resize(static_cast<size_t>(std::max<int64_t>(count, 1)), 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, stride = 1, offset = 0;
    for (size_t back = 0; back < result.size(); ++back) {
      int64_t index = rest % result[result.size() - 1 - back];
      rest /= result[result.size() - 1 - back];
      int64_t own = back < operand.size() ? operand[operand.size() - 1 - back] : 1;
      offset += (own == 1 ? 0 : index) * stride;
      stride *= own;
    }
    offsets[static_cast<size_t>(i)] = offset;
  }
}

Result<std::vector<int64_t>> broadcastBatches(const std::vector<int64_t> &x, const std::vector<int64_t> &y) {
  std::vector<int64_t> out(std::max(x.size(), y.size()));
  for (size_t back = 0; back < out.size(); ++back) {
    int64_t a = back < x.size() ? x[x.size() - 1 - back] : 1,
            b = back < y.size() ? y[y.size() - 1 - back] : 1;
    if (a != b && a != 1 && b != 1)
      return failure("the batch dims {} and {} do not broadcast", a, b);
    out[out.size() - 1 - back] = a == 1 ? b : a;
  }
  return out;
}

Result<LinearSystem> LinearSystem::of(std::span<const int64_t> xDims, std::span<const int64_t> yDims) {
  if (xDims.size() < 2 || yDims.size() < 2)
    return failure("expected matrices, found tensors of rank {} and {}", xDims.size(), yDims.size());
  LinearSystem system{MatrixStack(xDims), MatrixStack(yDims), {}};
  auto batch = broadcastBatches(system.x.batch, system.y.batch);
  if (!batch)
    return batch.diagnostics();
  if (system.x.rows != system.x.columns || system.y.rows != system.x.rows)
    return failure("expected a square matrix and as many rows beside it, found {}x{} and {}x{}",
                   system.x.rows, system.x.columns, system.y.rows, system.y.columns);
  system.batch = *batch;
  for (int64_t dim : *batch)
    system.count *= dim;
  return system;
}

std::vector<int64_t> LinearSystem::outDims() const {
  std::vector<int64_t> dims = batch;
  dims.insert(dims.end(), {y.rows, y.columns});
  return dims;
}

bool holdsVectors(std::span<const int64_t> x, std::span<const int64_t> y) {
  return y.size() == 1 || std::equal(y.begin(), y.end(), x.begin(), x.end() - 1);
}

} // namespace proa::runtime
