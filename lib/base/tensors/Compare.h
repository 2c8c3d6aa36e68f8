/// Comparison of an output with its expected value, by the rules of test/corpus/README.md.
#pragma once

#include "proa/Tensor.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proa {

/// Comparison rules. Dtype and dims must always agree.
enum class CompareKind : uint8_t {
  AllClose,    ///< every element: |got - expected| <= atol + rtol * |expected|
  Stats,       ///< random values: mean and standard deviation within 5 standard errors
  Shape,       ///< only dtype and dims: the values are undefined
  Permutation, ///< the same values in any order
  Sorted,      ///< as Permutation: the order is not defined
};

/// The rule with a name in meta.json ("allclose"); nullopt for an unknown name.
std::optional<CompareKind> compareKindFromName(std::string_view name);
std::string_view nameOf(CompareKind kind);

/// Statistics of the elements of a tensor.
struct Statistics {
  double mean = 0;
  double deviation = 0; ///< population standard deviation
  double minimum = 0;
  double maximum = 0;
};

struct CompareRule {
  CompareKind kind = CompareKind::AllClose;
  double rtol = 1e-5;
  double atol = 1e-6;
  /// For Stats: statistics of the reference; if missing, they are computed from the expected tensor.
  std::optional<Statistics> statistics = {};
};

/// One element that differs.
struct Mismatch {
  std::vector<int64_t> index;
  std::string got;
  std::string expected;
};

struct Comparison {
  /// The reason of a failure in one line; empty if it passed.
  std::string reason;
  int64_t elements = 0;
  int64_t mismatches = 0;
  /// The first difference in row-major order; for Permutation and Sorted its index among the sorted values.
  std::optional<Mismatch> first;
  /// The largest |got - expected| of finite elements, and the largest ratio to |expected| where expected is
  /// not 0.
  double maxAbsolute = 0;
  double maxRelative = 0;

  bool passed() const { return reason.empty(); }
};

/// Compares elements. NaN equals NaN; infinities are equal by sign; integers and bools must be equal. Complex
/// numbers are compared by the absolute value of the difference. Different dtypes or dims fail without a
/// comparison of elements.
Comparison compare(const Tensor &got, const Tensor &expected, const CompareRule &rule = {});

/// As above, for tensors computed partly in `format` (Float16 or BFloat16), with unit roundoff u and least
/// normal number m. Tensors of n floats may differ by at most unitsOfNorm * u * (|expected| + sqrt(n) * m) in
/// the Euclidean norm, because single elements may lose all digits by cancellation. NaN and infinities must
/// agree. Integers, bools and data-dependent dims are not compared, because they come from comparisons of
/// rounded values. `extra` is added to the allowed norm.
Comparison compareLowPrecision(const Tensor &got, const Tensor &expected, DType format, double extra = 0);
/// The unit roundoff of Float16 or BFloat16.
double unitRoundoff(DType format);
/// A chain of n roundings changes a value by about sqrt(n) units; the deepest models have about 4,000.
inline constexpr double unitsOfNorm = 64;

/// One element as text: "1.5", "true", "(1+2j)". Floats have enough digits to be distinguished.
std::string elementText(const Tensor &tensor, int64_t element);

/// Mean, deviation and range of the elements (of the real components of complex ones).
Statistics statisticsOf(const Tensor &tensor);

/// Range and mean of the finite elements, and the numbers of finite, NaN and infinite elements. A complex
/// element counts by its real component, which is NaN or infinite if either component is.
struct FiniteStatistics {
  double mean = 0, minimum = 0, maximum = 0;
  int64_t finite = 0, nans = 0, infinities = 0;
};
FiniteStatistics finiteStatisticsOf(const Tensor &tensor);

} // namespace proa
