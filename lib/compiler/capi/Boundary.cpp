#include "lib/compiler/capi/Boundary.h"

#include <fmt/format.h>

namespace proa::capi {
namespace {

// The C constants equal the C++ ones.
static_assert(PROA_BOOL == static_cast<int>(DType::Bool) && PROA_UINT8 == static_cast<int>(DType::UInt8) &&
              PROA_UINT16 == static_cast<int>(DType::UInt16) &&
              PROA_UINT32 == static_cast<int>(DType::UInt32) &&
              PROA_UINT64 == static_cast<int>(DType::UInt64) && PROA_INT8 == static_cast<int>(DType::Int8) &&
              PROA_INT16 == static_cast<int>(DType::Int16) && PROA_INT32 == static_cast<int>(DType::Int32) &&
              PROA_INT64 == static_cast<int>(DType::Int64) &&
              PROA_FLOAT8_E4M3FN == static_cast<int>(DType::Float8E4M3FN) &&
              PROA_FLOAT8_E5M2 == static_cast<int>(DType::Float8E5M2) &&
              PROA_FLOAT16 == static_cast<int>(DType::Float16) &&
              PROA_BFLOAT16 == static_cast<int>(DType::BFloat16) &&
              PROA_FLOAT32 == static_cast<int>(DType::Float32) &&
              PROA_FLOAT64 == static_cast<int>(DType::Float64) &&
              PROA_COMPLEX64 == static_cast<int>(DType::Complex64) &&
              PROA_COMPLEX128 == static_cast<int>(DType::Complex128));

bool isKnown(proa_dtype dtype) {
  auto code = static_cast<int>(dtype);
  return code >= PROA_BOOL && code <= PROA_COMPLEX128;
}

std::string &errorText() {
  thread_local std::string text;
  return text;
}

} // namespace

void setError(const Diagnostics &diagnostics) { errorText() = diagnostics.text(); }

Result<Tensor> tensorFromC(const proa_tensor &tensor, const std::string &where, bool needsData) {
  if (!isKnown(tensor.dtype))
    return errorAt(where,
                   fmt::format("found dtype {}, expected a proa_dtype", static_cast<int>(tensor.dtype)));
  if (tensor.rank > 0 && !tensor.dims)
    return errorAt(where, fmt::format("its dims are NULL, but its rank is {}", tensor.rank));
  auto dtype = static_cast<DType>(tensor.dtype);
  std::vector<int64_t> dims(tensor.dims, tensor.dims + tensor.rank);
  std::optional<int64_t> count = elementCount(dims);
  if (!count)
    return errorAt(where,
                   "it is " + describe(dtype, dims) + ", which has a negative dim or too many elements");
  if (needsData && *count > 0 && !tensor.data)
    return errorAt(where, "its data is NULL, but it is " + describe(dtype, dims));
  return Tensor(dtype, std::move(dims), tensor.data, nullptr);
}

Result<std::vector<Tensor>> tensorsFromC(const proa_tensor *tensors, std::span<const TensorInfo> infos,
                                         bool needsData) {
  if (!tensors && !infos.empty())
    return errorAt("inputs", fmt::format("they are NULL; expected {} tensors", infos.size()));
  Diagnostics diagnostics;
  std::vector<Tensor> views;
  for (size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].isSequence) { // its elements are set by a call of their own
      views.emplace_back();
      continue;
    }
    Result<Tensor> view =
        tensorFromC(tensors[i], fmt::format("input {} ('{}')", i, infos[i].name), needsData);
    if (view)
      views.push_back(std::move(*view));
    else
      diagnostics.append(view.diagnostics());
  }
  if (!diagnostics.empty())
    return diagnostics;
  return views;
}

proa_tensor tensorToC(const Tensor &tensor) {
  return {static_cast<proa_dtype>(tensor.dtype()), tensor.dims().size(), tensor.dims().data(),
          const_cast<void *>(tensor.data())};
}

void tensorsToC(std::span<const Tensor> tensors, proa_tensor *outputs) {
  for (size_t i = 0; i < tensors.size(); ++i)
    outputs[i] = tensorToC(tensors[i]);
}

proa_step_time stepToC(const StepTime &step) {
  return {.kernel = step.kernel.c_str(),
          .ops = step.ops.c_str(),
          .variable = step.variable.c_str(),
          .types = step.types.c_str(),
          .location = step.location.c_str(),
          .calls = step.calls,
          .milliseconds = step.milliseconds,
          .bytes = step.bytes,
          .flops = step.flops,
          .roofline = step.roofline};
}

Result<void> describeEntry(std::span<const TensorInfo> infos, size_t index, const char *what,
                           proa_tensor_info *info) {
  if (!info)
    return errorAt("", "the place for the description is NULL");
  if (index >= infos.size())
    return errorAt("", fmt::format("no {} {}, expected an index below {}", what, index, infos.size()));
  const TensorInfo &entry = infos[index];
  *info = {entry.name.c_str(), static_cast<proa_dtype>(entry.dtype), entry.dims.size(), entry.dims.data()};
  return {};
}

} // namespace proa::capi

using namespace proa;

size_t proa_dtype_size(proa_dtype dtype) {
  return capi::isKnown(dtype) ? sizeOf(static_cast<DType>(dtype)) : 0;
}

const char *proa_dtype_name(proa_dtype dtype) {
  return capi::isKnown(dtype) ? nameOf(static_cast<DType>(dtype)).data() : nullptr;
}

const char *proa_error(void) { return capi::errorText().c_str(); }

const char *proa_version(void) {
  static const std::string text = version();
  return text.c_str();
}
