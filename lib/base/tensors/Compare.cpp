#include "lib/base/tensors/Compare.h"

#include "lib/base/tensors/Elements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace proa {
namespace {

constexpr std::array<std::string_view, 5> kindNames{"allclose", "stats", "shape", "permutation", "sorted"};

bool closeReal(double got, double expected, double rtol, double atol) {
  if (got == expected) // also infinities of the same sign
    return true;
  if (std::isnan(got) || std::isnan(expected))
    return std::isnan(got) && std::isnan(expected);
  if (std::isinf(got) || std::isinf(expected))
    return false;
  return std::abs(got - expected) <= atol + rtol * std::abs(expected);
}

template <class T> bool isFinite(T value) {
  if constexpr (isComplex<T>)
    return std::isfinite(value.real()) && std::isfinite(value.imag());
  else if constexpr (std::is_integral_v<T>)
    return true;
  else
    return std::isfinite(value);
}

/// Whether widened elements agree by the rule.
template <class T> bool isClose(T got, T expected, const CompareRule &rule) {
  if constexpr (std::is_integral_v<T>)
    return got == expected;
  else if constexpr (isComplex<T>) {
    if (isFinite(got) && isFinite(expected))
      return std::abs(got - expected) <= rule.atol + rule.rtol * std::abs(expected);
    return closeReal(got.real(), expected.real(), rule.rtol, rule.atol) &&
           closeReal(got.imag(), expected.imag(), rule.rtol, rule.atol);
  } else
    return closeReal(got, expected, rule.rtol, rule.atol);
}

template <class T> double magnitude(T value) {
  if constexpr (std::is_integral_v<T>)
    return std::abs(static_cast<double>(value));
  else
    return std::abs(value);
}

template <class T> double distance(T got, T expected) {
  if constexpr (std::is_integral_v<T>)
    return got > expected ? static_cast<double>(got) - static_cast<double>(expected)
                          : static_cast<double>(expected) - static_cast<double>(got);
  else
    return std::abs(got - expected);
}

template <class T> std::string textOf(T value) {
  if constexpr (std::is_same_v<T, Boolean>)
    return value.byte == 0 ? "false" : value.byte == 1 ? "true" : fmt::format("{} (no bool)", value.byte);
  else if constexpr (isComplex<T>)
    return fmt::format("({}{:+}j)", value.real(), value.imag());
  else if constexpr (std::is_integral_v<T>)
    return fmt::format("{}", +value);
  else if constexpr (std::is_same_v<T, double>)
    return fmt::format("{}", value);
  else
    return fmt::format("{}", static_cast<float>(value));
}

std::vector<int64_t> unravel(int64_t position, const std::vector<int64_t> &dims) {
  std::vector<int64_t> index(dims.size());
  for (size_t axis = dims.size(); axis-- > 0;) {
    index[axis] = position % dims[axis];
    position /= dims[axis];
  }
  return index;
}

/// Adds the comparison of one pair of elements to the result.
template <class T>
void take(Comparison &result, T got, T expected, int64_t position, const std::vector<int64_t> &dims,
          const CompareRule &rule) {
  auto wideGot = widened(got);
  auto wideExpected = widened(expected);
  if (isFinite(wideGot) && isFinite(wideExpected)) {
    double error = distance(wideGot, wideExpected);
    result.maxAbsolute = std::max(result.maxAbsolute, error);
    if (double scale = magnitude(wideExpected); scale != 0)
      result.maxRelative = std::max(result.maxRelative, error / scale);
  }
  if (isClose(wideGot, wideExpected, rule))
    return;
  if (result.mismatches++ == 0)
    result.first = Mismatch{unravel(position, dims), textOf(got), textOf(expected)};
}

void describeMismatches(Comparison &result, const char *what) {
  if (result.mismatches == 0)
    return;
  result.reason = fmt::format(
      "{} of {} {} differ; at [{}] got {}, expected {}; max abs error {:.3g}, max rel error {:.3g}",
      result.mismatches, result.elements, what, fmt::join(result.first->index, ", "), result.first->got,
      result.first->expected, result.maxAbsolute, result.maxRelative);
}

void compareAllClose(Comparison &result, const Tensor &got, const Tensor &expected, const CompareRule &rule) {
  visitElements(expected, [&](auto *reference) {
    auto *elements = got.as<std::remove_const_t<std::remove_pointer_t<decltype(reference)>>>();
    for (int64_t i = 0; i < result.elements; ++i)
      take(result, elements[i], reference[i], i, expected.dims(), rule);
  });
  describeMismatches(result, "elements");
}

/// Reorders `got` to match the expected elements. Complex numbers have no order that is stable under
/// rounding, so they are matched pair by pair.
template <class T>
void matchComplex(std::vector<T> &got, const std::vector<T> &reference, const CompareRule &rule) {
  for (size_t i = 0; i < reference.size(); ++i)
    for (size_t j = i; j < got.size(); ++j)
      if (isClose(widened(got[j]), widened(reference[i]), rule)) {
        std::swap(got[i], got[j]);
        break;
      }
}

void compareUnordered(Comparison &result, const Tensor &got, const Tensor &expected,
                      const CompareRule &rule) {
  visitElements(expected, [&](auto *elements) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(elements)>>;
    std::vector<T> reference(elements, elements + result.elements);
    std::vector<T> values(got.as<T>(), got.as<T>() + result.elements);
    if constexpr (isComplex<T>) {
      matchComplex(values, reference, rule);
    } else {
      auto before = [](T a, T b) { // NaNs last
        auto x = widened(a), y = widened(b);
        return x == x && (y != y || x < y);
      };
      std::sort(reference.begin(), reference.end(), before);
      std::sort(values.begin(), values.end(), before);
    }
    for (int64_t i = 0; i < result.elements; ++i)
      take<T>(result, values[i], reference[i], i, {result.elements}, rule);
  });
  describeMismatches(result, "values, in sorted order,");
}

