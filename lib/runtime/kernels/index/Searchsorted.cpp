/// The library kernel "searchsorted" (sorted_sequence, values; right): the number of elements of a sorted
/// line that precede each value. An unsorted line gives the result of bisection, as in Paddle.
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/Convert.h"

#include "dialects/pd/ops/search/Search.kernels.inc"

#include <algorithm>
#include <cmath>

namespace proa::runtime {
namespace {

template <class T> int64_t positionOf(const T *line, int64_t length, Wide<T> value, bool right) {
  if constexpr (std::is_floating_point_v<Wide<T>>)
    if (!std::isfinite(value))
      return length;
  auto less = [](auto a, auto b) { return static_cast<Wide<T>>(a) < static_cast<Wide<T>>(b); };
  return (right ? std::upper_bound(line, line + length, value, less)
                : std::lower_bound(line, line + length, value, less)) -
         line;
}

Result<void> searchsorted(Call &call, bool right) {
  const View &sequence = call.input(0), &values = call.input(1);
  bool shared = sequence.rank() == 1;
  bool fits = sequence.rank() > 0 &&
              (shared || (sequence.rank() == values.rank() &&
                          std::equal(values.dims.begin(), values.dims.end() - 1, sequence.dims.begin())));
  if (!fits)
    return failure("a sorted sequence {} does not fit values {}", describe(sequence.dtype, sequence.dims),
                   describe(values.dtype, values.dims));
  Result<View> out = call.output(0, values.dims);
  if (!out)
    return out.diagnostics();
  int64_t length = sequence.dims.back(), perLine = shared ? values.size() : values.dims.back();
  bool known = dispatchReal(sequence.dtype, [&](auto zero) {
    using T = decltype(zero);
    dispatchReal(values.dtype, [&](auto given) {
      using V = decltype(given);
      dispatchIndex(out->dtype, [&](auto index) {
        using Index = decltype(index);
        parallelFor(values.size(), 512, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            auto value = static_cast<Wide<T>>(convertElement<T>(values.as<V>()[i]));
            out->as<Index>()[i] =
                static_cast<Index>(positionOf(sequence.as<T>() + i / perLine * length, length, value, right));
          }
        });
      });
    });
  });
  return known ? Result<void>() : failure("searching in {} is not supported", nameOf(sequence.dtype));
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeSearchsorted(const SearchsortedAttributes &op,
                                                        const KernelRequest &request) {
  Checks checks(request);
  bool right = op.right;
  checks.expectOperands(2, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([right](Call &call) { return searchsorted(call, right); });
}

} // namespace proa::runtime
