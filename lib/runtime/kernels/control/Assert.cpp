/// The library kernels "assert" (condition, data...; summarize) and "fail" (; message): they end the run with
/// an error.
#include "lib/runtime/kernels/common/Checks.h"

#include "dialects/pd/ops/control/Check.kernels.inc"

#include <algorithm>

namespace proa::runtime {
namespace {

template <class T> void append(std::string &text, const View &view, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", view.as<T>()[i]);
}

/// "float32[2, 3]: 1, 2, 3, ..."; elements of the dtypes of conditions.
std::string show(const View &view, int64_t summarize) {
  int64_t count = summarize < 0 ? view.size() : std::min(summarize, view.size());
  std::string text = describe(view.dtype, view.dims) + ": ";
  switch (view.dtype) {
  case DType::Bool:
    append<bool>(text, view, count);
    break;
  case DType::Int32:
    append<int32_t>(text, view, count);
    break;
  case DType::Int64:
    append<int64_t>(text, view, count);
    break;
  case DType::Float32:
    append<float>(text, view, count);
    break;
  case DType::Float64:
    append<double>(text, view, count);
    break;
  default:
    return describe(view.dtype, view.dims);
  }
  return text + (count < view.size() ? ", ..." : "");
}

Result<void> check(Call &call, const AssertAttributes &op) {
  const View &condition = call.input(0);
  if (condition.size() != 1)
    return failure("the condition is {}, expected one bool", describe(condition.dtype, condition.dims));
  if (*condition.as<const bool>())
    return {};
  std::string text = op.message.empty() ? "the condition does not hold" : op.message;
  for (size_t i = 1; i < call.inputCount(); ++i)
    if (call.input(i))
      text += fmt::format("; data {}: {}", i - 1, show(call.input(i), op.summarize));
  return failure("{}", text);
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeAssert(const AssertAttributes &op, const KernelRequest &request) {
  Checks checks(request);
  checks.expectOperands(1, 0);
  checks.expectDType(0, {DType::Bool});
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([op](Call &call) { return check(call, op); });
}

Result<std::unique_ptr<LibraryKernel>> makeFail(const FailAttributes &op, const KernelRequest &request) {
  Checks checks(request);
  std::string message = op.message;
  checks.expect(!message.empty(), "attribute 'message' is empty");
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([message](Call &) -> Result<void> { return failure("{}", message); });
}

} // namespace proa::runtime