template <class T> double realOf(T value) {
  auto wide = widened(value);
  if constexpr (isComplex<decltype(wide)>)
    return wide.real();
  else
    return static_cast<double>(wide);
}

/// The central moment of this order.
double moment(const Tensor &tensor, double mean, int order) {
  double sum = 0;
  visitElements(tensor, [&](auto *elements) {
    for (int64_t i = 0; i < tensor.size(); ++i)
      sum += std::pow(realOf(elements[i]) - mean, order);
  });
  return tensor.size() ? sum / static_cast<double>(tensor.size()) : 0;
}

/// Both sides are samples: the standard error of the difference of two means is sqrt(2) times the error of
/// one mean. The standard error of a standard deviation follows from the fourth moment m4: sqrt((m4 - s^4) /
/// (4 s^2 n)).
void compareStatistics(Comparison &result, const Tensor &got, const Tensor &expected,
                       const CompareRule &rule) {
  constexpr double standardErrors = 5;
  Statistics reference = rule.statistics ? *rule.statistics : statisticsOf(expected);
  Statistics actual = statisticsOf(got);
  double count = static_cast<double>(result.elements);
  double spread = std::max(actual.deviation, reference.deviation);
  double fourth = moment(got, actual.mean, 4);
  double variance = actual.deviation * actual.deviation;
  double errorOfMean = std::sqrt(2.0) * spread / std::sqrt(count);
  double errorOfDeviation =
      variance > 0 ? std::sqrt(2.0 * std::max(0.0, fourth - variance * variance) / (4 * variance * count))
                   : 0;
  result.maxAbsolute = std::abs(actual.mean - reference.mean);
  auto check = [&](const char *what, double value, double expectedValue, double error) {
    double tolerance = standardErrors * error + rule.atol + rule.rtol * std::abs(expectedValue);
    if (!(std::abs(value - expectedValue) <= tolerance) && result.reason.empty())
      result.reason =
          fmt::format("{} is {:.6g}, expected {:.6g} within {:.3g}", what, value, expectedValue, tolerance);
  };
  check("mean", actual.mean, reference.mean, errorOfMean);
  check("standard deviation", actual.deviation, reference.deviation, errorOfDeviation);
}

} // namespace

std::optional<CompareKind> compareKindFromName(std::string_view name) {
  for (size_t i = 0; i < kindNames.size(); ++i)
    if (kindNames[i] == name)
      return static_cast<CompareKind>(i);
  return std::nullopt;
}

std::string_view nameOf(CompareKind kind) { return kindNames[static_cast<size_t>(kind)]; }

std::string elementText(const Tensor &tensor, int64_t element) {
  return visitElements(tensor, [&](auto *elements) { return textOf(elements[element]); });
}

