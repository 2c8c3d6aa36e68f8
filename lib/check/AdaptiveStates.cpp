#include "lib/check/AdaptiveStates.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

namespace proa::check {
namespace {

using params::Tensors;

/// Paddle's suffixes of the states of a parameter.
constexpr const char *firstMoment = "_moment1_0", *secondMoment = "_moment2_0";
constexpr const char *firstPower = "_beta1_pow_acc_0", *secondPower = "_beta2_pow_acc_0";

/// The float32 elements of a tensor; empty if there is none of the name, or it has another type.
std::span<const float> elementsOf(const Tensors &tensors, const std::string &name) {
  auto found = tensors.find(name);
  if (found == tensors.end() || found->second.dtype() != DType::Float32)
    return {};
  return {found->second.as<float>(), static_cast<size_t>(found->second.size())};
}

class Noise {
public:
  Noise(const Tensors &initial, const Tensors &expected, const Tensors &got)
      : initial(initial), expected(expected), got(got) {
    double squares = 0, count = 0;
    for (const auto &[name, tensor] : expected) {
      std::span<const float> values = elementsOf(expected, name), before = elementsOf(initial, name),
                             moments = elementsOf(expected, name + firstMoment);
      if (moments.empty() || before.size() != values.size())
        continue;
      for (float m : moments)
        squares += double(m) * m;
      count += static_cast<double>(moments.size());
      for (size_t i = 0; i < values.size(); ++i)
        reach = std::max(reach, std::abs(double(values[i]) - before[i]));
    }
    meanMoment = count > 0 ? std::sqrt(squares / count) : 0;
  }

  /// The norm by which a state may differ beyond compareLowPrecision; 0 for other tensors.
  double allowed(const std::string &name, double unit) const {
    if (name.ends_with(firstMoment))
      return unit * meanMoment * std::sqrt(double(elementsOf(expected, name).size()));
    std::span<const float> m = elementsOf(expected, name + firstMoment),
                           actual = elementsOf(got, name + firstMoment),
                           v = elementsOf(expected, name + secondMoment);
    if (m.empty() || m.size() != actual.size() || m.size() != v.size())
      return 0;
    double correction = std::sqrt(1 - power(name + secondPower)) / (1 - power(name + firstPower));
    double squares = 0;
    for (size_t i = 0; i < m.size(); ++i) {
      double error = std::abs(double(actual[i]) - m[i]) * correction;
      double size = std::sqrt(double(v[i]));
      squares += std::pow(2 * reach * (error < size ? error / size : 1), 2);
    }
    return std::sqrt(squares);
  }

private:
  /// The power of a decay rate after the last step; 0, no correction, if it is unknown.
  double power(const std::string &name) const {
    std::span<const float> value = elementsOf(expected, name);
    return value.size() == 1 && value[0] < 1 ? value[0] : 0;
  }

  const Tensors &initial, &expected, &got;
  double reach = 0;
  double meanMoment = 0; ///< root mean square of all first moments
};

} // namespace

void allowRoundingNoise(std::vector<params::ComparedOutput> &compared, const std::string &prefix,
                        const Tensors &initial, const Tensors &expected, const Tensors &got, DType format) {
  std::optional<Noise> noise;
  for (params::ComparedOutput &output : compared) {
    std::string name = output.name.substr(prefix.size());
    auto reference = expected.find(name), actual = got.find(name);
    if (output.comparison.passed() || reference == expected.end() || actual == got.end())
      continue;
    if (!noise)
      noise.emplace(initial, expected, got);
    if (double allowed = noise->allowed(name, unitRoundoff(format)); allowed > 0)
      output.comparison = compareLowPrecision(actual->second, reference->second, format, allowed);
  }
}

} // namespace proa::check
