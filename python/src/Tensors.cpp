#include "Tensors.h"

#include "Errors.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <memory>
#include <optional>

namespace nb = nanobind;

namespace proa::python {
namespace {

using InputArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

/// DLPack's dtype. NumPy has no bfloat16 and float8: arrays of these get integers of the same size.
nb::dlpack::dtype dlpackType(DType dtype, bool forNumpy) {
  using Code = nb::dlpack::dtype_code;
  auto bits = static_cast<uint8_t>(8 * sizeOf(dtype));
  auto of = [&](Code code) { return nb::dlpack::dtype{static_cast<uint8_t>(code), bits, 1}; };
  switch (dtype) {
  case DType::Bool:
    return of(Code::Bool);
  case DType::UInt8:
  case DType::UInt16:
  case DType::UInt32:
  case DType::UInt64:
    return of(Code::UInt);
  case DType::Int8:
  case DType::Int16:
  case DType::Int32:
  case DType::Int64:
    return of(Code::Int);
  case DType::Float8E4M3FN:
    return of(forNumpy ? Code::UInt : Code::Float8_E4M3FN);
  case DType::Float8E5M2:
    return of(forNumpy ? Code::UInt : Code::Float8_E5M2);
  case DType::BFloat16:
    return of(forNumpy ? Code::UInt : Code::Bfloat);
  case DType::Float16:
  case DType::Float32:
  case DType::Float64:
    return of(Code::Float);
  case DType::Complex64:
  case DType::Complex128:
    return of(Code::Complex);
  }
  return {};
}

DType dtypeOf(nb::dlpack::dtype type) {
  for (uint8_t i = 0; i <= static_cast<uint8_t>(DType::Complex128); ++i)
    if (auto dtype = static_cast<DType>(i); dlpackType(dtype, false) == type)
      return dtype;
  throw Failure(errorAt("", "an array has a dtype with DLPack code " + std::to_string(type.code) + " and " +
                                std::to_string(type.bits) + " bits, expected one of proa's dtypes"));
}

DType dtypeNamed(const std::string &name) {
  if (std::optional<DType> dtype = dtypeFromName(name))
    return *dtype;
  throw Failure(errorAt("", "unknown dtype '" + name + "'"));
}

/// `dtype` names another type of the same size, whose bits the array has.
Tensor tensorOf(const InputArray &array, const std::optional<std::string> &dtype, const Lod &lod) {
  DType type = dtype ? dtypeNamed(*dtype) : dtypeOf(array.dtype());
  if (sizeOf(type) * 8 != size_t(array.dtype().bits) * array.dtype().lanes)
    throw Failure(errorAt("", "elements of an array have " + std::to_string(array.itemsize()) +
                                  " bytes, expected " + std::to_string(sizeOf(type)) + " (" +
                                  std::string(nameOf(type)) + ")"));
  std::vector<int64_t> dims;
  for (size_t i = 0; i < array.ndim(); ++i)
    dims.push_back(static_cast<int64_t>(array.shape(i)));
  Tensor tensor(type, std::move(dims), const_cast<void *>(array.data()), std::make_shared<InputArray>(array));
  tensor.setLod(lod);
  return tensor;
}

/// An array of a framework that shares the tensor's data and keeps it alive.
template <class... Framework> nb::object arrayOf(const Tensor &tensor, bool forNumpy) {
  auto *owner = new Tensor(tensor);
  nb::capsule capsule(owner, [](void *pointer) noexcept { delete static_cast<Tensor *>(pointer); });
  std::vector<size_t> shape(tensor.dims().begin(), tensor.dims().end());
  nb::ndarray<Framework...> array(owner->data(), shape.size(), shape.data(), capsule, nullptr,
                                  dlpackType(tensor.dtype(), forNumpy));
  return nb::cast(array, nb::rv_policy::reference);
}

nb::object dlpack(const nb::object &self, const nb::kwargs &options) {
  return arrayOf<nb::array_api>(nb::cast<const Tensor &>(self), false).attr("__dlpack__")(**options);
}

nb::tuple dlpackDevice(const Tensor &) { return nb::make_tuple(1, 0); }

} // namespace

Feeds feedsOf(const nb::dict &tensors) {
  Feeds feeds;
  for (auto [name, tensor] : tensors)
    feeds.emplace(nb::cast<std::string>(name), nb::cast<const Tensor &>(tensor));
  return feeds;
}

Tensor copyOf(const Tensor &tensor) {
  Tensor copy(tensor.dtype(), tensor.dims());
  if (tensor.bytes() > 0)
    std::memcpy(copy.data(), tensor.data(), tensor.bytes());
  copy.setLod(tensor.lod());
  return copy;
}

void addTensors(nb::module_ &module) {
  nb::class_<Tensor>(
      module, "Tensor",
      "A dense row-major tensor in host memory.\n\n"
      "It shares the memory of the array that it is created from, and gives it to others through "
      "DLPack\n(``torch.from_dlpack(tensor)``) or as a NumPy array.")
      .def(
          "__init__",
          [](Tensor *self, const InputArray &array, const std::optional<std::string> &dtype, const Lod &lod) {
            new (self) Tensor(tensorOf(array, dtype, lod));
          },
          nb::arg("array"), nb::arg("dtype") = nb::none(), nb::arg("lod") = Lod(),
          nb::sig("def __init__(self, array: typing.Any, dtype: str | None = None, "
                  "lod: collections.abc.Sequence[collections.abc.Sequence[int]] = ()) -> None"),
          "From any array that has DLPack or Python's buffer protocol. `dtype` names another type of the "
          "same size,\nwhose bits the array has: bfloat16 of an array of uint16.")
      .def_prop_ro(
          "dtype", [](const Tensor &tensor) { return std::string(nameOf(tensor.dtype())); },
          "Name of the element type, such as \"float32\".")
      .def_prop_ro("dims", &Tensor::dims, "The dims.")
      .def_prop_ro("lod", &Tensor::lod,
                   "The sequences that rows form: a list of ascending offsets for each level; empty without "
                   "sequences.")
      .def(
          "numpy", [](const Tensor &tensor) { return arrayOf<nb::numpy>(tensor, true); },
          nb::sig("def numpy(self) -> numpy.typing.NDArray[typing.Any]"),
          "A NumPy array of the same memory. bfloat16 and float8 are the integers with the same bits.")
      .def("__dlpack__", &dlpack, nb::sig("def __dlpack__(self, **kwargs: typing.Any) -> typing.Any"),
           "The tensor for libraries with DLPack.")
      .def("__dlpack_device__", &dlpackDevice, nb::sig("def __dlpack_device__(self) -> tuple[int, int]"),
           "The device of DLPack: the CPU.")
      .def("__repr__", [](const Tensor &tensor) { return "<proa.Tensor " + tensor.describe() + ">"; });
  nb::class_<TensorInfo>(module, "TensorInfo", "Name, dtype and dims of a feed, fetch or parameter.")
      .def_ro("name", &TensorInfo::name, "The name in the program.")
      .def_prop_ro(
          "dtype", [](const TensorInfo &info) { return std::string(nameOf(info.dtype)); },
          "Name of the element type, such as \"float32\".")
      .def_ro("dims", &TensorInfo::dims, "The dims; -1 is a dynamic dim.")
      .def_ro("dim_names", &TensorInfo::dimNames,
              "Names of the dims, each may be empty; an empty list if no dim has one. Dims of one name have "
              "one size in a run.")
      .def_ro("lod_level", &TensorInfo::lodLevel, "Number of LoD levels that the program declares.")
      .def_ro("is_sequence", &TensorInfo::isSequence,
              "Whether it is a list of tensors, or an optional tensor.")
      .def("__repr__", [](const TensorInfo &info) {
        return "<" + info.name + ": " + describe(info.dtype, info.dims) + ">";
      });
}

} // namespace proa::python
