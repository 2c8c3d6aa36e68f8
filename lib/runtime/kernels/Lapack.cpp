#include "lib/runtime/kernels/Lapack.h"

#include <algorithm>
#include <mutex>

extern "C" {
void openblas_set_num_threads(int count);
int openblas_get_parallel();
}

namespace proa::runtime {

void useOneBlasThread() {
  static std::once_flag once;
  std::call_once(once, [] {
    openblas_set_num_threads(1);
    // A search for NaN before each call costs time; LAPACK handles NaN or says that it does not.
    LAPACKE_set_nancheck(0);
  });
}

std::unique_lock<std::mutex> turnAtBlas() {
  static const bool hasThreads = openblas_get_parallel() != 0;
  static std::mutex mutex;
  return hasThreads ? std::unique_lock<std::mutex>() : std::unique_lock(mutex);
}

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
  places.resize(static_cast<size_t>(std::max<int64_t>(count, 1)), 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, stride = 1, place = 0;
    for (size_t back = 0; back < result.size(); ++back) {
      int64_t index = rest % result[result.size() - 1 - back];
      rest /= result[result.size() - 1 - back];
      int64_t own = back < operand.size() ? operand[operand.size() - 1 - back] : 1;
      place += (own == 1 ? 0 : index) * stride;
      stride *= own;
    }
    places[static_cast<size_t>(i)] = place;
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

} // namespace proa::runtime
