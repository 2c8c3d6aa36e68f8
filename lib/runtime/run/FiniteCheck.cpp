#include "lib/runtime/run/FiniteCheck.h"

#include "lib/runtime/run/Frame.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cmath>
#include <complex>
#include <cstring>

namespace proa::runtime {
namespace {

/// The exponent and the mantissa of a float of one or two bytes decide; wider ones are left to the library.
struct Bits {
  uint32_t exponent, mantissa;
};

bool isNan(uint32_t bits, Bits masks) {
  return (bits & masks.exponent) == masks.exponent && (bits & masks.mantissa) != 0;
}
bool isInfinite(uint32_t bits, Bits masks) {
  return (bits & masks.exponent) == masks.exponent && (bits & masks.mantissa) == 0;
}

template <class T, class IsNan, class IsInfinite>
NonFinite count(const View &view, IsNan isNan, IsInfinite isInfinite) {
  NonFinite result;
  const T *elements = view.as<const T>();
  for (int64_t i = 0, size = view.size(); i < size; ++i) {
    if (isNan(elements[i])) {
      if (result.nans++ == 0)
        result.firstNan = i;
    } else if (isInfinite(elements[i]) && result.infinities++ == 0) {
      result.firstInfinity = i;
    }
  }
  return result;
}

/// `exponent` is the mask of the exponent bits, all of which are set in a NaN and in an Inf.
template <class T, class Bits> NonFinite countReal(const View &view, Bits exponent) {
  const T *elements = view.as<const T>();
  // A loop that vectorizes: most values are finite and need no second look.
  Bits found = 0;
  for (int64_t i = 0, size = view.size(); i < size; ++i)
    found |= (std::bit_cast<Bits>(elements[i]) & exponent) == exponent;
  if (found == 0)
    return {};
  return count<T>(view, [](T x) { return std::isnan(x); }, [](T x) { return std::isinf(x); });
}

template <class T> NonFinite countComplex(const View &view) {
  using C = std::complex<T>;
  return count<C>(
      view, [](C x) { return std::isnan(x.real()) || std::isnan(x.imag()); },
      [](C x) { return std::isinf(x.real()) || std::isinf(x.imag()); });
}

template <class T> NonFinite countByBits(const View &view, Bits masks) {
  return count<T>(view, [=](T x) { return isNan(x, masks); }, [=](T x) { return isInfinite(x, masks); });
}

std::string indexText(int64_t position, std::span<const int64_t> dims) {
  std::vector<int64_t> index(dims.size());
  for (size_t axis = dims.size(); axis-- > 0;) {
    index[axis] = position % dims[axis];
    position /= dims[axis];
  }
  return fmt::format("[{}]", fmt::join(index, ", "));
}

} // namespace

NonFinite &NonFinite::operator+=(const NonFinite &other) {
  nans += other.nans;
  infinities += other.infinities;
  return *this;
}

NonFinite countNonFinite(const View &view) {
  if (!view)
    return {};
  switch (view.dtype) {
  case DType::Float64:
    return countReal<double>(view, uint64_t(0x7FF) << 52);
  case DType::Float32:
    return countReal<float>(view, uint32_t(0xFF) << 23);
  case DType::Float16:
    return countByBits<uint16_t>(view, {0x7C00, 0x03FF});
  case DType::BFloat16:
    return countByBits<uint16_t>(view, {0x7F80, 0x007F});
  case DType::Float8E5M2:
    return countByBits<uint8_t>(view, {0x7C, 0x03});
  case DType::Float8E4M3FN: // it has no Inf, and one NaN of each sign
    return count<uint8_t>(view, [](uint8_t x) { return (x & 0x7F) == 0x7F; }, [](uint8_t) { return false; });
  case DType::Complex64:
    return countComplex<float>(view);
  case DType::Complex128:
    return countComplex<double>(view);
  default:
    return {};
  }
}

NonFinite countNonFinite(const Tensor &tensor) {
  return countNonFinite(View{tensor.dtype(), tensor.dims(), const_cast<void *>(tensor.data())});
}

std::optional<std::string> describeCreated(const NonFinite &inputs, const NonFinite &output,
                                           std::span<const int64_t> dims) {
  bool madeNan = output.nans > 0 && inputs.nans == 0;
  bool madeInfinity = output.infinities > 0 && inputs.isFinite();
  if (!madeNan && !madeInfinity)
    return std::nullopt;
  bool isNanFirst = madeNan && (!madeInfinity || output.firstNan < output.firstInfinity);
  return fmt::format("gets {} from {}, the first at {}; {} NaN and {} Inf in all", isNanFirst ? "NaN" : "Inf",
                     inputs.isFinite() ? "finite inputs" : "inputs with Inf and without NaN",
                     indexText(isNanFirst ? output.firstNan : output.firstInfinity, dims), output.nans,
                     output.infinities);
}

/// Of a value on the device, a copy is checked.
NonFinite Frame::nonFiniteOf(ValueId id) const {
  if (!isOnDevice(id))
    return countNonFinite(view(id));
  Result<Tensor> copy = hostCopy(id);
  return copy ? countNonFinite(*copy) : NonFinite();
}

NonFinite Frame::nonFiniteIn(std::span<const ValueId> ids) const {
  NonFinite sum;
  for (ValueId id : ids) {
    if (id == none)
      continue;
    if (const auto &array = arrays[static_cast<size_t>(id)])
      for (const ArrayElement &element : *array)
        sum += countNonFinite(element.view());
    else if (plan.values[static_cast<size_t>(id)].storage != Storage::Array)
      sum += nonFiniteOf(id);
  }
  return sum;
}

std::vector<Tensor> Frame::copiesOf(std::span<const ValueId> ids) const {
  std::vector<Tensor> copies;
  for (ValueId id : ids) {
    const View &source = view(id);
    if (isOnDevice(id)) {
      Result<Tensor> copied = hostCopy(id);
      copies.push_back(copied ? std::move(*copied) : Tensor());
      continue;
    }
    Tensor &copy =
        copies.emplace_back(source.dtype, std::vector<int64_t>(source.dims.begin(), source.dims.end()));
    if (copy.bytes() != 0)
      std::memcpy(copy.data(), source.data, copy.bytes());
  }
  return copies;
}

/// Checks inputs before the step runs, because an output may overwrite them. Each step in a body of control
/// flow is checked by itself.
Result<void> Frame::runChecked(const BoundStep &bound, States states, Profile *profile) {
  const Step &step = *bound.step;
  // The destination of a copy to the host is filled by the next wait.
  if (!bound.bodies.empty() || step.kind == StepKind::Copy)
    return runStep(bound, states, profile);
  NonFinite before = nonFiniteIn(step.inputs);
  std::vector<Tensor> inputs; // for the diagnosis: outputs may overwrite them
  if (kernelDiagnosis && step.kind == StepKind::Kernel)
    inputs = copiesOf(step.inputs);
  if (Result<void> done = runStep(bound, states, profile); !done)
    return done;
  Diagnostics diagnostics;
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    ValueId id = step.outputs[i];
    if (id == none || plan.values[static_cast<size_t>(id)].storage == Storage::Array)
      continue;
    const Value &value = plan.values[static_cast<size_t>(id)];
    std::string name = value.name.empty() ? fmt::format("output {}", i) : "output '" + value.name + "'";
    if (auto created = describeCreated(before, nonFiniteOf(id), view(id).dims))
      diagnostics.add("", fmt::format("{} ({}) {}", name, describe(value.dtype, view(id).dims), *created));
  }
  if (!diagnostics.empty() && kernelDiagnosis && step.kind == StepKind::Kernel)
    if (Diagnostics found = (*kernelDiagnosis)(step, inputs); !found.empty())
      return found;
  return diagnostics;
}

} // namespace proa::runtime
