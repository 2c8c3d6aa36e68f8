#include "lib/base/support/TensorCheck.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdlib>

namespace proa {
namespace {

struct DTypeFacts {
  std::string_view name;
  size_t size;
};

// In the order of DType.
constexpr std::array<DTypeFacts, 17> facts{{{"bool", 1},
                                            {"uint8", 1},
                                            {"uint16", 2},
                                            {"uint32", 4},
                                            {"uint64", 8},
                                            {"int8", 1},
                                            {"int16", 2},
                                            {"int32", 4},
                                            {"int64", 8},
                                            {"float8_e4m3fn", 1},
                                            {"float8_e5m2", 1},
                                            {"float16", 2},
                                            {"bfloat16", 2},
                                            {"float32", 4},
                                            {"float64", 8},
                                            {"complex64", 8},
                                            {"complex128", 16}}};

constexpr size_t alignment = 64;

} // namespace

size_t sizeOf(DType dtype) { return facts[static_cast<size_t>(dtype)].size; }
std::string_view nameOf(DType dtype) { return facts[static_cast<size_t>(dtype)].name; }

std::optional<DType> dtypeFromName(std::string_view name) {
  for (size_t i = 0; i < facts.size(); ++i)
    if (facts[i].name == name)
      return static_cast<DType>(i);
  return std::nullopt;
}

std::optional<int64_t> elementCount(std::span<const int64_t> dims) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t dim : dims) {
    if (dim < 0)
      return std::nullopt;
    if (dim == 0)
      empty = true;
    else if (__builtin_mul_overflow(count, dim, &count))
      return std::nullopt;
  }
  return empty ? 0 : count;
}

std::string describe(DType dtype, std::span<const int64_t> dims) {
  return fmt::format("{}[{}]", nameOf(dtype), fmt::join(dims, ", "));
}

Tensor::Tensor(DType dtype, std::vector<int64_t> dims)
    : elementType(dtype), shape(std::move(dims)), count(elementCount(shape).value_or(0)) {
  if (!elementCount(shape))
    return;
  size_t rounded = (bytes() + alignment - 1) / alignment * alignment;
  storage = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (!storage)
    throw std::bad_alloc();
  owner = std::shared_ptr<const void>(storage, [](const void *p) { std::free(const_cast<void *>(p)); });
}

Tensor::Tensor(DType dtype, std::vector<int64_t> dims, void *data, std::shared_ptr<const void> owner)
    : elementType(dtype), shape(std::move(dims)), count(elementCount(shape).value_or(0)), storage(data),
      owner(std::move(owner)) {}

Tensor Tensor::reshaped(std::vector<int64_t> dims) const {
  if (elementCount(dims) != count) { // without data, so that a use of it is an error
    Tensor none;
    none.elementType = elementType;
    none.shape = std::move(dims);
    none.count = elementCount(none.shape).value_or(0);
    return none;
  }
  Tensor out = *this;
  out.shape = std::move(dims);
  out.levels.clear();
  return out;
}

std::string whyInvalid(const Tensor &tensor) {
  if (!elementCount(tensor.dims()))
    return fmt::format("has the dims [{}], expected non-negative ones with at most 2^63 elements",
                       fmt::join(tensor.dims(), ", "));
  return tensor.bytes() > 0 && !tensor.data() ? "has no data, but it is " + tensor.describe() : "";
}

} // namespace proa