Statistics statisticsOf(const Tensor &tensor) {
  Statistics result;
  if (tensor.size() == 0)
    return result;
  result.minimum = std::numeric_limits<double>::infinity();
  result.maximum = -result.minimum;
  double sum = 0;
  visitElements(tensor, [&](auto *elements) {
    for (int64_t i = 0; i < tensor.size(); ++i) {
      double value = realOf(elements[i]);
      sum += value;
      result.minimum = std::min(result.minimum, value);
      result.maximum = std::max(result.maximum, value);
    }
  });
  result.mean = sum / static_cast<double>(tensor.size());
  result.deviation = std::sqrt(moment(tensor, result.mean, 2));
  return result;
}

FiniteStatistics finiteStatisticsOf(const Tensor &tensor) {
  FiniteStatistics result;
  double sum = 0;
  visitElements(tensor, [&](auto *elements) {
    using T = std::remove_cvref_t<decltype(*elements)>;
    for (int64_t i = 0; i < tensor.size(); ++i) {
      double value = realOf(elements[i]), second = 0;
      if constexpr (isComplex<T>)
        second = static_cast<double>(elements[i].imag());
      if (std::isnan(value) || std::isnan(second)) {
        ++result.nans;
      } else if (std::isinf(value) || std::isinf(second)) {
        ++result.infinities;
      } else {
        result.minimum = result.finite == 0 ? value : std::min(result.minimum, value);
        result.maximum = result.finite == 0 ? value : std::max(result.maximum, value);
        sum += value;
        ++result.finite;
      }
    }
  });
  result.mean = result.finite == 0 ? 0 : sum / static_cast<double>(result.finite);
  return result;
}

double unitRoundoff(DType format) { return format == DType::Float16 ? 0x1p-11 : 0x1p-8; }

Comparison compareLowPrecision(const Tensor &got, const Tensor &expected, DType format, double extra) {
  Comparison result;
  if (got.dtype() != expected.dtype() || got.dims().size() != expected.dims().size()) {
    result.reason = fmt::format("got {}, expected {}", got.describe(), expected.describe());
    return result;
  }
  if (got.dims() != expected.dims())
    return result;
  result.elements = expected.size();
  double error = 0, norm = 0;
  visitElements(expected, [&](auto *reference) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(reference)>>;
    if constexpr (!std::is_integral_v<decltype(widened(T()))>) {
      for (int64_t i = 0; i < result.elements; ++i) {
        auto actual = widened(got.as<T>()[i]), other = widened(reference[i]);
        if (isFinite(actual) && isFinite(other)) {
          error += std::pow(distance(actual, other), 2);
          norm += std::pow(magnitude(other), 2);
        }
        // Non-finite elements must be of the same kind.
        CompareRule rule{CompareKind::AllClose, 0, std::numeric_limits<double>::max()};
        take(result, got.as<T>()[i], reference[i], i, expected.dims(), rule);
      }
    }
  });
  describeMismatches(result, "elements");
  double leastNormal = format == DType::Float16 ? 0x1p-14 : 0x1p-126;
  double allowed = unitsOfNorm * unitRoundoff(format) *
                       (std::sqrt(norm) + std::sqrt(static_cast<double>(result.elements)) * leastNormal) +
                   extra;
  if (result.reason.empty() && std::sqrt(error) > allowed)
    result.reason = fmt::format("the error has a norm of {:.3g}, expected at most {:.3g}, where the expected "
                                "tensor has {:.3g}",
                                std::sqrt(error), allowed, std::sqrt(norm));
  return result;
}

Comparison compare(const Tensor &got, const Tensor &expected, const CompareRule &rule) {
  Comparison result;
  if (got.dtype() != expected.dtype() || got.dims() != expected.dims()) {
    result.reason = fmt::format("got {}, expected {}", got.describe(), expected.describe());
    return result;
  }
  result.elements = expected.size();
  if (result.elements == 0)
    return result;
  switch (rule.kind) {
  case CompareKind::AllClose:
    compareAllClose(result, got, expected, rule);
    break;
  case CompareKind::Stats:
    compareStatistics(result, got, expected, rule);
    break;
  case CompareKind::Permutation:
  case CompareKind::Sorted:
    compareUnordered(result, got, expected, rule);
    break;
  case CompareKind::Shape:
    break;
  }
  return result;
}

} // namespace proa
