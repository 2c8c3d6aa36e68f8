/// Compares an output of a program with what it should be, by the rules of test/corpus/README.md.
#pragma once

#include "proa/Tensor.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proa::check {

/// What must agree besides dtype and dims, which always must.
enum class CompareKind : uint8_t {
  AllClose,    ///< every element: |got - expected| <= atol + rtol * |expected|
  Stats,       ///< random values: mean and standard deviation within 5 standard errors
  Shape,       ///< nothing more: the values are undefined
  Permutation, ///< the same values in any order
  Sorted,      ///< as Permutation: the order is not defined
};

/// The spelling in meta.json ("allclose"); nothing for a word that is none.
std::optional<CompareKind> compareKindFromName(std::string_view name);
std::string_view nameOf(CompareKind kind);

/// Facts about the elements of a tensor.
struct Statistics {
  double mean = 0;
  double deviation = 0; ///< standard deviation of the population
  double minimum = 0;
  double maximum = 0;
};

struct CompareRule {
  CompareKind kind = CompareKind::AllClose;
  double rtol = 1e-5;
  double atol = 1e-6;
  /// For Stats: what the reference measured. Where absent, it is computed from the expected tensor.
  std::optional<Statistics> statistics = {};
};

/// One element that differs.
struct Mismatch {
  std::vector<int64_t> index;
  std::string got;
  std::string expected;
};

struct Comparison {
  /// Why the comparison failed, in one line; empty: it passed.
  std::string reason;
  int64_t elements = 0;
  int64_t mismatches = 0;
  /// The first in row-major order; for Permutation and Sorted the index is one into the sorted values.
  std::optional<Mismatch> first;
  /// Greatest |got - expected|, and that over |expected| where expected is not 0; over pairs of finite
  /// elements.
  double maxAbsolute = 0;
  double maxRelative = 0;

  bool passed() const { return reason.empty(); }
};

/// NaN equals NaN; infinities are equal by sign; integers and bools must be equal exactly. Complex numbers
/// are compared by the absolute value of the difference. Tensors of different dtype or dims fail at once,
/// with no elements compared.
Comparison compare(const Tensor &got, const Tensor &expected, const CompareRule &rule = {});

/// The same for tensors that were computed partly in `format`, Float16 or BFloat16, with the unit roundoff u
/// and the least normal number m. Floats of n elements differ by at most unitsOfNorm * u * (|expected| +
/// sqrt(n) * m) in the Euclidean norm of the whole tensor, where single elements may have lost all digits by
/// cancellation. NaN and infinities are as expected. Integers and bools come from comparisons of rounded
/// numbers, which may fall either way: they, and dims that data decides, are not compared.
Comparison compareLowPrecision(const Tensor &got, const Tensor &expected, DType format);
/// A chain of n roundings moves a number by about sqrt(n) units, and the deepest models have about 4,000.
inline constexpr double unitsOfNorm = 64;

/// One element as text: "1.5", "true", "(1+2j)". Floats have as many digits as tell them apart.
std::string elementText(const Tensor &tensor, int64_t element);

/// Mean, deviation and range of the elements (real parts of complex ones).
Statistics statisticsOf(const Tensor &tensor);

/// The range and the mean of the finite elements, and how many elements are finite, NaN and infinite. The
/// real part of a complex element counts, which is NaN or infinite where one of its parts is.
struct FiniteStatistics {
  double mean = 0, minimum = 0, maximum = 0;
  int64_t finite = 0, nans = 0, infinities = 0;
};
FiniteStatistics finiteStatisticsOf(const Tensor &tensor);

} // namespace proa::check
