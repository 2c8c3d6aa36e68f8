/// Conversion between C and C++: errors become text of the calling thread, tensors become views.
#pragma once

#include "proa-c/tensor.h"
#include "proa/Model.h"
#include "proa/Profile.h"
#include "proa/Result.h"
#include "proa/Tensor.h"

#include <exception>
#include <span>
#include <vector>

namespace proa::capi {

/// Sets the text that proa_error() returns on this thread.
void setError(const Diagnostics &diagnostics);

/// Calls `body`, which returns a Result<T>, and returns its value. On failure, or if C++ throws (out of
/// memory), sets the error and returns `failed`.
template <class T, class Body> T guarded(T failed, Body &&body) {
  try {
    Result<T> result = body();
    if (result)
      return std::move(*result);
    setError(result.diagnostics());
  } catch (const std::exception &error) {
    setError(errorAt("", error.what()));
  }
  return failed;
}

/// As above for functions that return 0 or 1.
template <class Body> int guardedCall(Body &&body) {
  return guarded(1, [&]() -> Result<int> {
    Result<void> done = body();
    return done ? Result<int>(0) : Result<int>(done.diagnostics());
  });
}

/// A view of the caller's memory. `where` is the location in messages. Error: unknown dtype, negative dims,
/// null pointers.
Result<Tensor> tensorFromC(const proa_tensor &tensor, const std::string &where, bool needsData = true);
/// The views of `tensors`, an array of `infos.size()` tensors in the order of `infos`. Reports all errors at
/// once.
Result<std::vector<Tensor>> tensorsFromC(const proa_tensor *tensors, std::span<const TensorInfo> infos,
                                         bool needsData = true);

/// A view of `tensor`, which must outlive it.
proa_tensor tensorToC(const Tensor &tensor);
void tensorsToC(std::span<const Tensor> tensors, proa_tensor *outputs);

/// A view of `step`, which must outlive it.
proa_step_time stepToC(const StepTime &step);

/// Fills `info` from entry `index` of `infos`, which must outlive it. `what` names the entry in messages.
Result<void> describeEntry(std::span<const TensorInfo> infos, size_t index, const char *what,
                           proa_tensor_info *info);

} // namespace proa::capi
