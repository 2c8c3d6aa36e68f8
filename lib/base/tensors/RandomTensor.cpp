#include "lib/base/tensors/RandomTensor.h"
#include "lib/base/tensors/Elements.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <type_traits>

namespace proa {
namespace {

template <class T> T randomElement(std::mt19937_64 &engine) {
  // Not a distribution of the standard library, because these differ between libraries.
  double unit = static_cast<double>(engine() >> 40) / double(1 << 24);
  if constexpr (isComplex<T>)
    return T(
        static_cast<typename T::value_type>(2 * unit - 1),
        static_cast<typename T::value_type>(2 * static_cast<double>(engine() >> 40) / double(1 << 24) - 1));
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(unit < 0.5 ? 0 : 1);
  else if constexpr (std::is_same_v<T, Boolean>)
    return T{static_cast<uint8_t>(unit < 0.5 ? 0 : 1)};
  else if constexpr (std::is_same_v<T, Float8E4M3FN> || std::is_same_v<T, Float8E5M2>)
    return T{static_cast<uint8_t>(unit < 0.5 ? 0xb8 : 0x38)}; // plus or minus 1 in E4M3, 0.5 in E5M2
  else
    return static_cast<T>(static_cast<float>(2 * unit - 1));
}

} // namespace

Tensor randomTensor(const std::string &name, DType dtype, std::vector<int64_t> dims, uint64_t seed) {
  uint64_t mixed = seed;
  for (unsigned char c : name) // so that two feeds of one program differ
    mixed = (mixed ^ c) * 0x100000001b3;
  std::mt19937_64 engine(mixed);
  Tensor tensor(dtype, std::move(dims));
  visitElements(tensor, [&](auto *elements) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(elements)>>;
    std::generate_n(tensor.as<T>(), tensor.size(), [&] { return randomElement<T>(engine); });
  });
  return tensor;
}

Tensor randomWeight(const std::string &name, DType dtype, std::vector<int64_t> dims, uint64_t seed) {
  Tensor tensor = randomTensor(name, dtype, std::move(dims), seed);
  const std::vector<int64_t> &shape = tensor.dims();
  bool isMatrix = shape.size() >= 2;
  int64_t inputs = shape.size() == 2 ? shape[0] : isMatrix && shape[0] > 0 ? tensor.size() / shape[0] : 1;
  double factor = 1 / std::sqrt(static_cast<double>(std::max<int64_t>(inputs, 1)));
  visitElements(tensor, [&](auto *elements) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(elements)>>;
    constexpr bool isHalf = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
    if constexpr (isHalf || std::is_floating_point_v<T>)
      std::transform(tensor.as<T>(), tensor.as<T>() + tensor.size(), tensor.as<T>(), [&](T element) {
        double value = static_cast<double>(static_cast<float>(element));
        value = isMatrix ? value * factor : 0.1 + 0.9 * std::abs(value);
        if constexpr (isHalf)
          return static_cast<T>(static_cast<float>(value));
        else
          return static_cast<T>(value);
      });
  });
  return tensor;
}

} // namespace proa
