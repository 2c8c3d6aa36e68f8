#include "lib/runtime/kernels/linalg/Lapack.h"

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

} // namespace proa::runtime
