/// Between C and C++: errors become text of the calling thread, tensors become views.
#pragma once

#include "proa-c/tensor.h"
#include "proa/Model.h"
#include "proa/Result.h"
#include "proa/Tensor.h"

#include <exception>
#include <span>
#include <vector>

namespace proa::capi {

/// What proa_error() returns on this thread from now on.
void setError(const Problems &problems);

/// Calls `body`, which returns a Result<T>, and hands its value on. On failure, or where C++ throws (no
/// memory), sets the error and returns `failed`.
template <class T, class Body> T guarded(T failed, Body &&body) {
  try {
    Result<T> result = body();
    if (result)
      return std::move(*result);
    setError(result.problems());
  } catch (const std::exception &error) {
    setError(problem("", error.what()));
  }
  return failed;
}

/// The same for functions that return 0 or 1.
template <class Body> int guardedCall(Body &&body) {
  return guarded(1, [&]() -> Result<int> {
    Result<void> done = body();
    return done ? Result<int>(0) : Result<int>(done.problems());
  });
}

/// A view of the caller's memory. `where` begins the messages. Error: unknown dtype, negative dims, null
/// pointers where there must be memory.
Result<Tensor> tensorFromC(const proa_tensor &tensor, const std::string &where, bool needsData = true);
/// The views of `tensors`, an array of `infos.size()` tensors in the order of `infos`; all problems at once.
Result<std::vector<Tensor>> tensorsFromC(const proa_tensor *tensors, std::span<const TensorInfo> infos,
                                         bool needsData = true);

/// A view of `tensor`, which must stay.
proa_tensor tensorToC(const Tensor &tensor);
void tensorsToC(std::span<const Tensor> tensors, proa_tensor *outputs);

/// Fills `info` from entry `index` of `infos`, which must stay. `what` names an entry in the message.
Result<void> describeEntry(std::span<const TensorInfo> infos, size_t index, const char *what,
                           proa_tensor_info *info);

} // namespace proa::capi
