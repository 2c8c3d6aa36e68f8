#include "proa/Memory.h"

#include <dlpack/dlpack.h>
#include <fmt/format.h>

#include <array>

namespace proa {
namespace {

struct ElementType {
  DType dtype;
  uint8_t code, bits;
};

constexpr std::array<ElementType, 14> elementTypes{{{DType::UInt8, kDLUInt, 8},
                                                    {DType::UInt16, kDLUInt, 16},
                                                    {DType::UInt32, kDLUInt, 32},
                                                    {DType::UInt64, kDLUInt, 64},
                                                    {DType::Int8, kDLInt, 8},
                                                    {DType::Int16, kDLInt, 16},
                                                    {DType::Int32, kDLInt, 32},
                                                    {DType::Int64, kDLInt, 64},
                                                    {DType::Float16, kDLFloat, 16},
                                                    {DType::BFloat16, kDLBfloat, 16},
                                                    {DType::Float32, kDLFloat, 32},
                                                    {DType::Float64, kDLFloat, 64},
                                                    {DType::Complex64, kDLComplex, 64},
                                                    {DType::Complex128, kDLComplex, 128}}};
/// kDLBool of later versions of the header.
constexpr uint8_t boolCode = 6;

Result<DType> dtypeOf(const DLDataType &type) {
  if (type.lanes == 1 && type.code == boolCode && type.bits == 8)
    return DType::Bool;
  for (const ElementType &known : elementTypes)
    if (type.lanes == 1 && type.code == known.code && type.bits == known.bits)
      return known.dtype;
  return errorAt("DLPack", fmt::format("found elements of type code {} with {} bits and {} lanes, which proa "
                                       "does not have",
                                       type.code, type.bits, type.lanes));
}

Result<DLDataType> typeOf(DType dtype) {
  if (dtype == DType::Bool)
    return DLDataType{boolCode, 8, 1};
  for (const ElementType &known : elementTypes)
    if (known.dtype == dtype)
      return DLDataType{known.code, known.bits, 1};
  return errorAt("DLPack", fmt::format("it has no element type {}", nameOf(dtype)));
}

void deleteManaged(DLManagedTensor *managed) {
  if (managed->deleter)
    managed->deleter(managed);
}

/// A tensor of proa for another library.
struct Exported {
  explicit Exported(const Tensor &shared) : tensor(shared), dims(shared.dims()) {
    int64_t next = 1;
    strides.resize(dims.size());
    for (size_t axis = dims.size(); axis-- > 0;) {
      strides[axis] = next;
      next *= dims[axis];
    }
  }

  Tensor tensor;
  std::vector<int64_t> dims, strides;
  DLManagedTensor managed{};
};

} // namespace

Result<Tensor> fromDLPack(DLManagedTensor *managed) {
  if (!managed)
    return errorAt("DLPack", "the tensor is null");
  const DLTensor &given = managed->dl_tensor;
  if (given.device.device_type != kDLCPU && given.device.device_type != kDLCUDAHost)
    return errorAt("DLPack", fmt::format("the tensor is in memory of a device (type {}), expected memory of "
                                         "the CPU",
                                         static_cast<int>(given.device.device_type)));
  Result<DType> dtype = dtypeOf(given.dtype);
  if (!dtype)
    return dtype.diagnostics();
  StridedView view{.dtype = *dtype, .dims = {given.shape, given.shape + given.ndim}};
  if (given.strides)
    view.strides.assign(given.strides, given.strides + given.ndim);
  if (given.data)
    view.data = static_cast<std::byte *>(given.data) + given.byte_offset;
  Result<Tensor> checked = tensorOf(view);
  if (!checked)
    return checked;
  std::shared_ptr<DLManagedTensor> shared(managed, deleteManaged);
  return view.isDense() ? tensorOf(view, std::move(shared)) : checked;
}

Result<DLManagedTensor *> toDLPack(const Tensor &tensor) {
  Result<DLDataType> type = typeOf(tensor.dtype());
  if (!type)
    return type.diagnostics();
  auto exported = std::make_unique<Exported>(tensor);
  DLTensor &described = exported->managed.dl_tensor;
  described.data = exported->tensor.data();
  described.device = {kDLCPU, 0};
  described.ndim = static_cast<int>(exported->dims.size());
  described.dtype = *type;
  described.shape = exported->dims.data();
  described.strides = exported->strides.data();
  exported->managed.manager_ctx = exported.get();
  exported->managed.deleter = [](DLManagedTensor *managed) {
    delete static_cast<Exported *>(managed->manager_ctx);
  };
  return &exported.release()->managed;
}

} // namespace proa
