/// The library kernel "gammaincc" (x, y): the regularized upper incomplete gamma function.
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/Convert.h"

#include "dialects/pd/ops/math/Special.kernels.inc"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace proa::runtime {
namespace {

constexpr double precision = std::numeric_limits<double>::epsilon();
/// Both expansions need some multiple of sqrt(a) terms.
constexpr int mostTerms = 1000000;

/// y^a exp(-y) / gamma(a). Where a is great its factors are, too: they are taken together, with Stirling's
/// series for gamma.
double density(double a, double y) {
  if (a < 20)
    return std::exp(a * std::log(y) - y - std::lgamma(a));
  double distance = (y - a) / a, inverse = 1 / a, square = inverse * inverse;
  double series = inverse * (1. / 12 - square * (1. / 360 - square * (1. / 1260 - square / 1680)));
  return std::sqrt(a / (2 * std::numbers::pi)) * std::exp(-a * (distance - std::log1p(distance)) - series);
}

/// 1 - Q by its series, for y < a + 1.
double lowerBySeries(double a, double y) {
  double term = 1 / a, sum = term;
  for (int i = 1; i < mostTerms && term > sum * precision; ++i) {
    term *= y / (a + i);
    sum += term;
  }
  return sum * density(a, y);
}

/// Q by its continued fraction (Lentz), for y >= a + 1.
double upperByFraction(double a, double y) {
  constexpr double tiny = std::numeric_limits<double>::min() / precision;
  double b = y + 1 - a, c = 1 / tiny, d = 1 / b, value = d;
  for (int i = 1; i < mostTerms; ++i) {
    double numerator = -i * (i - a);
    b += 2;
    d = numerator * d + b;
    d = 1 / (std::abs(d) < tiny ? tiny : d);
    c = b + numerator / c;
    c = std::abs(c) < tiny ? tiny : c;
    value *= d * c;
    if (std::abs(d * c - 1) < precision)
      break;
  }
  return value * density(a, y);
}

double gammaincc(double x, double y) {
  if (std::isnan(x) || std::isnan(y) || x < 0 || y < 0)
    return std::numeric_limits<double>::quiet_NaN();
  if (x == 0 || y == 0)
    return 1;
  if (std::isinf(x) || std::isinf(y))
    return std::isinf(x) ? std::isinf(y) ? std::numeric_limits<double>::quiet_NaN() : 1 : 0;
  return y < x + 1 ? 1 - lowerBySeries(x, y) : upperByFraction(x, y);
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeGammaincc(const GammainccAttributes &op,
                                                     const KernelRequest &request) {
  Checks checks(request);
  checks.expectOperands(2, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([](Call &call) -> Result<void> {
    const View &x = call.input(0), &y = call.input(1);
    if (!std::ranges::equal(x.dims, y.dims) || x.dtype != y.dtype)
      return failure("x and y differ in dims or type");
    Result<View> out = call.output(0, x.dims);
    if (!out)
      return out.diagnostics();
    bool known = dispatchFloat(x.dtype, [&](auto zero) {
      using T = decltype(zero);
      parallelFor(x.size(), 64, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          auto wide = [&](const View &view) {
            return static_cast<double>(static_cast<Wide<T>>(view.as<T>()[i]));
          };
          out->template as<T>()[i] = static_cast<T>(static_cast<Wide<T>>(gammaincc(wide(x), wide(y))));
        }
      });
    });
    return known ? Result<void>() : failure("{} is not supported", nameOf(x.dtype));
  });
}

} // namespace proa::runtime
